/**
 * Which lists anybody wants stream of: servers that cannot tell of changes by themselves are looked at for as long (8.2).
 */
import type { ListKind, Upstream } from '../upstream/index.ts'

export class ListInterest {
  readonly #wanted = new Map<ListKind, number>()
  readonly #servers = new Map<Upstream, Map<ListKind, () => void>>()

  /** What it gives takes the wish back. */
  want(kinds: Iterable<ListKind>): () => void {
    const wanted = [...kinds]
    for (const kind of wanted) this.#count(kind, 1)
    return () => {
      for (const kind of wanted.splice(0)) this.#count(kind, -1)
    }
  }

  /** From now on it is one of those that stream are wanted of; until what it gives is called. */
  add(upstream: Upstream): () => void {
    const following = new Map<ListKind, () => void>()
    this.#servers.set(upstream, following)
    for (const kind of this.#wanted.keys()) follow(upstream, following, kind)
    return () => {
      this.#servers.delete(upstream)
      for (const stop of following.values()) stop()
      following.clear()
    }
  }

  #count(kind: ListKind, by: 1 | -1): void {
    const before = this.#wanted.get(kind) ?? 0
    if (before + by > 0) this.#wanted.set(kind, before + by)
    else this.#wanted.delete(kind)
    if (before === 0) for (const [upstream, following] of this.#servers) follow(upstream, following, kind)
    if (before + by === 0) for (const following of this.#servers.values()) unfollow(following, kind)
  }
}

/** What is found is told by the server itself, like everything else. */
function follow(upstream: Upstream, following: Map<ListKind, () => void>, kind: ListKind): void {
  following.set(
    kind,
    upstream.polling.follow(kind, () => {}),
  )
}

function unfollow(following: Map<ListKind, () => void>, kind: ListKind): void {
  following.get(kind)?.()
  following.delete(kind)
}
