/**
 * Who the gateway is for clients of all servers at once: the same object until a server comes, goes or says something
 * else of itself.
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

  /** `onLoss`: told what servers declare and clients here do not hear. */
  constructor(onLoss: (loss: Loss) => void) {
    this.#onLoss = onLoss
  }

  setServers(upstreams: readonly Upstream[]): void {
    this.#upstreams = upstreams
    this.#seen = undefined
  }

  /** Asked for with every request of the stateless era: nothing is made while nothing has changed. */
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
