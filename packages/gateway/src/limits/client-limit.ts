/**
 * Limits the requests of one client at all addresses. Identifies the client by its principal, else by its session, else by
 * its address.
 */
import type { ParleyError } from 'parley-mcp'
import { type Clock, networkOf, systemClock } from 'parley-mcp/engine'
import type { RateLimit } from '../config/index.ts'
import { Buckets } from './buckets.ts'
import { type Refused, shownLimit, tooOften } from './refusal.ts'

export interface ClientLimitOptions {
  readonly limit: RateLimit | undefined
  readonly clock?: Clock | undefined
  readonly onRefused?: (refused: Refused) => void
  /** Limit of remembered clients. Default: 10 000. */
  readonly mostClients?: number
}

/** A request, as far as it tells who makes it. */
export interface LimitedRequest {
  /** Where the client sent it: the name of a server, or `*`. */
  readonly server: string
  readonly principal?: string | undefined
  /** What the log calls the client's session; absent where several clients share a link. */
  readonly session?: string | undefined
  readonly address?: string | undefined
  /** What the client calls itself. */
  readonly clientName?: string | undefined
}

interface Client {
  readonly key: string
  /** The client's name in errors for itself. */
  readonly whose: string
  readonly whom: string
}

const SETTING = 'gateway.rateLimit'

export class ClientLimit {
  /** Can change at any time. Counted requests stay counted. */
  limit: RateLimit | undefined
  readonly #options: ClientLimitOptions
  readonly #clock: Clock
  readonly #buckets: Buckets

  constructor(options: ClientLimitOptions) {
    this.limit = options.limit
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#buckets = new Buckets(options.mostClients)
  }

  /** Why this request is one too many, if it is. Counts it if it is not. */
  refusal(request: LimitedRequest): ParleyError | undefined {
    const { limit } = this
    if (limit === undefined) return undefined
    const client = clientOf(request)
    const wait = this.#buckets.take(client.key, this.#clock.now(), limit)
    if (wait === 0) return undefined
    this.#options.onRefused?.({
      server: request.server,
      reason: 'client_rate_limit',
      whom: client.whom,
      limit: shownLimit(SETTING, limit),
    })
    return tooOften(`${client.whose} has made as many requests as one client may`, SETTING, limit, wait)
  }
}

function clientOf({ principal, session, address = 'unknown', clientName = 'a client' }: LimitedRequest): Client {
  if (principal !== undefined) return byPrincipal(principal)
  if (session !== undefined)
    return {
      key: `session ${session}`,
      whose: 'This session',
      whom: `Session ${session} of ${JSON.stringify(clientName.slice(0, 80))}`,
    }
  const network = networkOf(address)
  return { key: `address ${network}`, whose: `The address ${network}`, whom: `The address ${network}` }
}

function byPrincipal(principal: string): Client {
  const shown = `The principal ${JSON.stringify(principal.slice(0, 80))}`
  return { key: `principal ${principal}`, whose: shown, whom: shown }
}
