/** Logs errors in the conversations with one server. The same error is logged once a minute. */
import type { Clock } from 'parley-mcp/engine'
import type { GatewayLog } from '../log/index.ts'
import { withoutName } from '../supervision/index.ts'

const LOG_INTERVAL_MS = 60_000
/** How many different errors are logged in one interval. */
const MAX_ERRORS = 50

export class LogThrottle {
  readonly #server: string
  readonly #log: GatewayLog
  readonly #clock: Clock
  /** When each message was logged. */
  readonly #loggedAt = new Map<string, number>()

  constructor(server: string, log: GatewayLog, clock: Clock) {
    this.#server = server
    this.#log = log
    this.#clock = clock
  }

  warn(error: unknown, during: string): void {
    const message = `${during}: ${error instanceof Error ? withoutName(this.#server, error.message) : String(error)}`
    const now = this.#clock.now()
    for (const [logged, at] of this.#loggedAt) if (now - at > LOG_INTERVAL_MS) this.#loggedAt.delete(logged)
    if (this.#loggedAt.has(message) || this.#loggedAt.size >= MAX_ERRORS) return
    this.#loggedAt.set(message, now)
    this.#log.warning(`${this.#server}: ${message}`, { server: this.#server })
  }
}
