/** All paths of an HTTP site, for any number of servers. A runtime passes it the requests. */
import { ByteBudget } from '../../collections/index.ts'
import type { MessageLimits } from '../../jsonrpc/index.ts'
import type { CloseOptions } from '../../session/index.ts'
import { type Exchange, Guard, type ResponseHeaders } from '../../transport/index.ts'
import type { ProtocolVersion } from '../../versions/index.ts'
import { type HttpSettings, type ServedPaths, type SiteOptions, settingsFor, settleHttp } from '../options.ts'
import { refuseWithHint } from '../responses/hint.ts'
import { refuse } from '../responses/refusal.ts'
import { type LinkAcceptor, type SessionSlots, SessionTable } from '../sessions/session-table.ts'
import { StreamableEndpoint } from '../sessions/streamable-endpoint.ts'
import { sseMounts } from '../sse/sse-endpoint.ts'
import { UnreadLimit } from '../unread-limit.ts'
import { healthMount } from './health.ts'
import { type Served, type ServedMounts, ServedServer } from './served.ts'
import { type RouteRegistration, type SiteRoute, SiteRoutes } from './site-routes.ts'

/** Answers the requests to one path. */
export interface Mount {
  /** Called before the body is read. Returns false if it answered the exchange. */
  admit?(exchange: Exchange): boolean
  handle(exchange: Exchange): void
  /**
   * Answers requests with a host or origin that is not allowed. The answer must be public. Without it, or if it returns
   * false, they are refused (403).
   */
  strangers?(exchange: Exchange): boolean
  /**
   * Whether the request belongs to a session of this mount. Then this mount gets it, even if its path has a new mount.
   */
  owns?(exchange: Exchange): boolean
  /** The number of its sessions. */
  count?(): number
  close?(options: CloseOptions): Promise<void>
}

/** A server, or another acceptor of links, such as a gateway. */
export interface Servable extends LinkAcceptor {
  readonly limits?: Partial<MessageLimits>
  /** The versions it speaks. Default: all. */
  readonly versions?: readonly ProtocolVersion[]
  /** Throws an error that would make every session fail. */
  ready?(): void
}

/** Most endpoints that the answer to an unknown path names. */
const MAX_NAMED = 10

export class HttpSite {
  readonly settings: HttpSettings
  readonly guard: Guard
  /** Limits the unread bytes of all clients, for runtimes that know them. */
  readonly unreadLimit: UnreadLimit
  readonly #table: SessionTable
  readonly #routes = new SiteRoutes()
  /** In the order of `serve`. */
  readonly #served = new Set<Served>()
  #closing = false

