/**
 * Limits the requests of all clients together to one server. The gateway's own requests do not count
 * and never wait.
 */
import type { Clock } from 'parley-mcp/engine'
import type { RateLimit } from '../config/index.ts'
import { Bucket } from './bucket.ts'
import { type Refused, shownLimit, tooOften } from './refusal.ts'

export interface ServerLimitOptions {
  readonly server: string
  readonly limit: RateLimit | undefined
  readonly clock: Clock
  readonly onRefused?: ((refused: Refused) => void) | undefined
}

export class ServerLimit {
  /** Can change at any time. Counted requests stay counted. */
  limit: RateLimit | undefined
  readonly #options: ServerLimitOptions
  readonly #bucket: Bucket

  constructor(options: ServerLimitOptions) {
    this.limit = options.limit
    this.#options = options
    this.#bucket = new Bucket(options.clock.now())
  }

  /** Counts a request before it is sent. Throws if it is over the limit. */
  demand(): void {
    const { limit } = this
    if (limit === undefined) return
    const { server, clock, onRefused } = this.#options
    const wait = this.#bucket.take(clock.now(), limit)
    if (wait === 0) return
    const setting = `mcpServers.${server}.rateLimit`
    onRefused?.({ server, reason: 'server_rate_limit', whom: 'Clients', limit: shownLimit(setting, limit) })
    throw tooOften(
      `All clients together have sent as many requests to the server ${JSON.stringify(server)} as they may`,
      setting,
      limit,
      wait,
    )
  }
}
