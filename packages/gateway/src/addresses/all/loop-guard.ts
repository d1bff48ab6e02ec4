/**
 * Keeps gateways from standing behind each other. Each gateway knows the ids of all servers behind it, and refuses a
 * client that comes through one of them.
 */
import type { Introduction } from 'parley-mcp/engine'
import { refuseLoop, type Upstream, viaIn, withVia } from '../../upstream/index.ts'

export class LoopGuard {
  #upstreams: readonly Upstream[] = []
  #made: { readonly of: Introduction; readonly ids: string; readonly introduction: Introduction } | undefined

  setServers(upstreams: readonly Upstream[]): void {
    this.#upstreams = upstreams
  }

  /** Throws when a gateway in `via` is behind this gateway. */
  refuse(via: readonly string[]): void {
    if (via.length === 0) return
    const behind = new Set(this.#behind())
    refuseLoop(via, (id) => behind.has(id))
  }

  /** The introduction for gateways in front of this one. The same object while nothing changes. */
  introduced(of: Introduction): Introduction {
    const behind = this.#behind()
    const ids = behind.join()
    if (this.#made?.of !== of || this.#made.ids !== ids) this.#made = { of, ids, introduction: withVia(of, behind) }
    return this.#made.introduction
  }

  #behind(): string[] {
    return this.#upstreams.flatMap(({ id, introduction }) => [id, ...viaIn(introduction?.capabilities)])
  }
}
