/** Everything a server answers over HTTP, path by path; what drives it is one of the runtimes. */
import type { MessageLimits } from '../jsonrpc/index.ts'
import type { ProtocolVersion } from '../protocol/index.ts'
import type { CloseOptions } from '../session/index.ts'
import { type Exchange, Guard, JSON_TYPE, type ResponseHeaders } from '../transport/index.ts'
import { StreamableEndpoint } from './endpoint.ts'
import { type HttpOptions, type HttpSettings, settleHttp } from './options.ts'
import { refuse } from './refusal.ts'
import { type Acceptance, SessionTable } from './session-table.ts'
import { sseMounts } from './sse-endpoint.ts'

/** Answers what comes to one path. */
export interface Mount {
  /** Called before the body is read; false when the exchange was answered by that. */
  admit?(exchange: Exchange): boolean
  handle(exchange: Exchange): void
  /** How many sessions there are through it. */
  count?(): number
  close?(options: CloseOptions): Promise<void>
}

/** A server, or anything else that takes links, such as a gateway. */
export interface Servable extends Acceptance {
  readonly limits?: Partial<MessageLimits>
  /** Those it speaks. Default: all. */
  readonly versions?: readonly ProtocolVersion[]
  /** Throws what would make every conversation fail. */
  ready?(): void
}

export class HttpSite {
  readonly settings: HttpSettings
  readonly guard: Guard
  readonly #table: SessionTable
  readonly #mounts = new Map<string, Mount>()

  constructor(server: Servable, options: HttpOptions) {
    server.ready?.()
    this.settings = settleHttp(options, server.limits)
    this.guard = new Guard(options)
    this.#table = new SessionTable(server, this.settings)
    this.mount(this.settings.path, new StreamableEndpoint(server, this.#table, this.settings))
    if (options.sse)
      for (const [path, mount] of Object.entries(sseMounts(server, this.settings, options.sse === true ? {} : options.sse))) this.mount(path, mount)
    if (this.settings.healthPath !== undefined) this.mount(this.settings.healthPath, { handle: refuseHealth })
  }

  /** How many sessions there are. */
  get sessions(): number {
    let count = this.#table.size
    for (const mount of this.#mounts.values()) count += mount.count?.() ?? 0
    return count
  }

  mount(path: string, mount: Mount): void {
    if (this.#mounts.has(path)) throw new TypeError(`Path ${path} is taken`)
    this.#mounts.set(path, mount)
  }

  /** Looks at everything but the body; false when the exchange was answered by that, and the body need not be read. */
  admit(exchange: Exchange): boolean {
    const origin = exchange.header('origin')
    const objection = this.guard.objection(exchange.header('host'), origin)
    if (exchange.path === this.settings.healthPath && (exchange.method === 'GET' || exchange.method === 'HEAD')) {
      // Probes come by address, not by name; those that the guard would not let in learn no more than that.
      this.#showHealth(exchange, objection === undefined ? { sessions: this.sessions } : {})
      return false
    }
    if (objection !== undefined) {
      refuse(exchange, 403, 'refusal_permission_denied', objection)
      return false
    }
    const mount = this.#mounts.get(exchange.path)
    if (mount === undefined) {
      refuse(exchange, 404, 'invalid_request', `Nothing is served at this path; the endpoint is ${this.settings.path}`)
      return false
    }
    if (this.#tooLong(exchange)) {
      refuse(exchange, 413, 'message_too_large', `Messages are limited to ${this.settings.limits.maxBytes} bytes`)
      return false
    }
    if (this.settings.cors && exchange.method === 'OPTIONS' && origin !== undefined) {
      exchange.respond(204, preflight(exchange.header('access-control-request-headers')))
      return false
    }
    return mount.admit?.(exchange) ?? true
  }

  /** An exchange that was admitted, with its body. */
  handle(exchange: Exchange): void {
    this.#mounts.get(exchange.path)?.handle(exchange)
  }

  /** Something here is broken: the client is told no more than that. */
  failed(exchange: Exchange, error: unknown): void {
    refuse(exchange, 500, 'internal_error', 'Internal error')
    try {
      this.settings.onError(error)
    } catch {
      // An observer that fails has no one left to tell.
    }
  }

  /** Headers that let a page of a listed origin read the response. */
  corsHeaders(origin: string | undefined): ResponseHeaders | undefined {
    if (!this.settings.cors || origin === undefined || !this.guard.lists(origin)) return undefined
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'mcp-session-id', vary: 'origin' }
  }

  /** Takes no new sessions, lets running requests finish, and ends all sessions and streams. */
  async close(options: CloseOptions = {}): Promise<void> {
    await Promise.all([this.#table.close(options), ...[...this.#mounts.values()].map((mount) => mount.close?.(options))])
  }

  #tooLong(exchange: Exchange): boolean {
    const declared = exchange.header('content-length')
    return declared !== undefined && Number(declared) > this.settings.limits.maxBytes
  }

  #showHealth(exchange: Exchange, details: { sessions?: number }): void {
    const status = this.#table.closing ? 'closing' : 'ok'
    exchange.respond(status === 'ok' ? 200 : 503, { 'content-type': JSON_TYPE }, JSON.stringify({ status, ...details }))
  }
}

function refuseHealth(exchange: Exchange): void {
  refuse(exchange, 405, 'invalid_request', 'Only GET', { allow: 'GET, HEAD' })
}

const ALLOWED_HEADERS = ['authorization', 'content-type', 'accept', 'last-event-id', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name']

/** D-60: which parameters of tools are headers as well only the page knows, and browsers take no pattern. */
const OF_TOOLS = /^mcp-[\w!#$%&'*+.^`|~-]+$/

function preflight(asked: string | undefined): ResponseHeaders {
  const more = asked?.split(',').flatMap((part) => {
    const name = part.trim().toLowerCase()
    return OF_TOOLS.test(name) && !ALLOWED_HEADERS.includes(name) ? [name] : []
  })
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': [...ALLOWED_HEADERS, ...(more ?? [])].join(', '),
    'access-control-max-age': '600',
  }
}
