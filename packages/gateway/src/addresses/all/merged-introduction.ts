/**
 * The introduction of the gateway at the address of all servers. It stays the same object until a server comes, goes or
 * introduces itself differently.
 */
import type { Loss } from 'parley-mcp'
import type { Introduction } from 'parley-mcp/engine'
import { mergeIntroductions } from '../../catalogue/index.ts'
import { gatewayInfo } from '../../config/index.ts'
import type { Upstream } from '../../upstream/index.ts'

export class MergedIntroduction {
  /** An object of its own: who introduces itself is known by it. */
  readonly #self = { ...gatewayInfo }
  #upstreams: readonly Upstream[] = []
  #seen: readonly (Introduction | undefined)[] | undefined
  #merged: Introduction | undefined

  readonly #onLoss: (loss: Loss) => void

  /** `onLoss`: called with what servers declare and the merged introduction leaves out. */
  constructor(onLoss: (loss: Loss) => void) {
    this.#onLoss = onLoss
  }

  setServers(upstreams: readonly Upstream[]): void {
    this.#upstreams = upstreams
    this.#seen = undefined
  }

  /** Every request of the stateless era reads it, so it is only made again after a change. */
  get current(): Introduction {
    const seen = this.#seen
    if (
      this.#merged !== undefined &&
      seen !== undefined &&
      this.#upstreams.every(({ introduction }, at) => introduction === seen[at])
    )
      return this.#merged
    this.#seen = this.#upstreams.map(({ introduction }) => introduction)
    this.#merged = mergeIntroductions(
      this.#upstreams.map(({ name, introduction }) => ({ name, introduction })),
      this.#self,
      this.#onLoss,
    )
    return this.#merged
  }
}
