/**
 * Keeps gateways from standing behind each other: each knows all servers behind it, and refuses whoever comes through
 * one of them.
 */
import type { Introduction } from 'parley-mcp/engine'
import { refuseLoop, type Upstream, viaIn, withVia } from '../../upstream/index.ts'

export class LoopGuard {
  #upstreams: readonly Upstream[] = []
  #made: { readonly of: Introduction; readonly ids: string; readonly introduction: Introduction } | undefined

  setServers(upstreams: readonly Upstream[]): void {
    this.#upstreams = upstreams
  }

  /** Throws when somebody who comes through `via` is behind this gateway. */
  refuse(via: readonly string[]): void {
    if (via.length === 0) return
    const behind = new Set(this.#behind())
    refuseLoop(via, (id) => behind.has(id))
  }

  /** What gateways in front are told; the same object as long as nothing has changed. */
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
