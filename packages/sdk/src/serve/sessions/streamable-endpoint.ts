/** The endpoint of Streamable HTTP. Chooses what to do by method, headers and body. */
import { type Incoming, isObject, parse, type RequestId } from '../../jsonrpc/index.ts'
import { HEADERS } from '../../protocol/index.ts'
import { type CloseOptions, spokenVersions } from '../../session/index.ts'
import { acceptedTypes, type Exchange } from '../../transport/index.ts'
import {
  eraOf,
  handshakeVersions,
  isVersion,
  META,
  supports,
  unsupportedVersion,
  versions,
} from '../../versions/index.ts'
import { type HttpSettings, openerOf, principalOf } from '../options.ts'
import { refuseWithHint } from '../responses/hint.ts'
import { admitsBody } from '../responses/json-body.ts'
import { refuse, refuseWith } from '../responses/refusal.ts'
import type { Mount, Servable } from '../site/site.ts'
import { StatelessEndpoint } from '../stateless/stateless-endpoint.ts'
import { type HttpSession, type SessionOwner, type SessionTable, TOO_MANY_SESSIONS } from './session-table.ts'

const METHODS = 'GET, POST, DELETE, OPTIONS'
/** The methods of servers without sessions (D-61). */
const STATELESS_METHODS = 'POST, OPTIONS'

type RequestOrNotification = Extract<Incoming, { kind: 'request' | 'notification' }>

export class StreamableEndpoint implements Mount, SessionOwner {
  readonly server: Servable
  closing = false
  readonly #table: SessionTable
  readonly #settings: HttpSettings
  /** Undefined if the server speaks no stateless version. */
  readonly #stateless: StatelessEndpoint | undefined
  /** False if the server speaks only stateless versions. */
  readonly #hasSessions: boolean
  readonly #methods: string

  constructor(server: Servable, table: SessionTable, settings: HttpSettings) {
    this.server = server
    this.#table = table
    this.#settings = settings
    const { versions: asked = server.versions, dialect } = settings.session
    const spoken = spokenVersions({ versions: asked, dialect }) ?? versions
    this.#stateless = spoken.some((version) => eraOf(version) === 'stateless')
      ? new StatelessEndpoint(server, settings)
      : undefined
    this.#hasSessions = this.#stateless === undefined || spoken.some((version) => eraOf(version) === 'handshake')
    this.#methods = this.#hasSessions ? METHODS : STATELESS_METHODS
  }

  async close(options: CloseOptions): Promise<void> {
    this.closing = true
    await Promise.all([this.#table.close(this, options), this.#stateless?.close(options)])
  }

  count(): number {
    return this.#table.count(this)
  }

  owns(exchange: Exchange): boolean {
    const id = exchange.header('mcp-session-id')
    return id !== undefined && this.#table.holds(this, id)
  }

  admit(exchange: Exchange): boolean {
    switch (exchange.method) {
      case 'POST':
        return this.#admitPost(exchange)
      case 'GET':
      case 'DELETE':
        return this.#hasSessions || this.#refuseMethod(exchange)
      case 'OPTIONS':
        exchange.respond(204, { allow: this.#methods })
        return false
      default:
        return this.#refuseMethod(exchange)
    }
  }

  #refuseMethod(exchange: Exchange): false {
    refuseWithHint(exchange, this.#settings, 405, `${exchange.method.slice(0, 20)} is not a method of this endpoint`, {
      allow: this.#methods,
    })
    return false
  }

  handle(exchange: Exchange): void {
    if (exchange.method === 'POST') this.#onPost(exchange)
    else if (exchange.method === 'GET') this.#onGet(exchange)
    else this.#onDelete(exchange)
  }

  #admitPost(exchange: Exchange): boolean {
    if (!admitsBody(exchange)) return false
    const accepted = acceptedTypes(exchange.header('accept'))
    if (!accepted.json || !accepted.events) {
      refuse(exchange, 406, 'invalid_request', 'Accept must admit both application/json and text/event-stream')
      return false
    }
    return true
  }

  #onPost(exchange: Exchange): void {
    const incoming = parse(exchange.body, this.#settings.limits)
    const id = exchange.header('mcp-session-id')
    if (this.#stateless !== undefined) {
      if (
        (incoming.kind === 'request' || incoming.kind === 'notification') &&
        this.#isStateless(exchange, incoming, id)
      ) {
        return this.#stateless.handle(exchange, incoming)
      }
      if (!this.#hasSessions) return this.#refuseWithoutSession(exchange, incoming)
    }
    if (id === undefined) return this.#onFirstPost(exchange, incoming)
    const found = this.#find(exchange, id)
    if (found === undefined) return
    switch (incoming.kind) {
      case 'request':
        found.markUsed()
        return found.link.ask(exchange, [incoming.message.id], exchange.body, incoming)
      case 'batch':
        return this.#onBatch(exchange, found, incoming.items, incoming)
      case 'invalid':
        // An invalid answer still ends its request.
        if (incoming.isAnswer) found.link.deliver(exchange.body, incoming)
        return this.#onInvalid(exchange, incoming)
      default:
        found.link.deliver(exchange.body, incoming)
        return exchange.respond(202, {})
    }
  }

  /**
   * A message with a version in its `_meta` is stateless, whatever its headers say. Without one, the header decides. An
   * unknown version is treated as stateless, because no session can have negotiated it. Only a handshake may name any
   * version.
   */
  #isStateless(exchange: Exchange, { message }: RequestOrNotification, session: string | undefined): boolean {
    const meta = message.params?.['_meta']
    if (!this.#hasSessions || (isObject(meta) && Object.hasOwn(meta, META.version))) return true
    const named = exchange.header(HEADERS.version)
    if (named === undefined) return false
    if (isVersion(named)) return eraOf(named) === 'stateless'
    return session === undefined && message.method !== 'initialize'
  }

  /** Batches and answers need a session. */
  #refuseWithoutSession(exchange: Exchange, incoming: Incoming): void {
    if (incoming.kind === 'invalid') return this.#onInvalid(exchange, incoming)
    if (incoming.kind === 'batch')
      return refuse(exchange, 400, 'batch_not_supported', 'Batches are not part of this protocol version')
    refuse(
      exchange,
      400,
      'invalid_request',
      'Answers are not posted: questions come in results, and their answers go with the request that is made again',
    )
  }

  /** Without a session id, only a handshake is possible. */
  #onFirstPost(exchange: Exchange, incoming: Incoming): void {
    if (this.#stateless !== undefined && namesStateless(exchange)) return this.#refuseWithoutSession(exchange, incoming)
    if (incoming.kind === 'invalid') return this.#onInvalid(exchange, incoming)
    if (incoming.kind === 'batch' && incoming.items.some(isInitialize)) {
      return refuse(exchange, 400, 'batch_invalid', 'The handshake must not be part of a batch')
    }
    if (incoming.kind !== 'request' || incoming.message.method !== 'initialize') {
      return refuse(
        exchange,
        400,
        'invalid_request',
        'Header Mcp-Session-Id is missing: a session begins with initialize, and a request without one says its version in params._meta',
      )
    }
    const named = exchange.header('mcp-protocol-version')
    if (named !== undefined && !isHandshakeVersion(named))
      return refuseWith(exchange, 400, unsupportedVersion(named, handshakeVersions).toWire())
    this.#open(exchange, incoming.message.id, incoming)
  }

  #open(exchange: Exchange, id: RequestId, incoming: Incoming): void {
    const opened = this.#table.open(this, openerOf(exchange, this.#settings))
    if (opened === undefined) {
      const why = this.closing ? 'The server is shutting down' : TOO_MANY_SESSIONS
      return refuse(exchange, 503, 'refusal_unavailable', why, { 'retry-after': '5' })
    }
    opened.link.ask(exchange, [id], exchange.body, incoming)
  }

