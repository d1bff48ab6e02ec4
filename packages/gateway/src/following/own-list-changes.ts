/** What one listener is told of lists in the conversations that are kept for it, at all servers there are (8.2). */
import type { Inbound } from 'parley-mcp/engine'
import type { ListKind, Upstream } from '../upstream/index.ts'

export class OwnListChanges {
  readonly #inbound: Inbound
  readonly #told: (kind: ListKind) => void
  readonly #following = new Map<Upstream, () => void>()

  constructor(inbound: Inbound, told: (kind: ListKind) => void) {
    this.#inbound = inbound
    this.#told = told
  }

  setServers(servers: Iterable<Upstream>): void {
    const wanted = new Set(servers)
    for (const [upstream, stop] of this.#following) {
      if (wanted.has(upstream)) continue
      stop()
      this.#following.delete(upstream)
    }
    for (const upstream of wanted)
      if (!this.#following.has(upstream))
        this.#following.set(upstream, upstream.pool.followKept(this.#inbound, this.#told))
  }

  end(): void {
    this.setServers([])
  }
}
