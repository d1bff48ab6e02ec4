/** What one listener is told of lists in the conversations that are kept for it, at all servers there are (8.2). */
import type { Inbound } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import type { ListKind } from '../upstream/index.ts'

export class OwnNews {
  readonly #inbound: Inbound
  readonly #told: (kind: ListKind) => void
  readonly #following = new Map<ServedUpstream, () => void>()

  constructor(inbound: Inbound, told: (kind: ListKind) => void) {
    this.#inbound = inbound
    this.#told = told
  }

  setServers(servers: Iterable<ServedUpstream>): void {
    const wanted = new Set(servers)
    for (const [served, stop] of this.#following) {
      if (wanted.has(served)) continue
      stop()
      this.#following.delete(served)
    }
    for (const served of wanted)
      if (!this.#following.has(served))
        this.#following.set(served, served.upstream.lines.followKept(this.#inbound, this.#told))
  }

  end(): void {
    this.setServers([])
  }
}