  #onBatch(exchange: Exchange, found: HttpSession, items: readonly Incoming[], incoming: Incoming): void {
    const { link, session } = found
    if (session.version === undefined || !supports(session.version, 'batch')) {
      return refuse(exchange, 400, 'batch_not_supported', `Batches are not part of protocol version ${session.version}`)
    }
    const ids = items.flatMap((item) => (item.kind === 'request' ? [item.message.id] : []))
    if (new Set(ids).size < ids.length)
      return refuse(exchange, 400, 'duplicate_request_id', 'Two requests of the batch have the same id')
    if (ids.length > 0) {
      found.markUsed()
      return link.ask(exchange, ids, exchange.body, incoming)
    }
    const invalid = items.find((item) => item.kind === 'invalid')
    if (invalid?.kind === 'invalid') return this.#onInvalid(exchange, invalid)
    link.deliver(exchange.body, incoming)
    exchange.respond(202, {})
  }

  #onInvalid(exchange: Exchange, { id, error, isAnswer }: Extract<Incoming, { kind: 'invalid' }>): void {
    const kind = (error.data as { 'parley/kind'?: string } | undefined)?.['parley/kind']
    refuseWith(exchange, kind === 'message_too_large' ? 413 : 400, error, {}, isAnswer ? undefined : id)
  }

  #onGet(exchange: Exchange): void {
    if (!acceptedTypes(exchange.header('accept')).events)
      return refuseWithHint(exchange, this.#settings, 406, 'Accept must admit text/event-stream')
    const found = this.#required(exchange)
    if (found === undefined) return
    found.markUsed()
    const lastEventId = exchange.header('last-event-id')
    if (lastEventId === undefined) found.link.listen(exchange)
    else found.link.resume(exchange, lastEventId)
  }

  #onDelete(exchange: Exchange): void {
    const found = this.#required(exchange)
    if (found === undefined) return
    void found.session.close({ drain: 0 })
    exchange.respond(204, {})
  }

  #required(exchange: Exchange): HttpSession | undefined {
    const id = exchange.header('mcp-session-id')
    if (id !== undefined) return this.#find(exchange, id)
    refuseWithHint(exchange, this.#settings, 400, 'Header Mcp-Session-Id is missing')
    return undefined
  }

  /** The session that the request names, if its version is the one that the request names (B-12). */
  #find(exchange: Exchange, id: string): HttpSession | undefined {
    const found = this.#table.find(this, id)
    // Other principals must not learn that the session exists.
    if (found === undefined || found.principal !== principalOf(exchange, this.#settings)) {
      refuse(
        exchange,
        404,
        'session_closed',
        'There is no such session, or it has ended; begin a new one with initialize',
      )
      return undefined
    }
    const named = exchange.header('mcp-protocol-version')
    if (named === undefined || named === found.session.version) return found
    if (!isHandshakeVersion(named)) refuseWith(exchange, 400, unsupportedVersion(named, handshakeVersions).toWire())
    else
      refuse(
        exchange,
        400,
        'header_mismatch',
        `MCP-Protocol-Version is ${named}, but the session speaks ${found.session.version}`,
      )
    return undefined
  }
}

function isInitialize(item: Incoming): boolean {
  return item.kind === 'request' && item.message.method === 'initialize'
}

function isHandshakeVersion(named: string): boolean {
  return (handshakeVersions as readonly string[]).includes(named)
}

function namesStateless(exchange: Exchange): boolean {
  const named = exchange.header('mcp-protocol-version')
  return isVersion(named) && eraOf(named) === 'stateless'
}
