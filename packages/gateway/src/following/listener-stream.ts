/** The notifications of one listener, in the order that the protocol requires. */
import { type Body, type Inbound, META } from 'parley-mcp/engine'

/** Notifications kept until the acknowledgement is sent. Further ones are dropped. */
const MAX_EARLY_MESSAGES = 1000

/** Sends the acknowledgement first, then the notifications (D-30). */
export class ListenerStream {
  readonly inbound: Inbound
  /** Notifications that came before the acknowledgement. */
  #early: [method: string, params: Body | undefined][] | undefined = []
  #end: () => void = () => {}

  constructor(inbound: Inbound) {
    this.inbound = inbound
  }

  tell(method: string, params?: Body): void {
    if (this.#early === undefined) this.inbound.notify(method, params)
    else if (this.#early.length < MAX_EARLY_MESSAGES) this.#early.push([method, params])
  }

  /**
   * Acknowledges the filter. Resolves with the answer when the client or the gateway ends the stream. `over`: it has
   * ended already.
   */
  untilEnd(filter: Body, { over, onEnd }: { readonly over: boolean; readonly onEnd: () => void }): Promise<Body> {
    const { inbound } = this
    return new Promise((resolve) => {
      this.#end = () => {
        onEnd()
        resolve({ _meta: { [META.subscription]: inbound.id } })
      }
      if (inbound.cancelled || over) return this.end()
      inbound.signal.addEventListener('abort', () => this.end(), { once: true })
      this.#acknowledge(filter)
    })
  }

  end(): void {
    this.#end()
  }

  #acknowledge(filter: Body): void {
    this.inbound.notify('notifications/subscriptions/acknowledged', { notifications: filter })
    const early = this.#early ?? []
    this.#early = undefined
    for (const [method, params] of early) this.inbound.notify(method, params)
  }
}
