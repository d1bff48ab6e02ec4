/**
 * The lists that clients want to be told of. The gateway polls servers that cannot report changes while a client wants
 * to know.
 */
import type { ListKind, Upstream } from '../upstream/index.ts'

export class ListInterest {
  readonly #wanted = new Map<ListKind, number>()
  readonly #servers = new Map<Upstream, Map<ListKind, () => void>>()

  /** The returned function ends the interest. */
  want(kinds: Iterable<ListKind>): () => void {
    const wanted = [...kinds]
    for (const kind of wanted) this.#count(kind, 1)
    return () => {
      for (const kind of wanted.splice(0)) this.#count(kind, -1)
    }
  }

  /** Polls this server as well, until the returned function is called. */
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

/** The callback is empty: the server's own event reports what polling finds. */
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
