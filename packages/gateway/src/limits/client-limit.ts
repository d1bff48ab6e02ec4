/**
 * Limits the requests of one client at all addresses. Identifies the client by its principal, else by its session, else by
 * its address.
 */
import { type Clock, type Endpoint, type FrameOrigin, networkOf, systemClock } from 'parley-mcp/engine'
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

/** What the gateway knows of a client when its session begins. */
export interface LimitedClient {
  readonly principal?: string
  /** Whether several clients share the link. Each request then names its client. */
  readonly sharedLink?: boolean
  /** The name in the log. */
  readonly label?: string | undefined
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
  #lastSession = 0

  constructor(options: ClientLimitOptions) {
    this.limit = options.limit
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#buckets = new Buckets(options.mostClients)
  }

  /**
   * The check for one session at the address of `server`. `clientName`: the client's own name, once it is known.
   */
  guard(
    server: string,
    conversation: LimitedClient,
    clientName: () => string | undefined,
  ): NonNullable<Endpoint['turnsAway']> {
    const own = conversation.sharedLink === true ? undefined : this.#ownClient(conversation, clientName)
    return (_method, origin) => {
      const { limit } = this
      if (limit === undefined) return undefined
      const client = own?.() ?? clientFrom(origin)
      const wait = this.#buckets.take(client.key, this.#clock.now(), limit)
      if (wait === 0) return undefined
      this.#options.onRefused?.({
        server,
        reason: 'client_rate_limit',
        whom: client.whom,
        limit: shownLimit(SETTING, limit),
      })
      return tooOften(`${client.whose} has made as many requests as one client may`, SETTING, limit, wait)
    }
  }

  #ownClient({ principal, label }: LimitedClient, clientName: () => string | undefined): () => Client {
    if (principal !== undefined) {
      const known = byPrincipal(principal)
      return () => known
    }
    const number = ++this.#lastSession
    return () => ({
      key: `session ${number}`,
      whose: 'This session',
      whom: `Session ${label ?? number} of ${JSON.stringify(clientName()?.slice(0, 80) ?? 'a client')}`,
    })
  }
}

/** On a shared link, only the origin of the request identifies its client. */
function clientFrom(origin: FrameOrigin | undefined): Client {
  if (origin?.principal !== undefined) return byPrincipal(origin.principal)
  const network = networkOf(origin?.address ?? 'unknown')
  return { key: `address ${network}`, whose: `The address ${network}`, whom: `The address ${network}` }
}

function byPrincipal(principal: string): Client {
  const shown = `The principal ${JSON.stringify(principal.slice(0, 80))}`
  return { key: `principal ${principal}`, whose: shown, whom: shown }
}
