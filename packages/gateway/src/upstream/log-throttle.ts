/**
 * What goes wrong in conversations with a server: each of many may have the same to complain of, again and again, and
 * it is said once a minute.
 */
import type { Clock } from 'parley-mcp/engine'
import type { GatewayLog } from '../log/index.ts'
import { withoutName } from '../supervision/index.ts'

const PACE = 60_000
const MOST = 50

export class LogThrottle {
  readonly #server: string
  readonly #log: GatewayLog
  readonly #clock: Clock
  /** What was said, and when. */
  readonly #said = new Map<string, number>()

  constructor(server: string, log: GatewayLog, clock: Clock) {
    this.#server = server
    this.#log = log
    this.#clock = clock
  }

  hear(error: unknown, during: string): void {
    const what = `${during}: ${error instanceof Error ? withoutName(this.#server, error.message) : String(error)}`
    const now = this.#clock.now()
    for (const [said, at] of this.#said) if (now - at > PACE) this.#said.delete(said)
    if (this.#said.has(what) || this.#said.size >= MOST) return
    this.#said.set(what, now)
    this.#log.warning(`${this.#server}: ${what}`, { server: this.#server })
  }
}
