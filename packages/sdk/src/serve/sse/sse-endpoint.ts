/** The two paths of HTTP+SSE: one for the stream of a session, one for the messages of the client. */
import { type Incoming, parse } from '../../jsonrpc/index.ts'
import { type CloseOptions, holderOf, type Session } from '../../session/index.ts'
import { acceptedTypes, type Exchange, SseServerLink } from '../../transport/index.ts'
import { Heartbeat, type HeartbeatItem } from '../heartbeat.ts'
import { type HttpSettings, type Opener, openerOf, principalOf, type SsePaths } from '../options.ts'
import { type HintOptions, refuseWithHint } from '../responses/hint.ts'
import { admitsBody } from '../responses/json-body.ts'
import { refuse, refuseWith } from '../responses/refusal.ts'
import { STREAM_HEADERS } from '../responses/response.ts'
import {
  admission,
  type LinkAcceptor,
  type SessionSlot,
  type SessionSlots,
  TOO_MANY_SESSIONS,
} from '../sessions/session-table.ts'
import type { Mount } from '../site/site.ts'

/** The two mounts, with their paths. */
export function sseMounts(
  server: LinkAcceptor,
  slots: SessionSlots,
  settings: HttpSettings,
  paths: SsePaths,
): readonly (readonly [path: string, mount: Mount])[] {
  const { path = '/sse', messages = '/messages' } = paths
  const connections = new SseConnections(server, slots, settings, messages)
  const stream: Mount = {
    admit: (exchange) => hasMethod(exchange, settings, 'GET'),
    handle: (exchange) => connections.open(exchange),
    count: () => connections.size,
    close: (options) => connections.close(options),
  }
  const inbox: Mount = {
    admit: (exchange) => hasMethod(exchange, settings, 'POST') && connections.admit(exchange),
    handle: (exchange) => connections.receive(exchange),
    owns: (exchange) => connections.has(sessionIn(exchange)),
  }
  return [
    [path, stream],
    [messages, inbox],
  ]
}

function hasMethod(exchange: Exchange, hints: HintOptions, method: 'GET' | 'POST'): boolean {
  if (exchange.method === method) return true
  refuseWithHint(exchange, hints, 405, `This path takes ${method} only`, { allow: method })
  return false
}

function sessionIn(exchange: Exchange): string | null {
  return new URLSearchParams(exchange.query).get('sessionId')
}

/** A connected client: its stream, and the session that ends with the stream. */
class SseConnection implements HeartbeatItem {
  lastBeat = 0
  bagIndex: number | undefined
  readonly link: SseServerLink
  readonly session: Session
  /** The principal that opened the session. Others may not use it. */
  readonly principal: string | undefined

  constructor(link: SseServerLink, session: Session, principal: string | undefined) {
    this.link = link
    this.session = session
    this.principal = principal
  }

  beat(): void {
    this.link.heartbeat()
  }
}

class SseConnections {
  readonly #server: LinkAcceptor
  readonly #slots: SessionSlots
  readonly #settings: HttpSettings
  readonly #messages: string
  readonly #heartbeat: Heartbeat
  readonly #open = new Map<string, SseConnection>()
  #closing = false

  constructor(server: LinkAcceptor, slots: SessionSlots, settings: HttpSettings, messages: string) {
    this.#server = server
    this.#slots = slots
    this.#settings = settings
    this.#messages = messages
    this.#heartbeat = new Heartbeat(settings.clock, settings.heartbeat)
  }

  get size(): number {
    return this.#open.size
  }

  has(id: string | null): boolean {
    return id !== null && this.#open.has(id)
  }

  open(exchange: Exchange): void {
    if (!acceptedTypes(exchange.header('accept')).events)
      return refuseWithHint(exchange, this.#settings, 406, 'Accept must admit text/event-stream')
    const opener = openerOf(exchange, this.#settings)
    const slot = this.#closing ? undefined : this.#slots.reserve(holderOf(opener.principal, opener.address))
    if (slot === undefined) {
      const why = this.#closing ? 'The server is shutting down' : TOO_MANY_SESSIONS
      return refuse(exchange, 503, 'refusal_unavailable', why, { 'retry-after': '5' })
    }
    const { mint, maxUnread } = this.#settings
    const id = mint()
    const endpoint = `${this.#messages}?sessionId=${encodeURIComponent(id)}`
    const connection = this.#accept(
      new SseServerLink(exchange.stream(200, STREAM_HEADERS), { endpoint, maxUnread }),
      id,
      opener,
      slot,
    )
    this.#open.set(id, connection)
    this.#heartbeat.add(connection)
    connection.session.onClose(() => {
      this.#open.delete(id)
      this.#heartbeat.remove(connection)
      slot.release()
    })
  }

  #accept(link: SseServerLink, id: string, opener: Opener, slot: SessionSlot): SseConnection {
    try {
      // The client can always be reached here, so the keep-alive of the server applies. It finds dead connections.
      const { keepAlive, ...settings } = this.#settings.session
      const session = this.#server.accept(link, admission({ ...settings, id }, opener))
      slot.attach(session)
      return new SseConnection(link, session, opener.principal)
    } catch (error) {
      slot.release()
      link.close()
      throw error
    }
  }

  /** Before the body is read. */
  admit(exchange: Exchange): boolean {
    return admitsBody(exchange) && this.#find(exchange) !== undefined
  }

  receive(exchange: Exchange): void {
    const connection = this.#find(exchange)
    if (connection === undefined) return
    const incoming = parse(exchange.body, this.#settings.limits)
    if (incoming.kind === 'invalid') return this.#onInvalid(exchange, connection, incoming)
    // Answered first, so that the client does not wait for the handler.
    exchange.respond(202, {})
    connection.link.receive(exchange.body, incoming)
  }

  async close(options: CloseOptions): Promise<void> {
    this.#closing = true
    await Promise.all([...this.#open.values()].map(({ session }) => session.close(options)))
    this.#heartbeat.stop()
  }

  #find(exchange: Exchange): SseConnection | undefined {
    const id = sessionIn(exchange)
    if (id === null) {
      refuseWithHint(
        exchange,
        this.#settings,
        400,
        'Parameter sessionId is missing; post to the address that the stream names first',
      )
      return undefined
    }
    const found = this.#open.get(id)
    if (found !== undefined && found.principal === principalOf(exchange, this.#settings)) return found
    // Other principals must not learn that the session exists.
    refuse(exchange, 404, 'session_closed', 'There is no such session, or its stream has ended; open a new one')
    return undefined
  }

  #onInvalid(exchange: Exchange, { link }: SseConnection, incoming: Extract<Incoming, { kind: 'invalid' }>): void {
    const { id, error, isAnswer } = incoming
    // An invalid answer still ends its request.
    if (isAnswer) link.receive(exchange.body, incoming)
    refuseWith(exchange, 400, error, {}, isAnswer ? undefined : id)
  }
}
