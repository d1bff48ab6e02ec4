/**
 * How many requests a server is sent by all clients together. What the gateway asks on its own account is not counted,
 * and never waits.
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
  /** May be changed at any time; what was counted before stays counted. */
  limit: RateLimit | undefined
  readonly #options: ServerLimitOptions
  readonly #bucket: Bucket

  constructor(options: ServerLimitOptions) {
    this.limit = options.limit
    this.#options = options
    this.#bucket = new Bucket(options.clock.now())
  }

  /** Counts a request that is about to be sent; throws when it is one too many. */
  demand(): void {
    const { limit } = this
    if (limit === undefined) return
    const { server, clock, onRefused } = this.#options
    const wait = this.#bucket.take(clock.now(), limit)
    if (wait === 0) return
    const setting = `mcpServers.${server}.rateLimit`
    onRefused?.({ server, reason: 'server_rate_limit', whom: 'Clients', limit: shownLimit(setting, limit) })
    throw tooOften(
      `The server ${JSON.stringify(server)} has been sent as many requests as all clients together may send it`,
      setting,
      limit,
      wait,
    )
  }
}
