/**
 * Which lists anybody wants news of: servers that cannot tell of changes by themselves are looked at for as long (8.2).
 */
import type { ServedUpstream } from '../bridge/index.ts'
import type { ListKind } from '../upstream/index.ts'

export class Interest {
  readonly #wanted = new Map<ListKind, number>()
  readonly #servers = new Map<ServedUpstream, Map<ListKind, () => void>>()

  /** What it gives takes the wish back. */
  want(kinds: Iterable<ListKind>): () => void {
    const own = [...kinds]
    for (const kind of own) this.#count(kind, 1)
    return () => {
      for (const kind of own.splice(0)) this.#count(kind, -1)
    }
  }

  /** From now on it is one of those that news are wanted of; until what it gives is called. */
  add(served: ServedUpstream): () => void {
    const following = new Map<ListKind, () => void>()
    this.#servers.set(served, following)
    for (const kind of this.#wanted.keys()) follow(served, following, kind)
    return () => {
      this.#servers.delete(served)
      for (const stop of following.values()) stop()
      following.clear()
    }
  }

  #count(kind: ListKind, by: 1 | -1): void {
    const before = this.#wanted.get(kind) ?? 0
    if (before + by > 0) this.#wanted.set(kind, before + by)
    else this.#wanted.delete(kind)
    if (before === 0) for (const [served, following] of this.#servers) follow(served, following, kind)
    if (before + by === 0) for (const following of this.#servers.values()) unfollow(following, kind)
  }
}

/** What is found is told by the server itself, like everything else. */
function follow({ upstream }: ServedUpstream, following: Map<ListKind, () => void>, kind: ListKind): void {
  following.set(
    kind,
    upstream.polling.follow(kind, () => {}),
  )
}

function unfollow(following: Map<ListKind, () => void>, kind: ListKind): void {
  following.get(kind)?.()
  following.delete(kind)
}
