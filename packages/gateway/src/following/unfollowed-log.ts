/** Logs that resources cannot be followed any more: once for each server, for any number of clients and resources. */

import type { NameIndex } from '../aggregate/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Upstream } from '../upstream/index.ts'

export class UnfollowedLog {
  readonly #log: GatewayLog
  readonly #nameIndex: NameIndex
  readonly #said = new WeakSet<Upstream>()

  constructor(log: GatewayLog, nameIndex: NameIndex) {
    this.#log = log
    this.#nameIndex = nameIndex
  }

  say(upstream: Upstream, uri: string, error: unknown): void {
    const { name } = upstream
    // A removed server needs no warning.
    if (this.#said.has(upstream) || this.#nameIndex.server(name) !== upstream) return
    this.#said.add(upstream)
    const why = error instanceof Error ? error.message : String(error)
    this.#log.warning(
      `${name}: ${uri.slice(0, 200)}, and maybe more, cannot be followed any longer: ${why}; the gateway tries again when lists of resources change`,
      { server: name },
    )
  }
}
