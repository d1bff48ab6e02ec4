/** What a client that listens is told, in the order it expects. */
import type { Body, Inbound } from 'parley-mcp/engine'

const MOST_EARLY = 1000

/** What a listener is told: first what it will be told of, then that (D-30). */
export class News {
  readonly inbound: Inbound
  /** What came before the acknowledgement. */
  #early: [method: string, params: Body | undefined][] | undefined = []

  constructor(inbound: Inbound) {
    this.inbound = inbound
  }

  tell(method: string, params?: Body): void {
    if (this.#early === undefined) this.inbound.notify(method, params)
    else if (this.#early.length < MOST_EARLY) this.#early.push([method, params])
  }

  acknowledge(filter: Body): void {
    this.inbound.notify('notifications/subscriptions/acknowledged', { notifications: filter })
    const early = this.#early ?? []
    this.#early = undefined
    for (const [method, params] of early) this.inbound.notify(method, params)
  }
}