  constructor(options: SiteOptions = {}) {
    this.settings = settleHttp(options)
    this.guard = new Guard(options)
    this.unreadLimit = new UnreadLimit(new ByteBudget('maxUnreadTotal', this.settings.maxUnreadTotal))
    this.#table = new SessionTable(this.settings)
    const health = healthMount(() => ({ closing: this.#closing, sessions: this.sessions }))
    if (options.healthPath !== undefined) this.mount(options.healthPath, health)
  }

  /** The number of sessions. */
  get sessions(): number {
    let count = 0
    for (const { mount } of this.#routes.all()) count += mount.count?.() ?? 0
    return count
  }

  /** For sessions over other transports, such as WebSocket: they count toward `maxSessions` too. */
  get sessionSlots(): SessionSlots {
    return this.#table
  }

  /**
   * Serves one more server. It may use the paths of a server that is being closed. Throws if another server has one of
   * the paths.
   */
  serve(server: Servable, { path = '/mcp', sse = false, mounts = {} }: ServedPaths & ServedMounts = {}): Served {
    server.ready?.()
    const settings = settingsFor(server.limits, this.settings)
    const own: readonly (readonly [string, Mount])[] = [
      [path, new StreamableEndpoint(server, this.#table, settings)],
      ...(sse === false ? [] : sseMounts(server, this.#table, settings, sse === true ? {} : sse)),
      ...Object.entries(mounts),
    ]
    const registration = this.#mountAll(own, settings.limits.maxBytes)
    const ownMounts = own.map(([, mount]) => mount)
    const served = new ServedServer(path, ownMounts, {
      release: () => registration.release(),
      remove: () => {
        registration.remove()
        this.#served.delete(served)
      },
    })
    this.#served.add(served)
    return served
  }

  /** Returns a function that removes the mount. */
  mount(path: string, mount: Mount): () => void {
    const registration = this.#mountAll([[path, mount]], this.settings.limits.maxBytes)
    return () => registration.remove()
  }

  /** The mount at a path. */
  at(path: string): Mount | undefined {
    return this.#routes.at(path)?.mount
  }

  /** The paths of all mounts of this kind. */
  pathsOf(isOne: (mount: Mount) => boolean): readonly string[] {
    return this.#routes.pathsOf(isOne)
  }

  /** Checks everything except the body. Returns the route, or `undefined` if it answered the exchange. */
  admit(exchange: Exchange): SiteRoute | undefined {
    const route = this.#routes.for(exchange)
    const origin = exchange.header('origin')
    const objection = this.guard.objection(exchange.header('host'), origin)
    if (objection !== undefined) {
      if (route?.mount.strangers?.(exchange) !== true) refuse(exchange, 403, 'refusal_permission_denied', objection)
      return undefined
    }
    if (route === undefined) {
      refuseWithHint(
        exchange,
        this.settings,
        404,
        `Nothing is served at this path; ${describeEndpoints([...new Set([...this.#served].map(({ path }) => path))])}`,
      )
      return undefined
    }
    const { mount, maxBytes } = route
    const declared = exchange.header('content-length')
    if (declared !== undefined && Number(declared) > maxBytes) {
      refuse(exchange, 413, 'message_too_large', `Messages are limited to ${maxBytes} bytes`)
      return undefined
    }
    if (this.settings.cors && exchange.method === 'OPTIONS' && origin !== undefined) {
      exchange.respond(204, preflight(exchange.header('access-control-request-headers')))
      return undefined
    }
    return (mount.admit?.(exchange) ?? true) ? route : undefined
  }

  /** Answers an internal error. The client gets no details. */
  failed(exchange: Exchange, error: unknown): void {
    refuse(exchange, 500, 'internal_error', 'Internal error')
    this.report(error)
  }

  /** Reports an error to the operator. */
  report(error: unknown): void {
    try {
      this.settings.onError(error)
    } catch {
      // Nothing is left to report a failed observer to.
    }
  }

  /** The headers by which a page of an allowed origin may read the response. */
  corsHeaders(origin: string | undefined): ResponseHeaders | undefined {
    if (!this.settings.cors || origin === undefined || !this.guard.lists(origin)) return undefined
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'mcp-session-id', vary: 'origin' }
  }

  /** Accepts no new sessions, lets running requests finish, and ends all sessions and streams. */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing = true
    await Promise.all(this.#routes.all().map(({ mount }) => mount.close?.(options)))
    this.#table.stop()
  }

  #mountAll(mounts: readonly (readonly [path: string, mount: Mount])[], maxBytes: number): RouteRegistration {
    if (this.#closing) throw new Error('The site is closed')
    return this.#routes.mount(mounts, maxBytes)
  }
}

function describeEndpoints(paths: readonly string[]): string {
  if (paths.length <= 1) return paths.length === 0 ? 'there is no endpoint' : `the endpoint is ${paths[0]}`
  const shown = paths.slice(0, MAX_NAMED).join(', ')
  return `the endpoints are ${shown}${paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ''}`
}

const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
]

/** D-60: headers of tool parameters. Only the page knows their names, and browsers accept no pattern. */
const PARAMETER_HEADER = /^mcp-[\w!#$%&'*+.^`|~-]+$/

function preflight(asked: string | undefined): ResponseHeaders {
  const more = asked?.split(',').flatMap((part) => {
    const name = part.trim().toLowerCase()
    return PARAMETER_HEADER.test(name) && !ALLOWED_HEADERS.includes(name) ? [name] : []
  })
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': [...ALLOWED_HEADERS, ...(more ?? [])].join(', '),
    'access-control-max-age': '600',
  }
}
