/**
 * Says in the log that something is not followed any more: once for each server, however many clients and resources it
 * is about.
 */
import type { ServedUpstream } from '../bridge/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Offers } from './offers.ts'

export class Unfollowed {
  readonly #log: GatewayLog
  readonly #offers: Offers
  readonly #said = new WeakSet<ServedUpstream>()

  constructor(log: GatewayLog, offers: Offers) {
    this.#log = log
    this.#offers = offers
  }

  say(served: ServedUpstream, uri: string, error: unknown): void {
    const { name } = served.upstream
    // Of one that is no more there is nothing to say.
    if (this.#said.has(served) || this.#offers.server(name) !== served) return
    this.#said.add(served)
    const why = error instanceof Error ? error.message : String(error)
    this.#log.warning(
      `${name}: ${uri.slice(0, 200)}, and maybe more, was followed by clients before and cannot be followed now: ${why}; it is tried again when lists of resources change`,
      { server: name },
    )
  }
}
