/**
 * The two paths of HTTP+SSE: one for the stream that is the session, one for the messages of the client.
 */
import { type Incoming, parse } from '../jsonrpc/index.ts'
import { type CloseOptions, holderOf, type Session } from '../session/index.ts'
import { acceptance, type Exchange, SseServerLink } from '../transport/index.ts'
import { type HintOptions, turnAway } from './hint.ts'
import { admitsBody } from './json-body.ts'
import { type HttpSettings, type Opener, openerOf, principalOf, type SsePaths } from './options.ts'
import { type Beating, Pulse } from './pulse.ts'
import { refuse, refuseWith } from './refusal.ts'
import { STREAM_HEADERS } from './response.ts'
import { type Acceptance, admission, type HeldPlace, type Places, TOO_MANY } from './session-table.ts'
import type { Mount } from './site.ts'

/** What is to be mounted, by path. */
export function sseMounts(
  server: Acceptance,
  places: Places,
  settings: HttpSettings,
  paths: SsePaths,
): readonly (readonly [path: string, mount: Mount])[] {
  const { path = '/sse', messages = '/messages' } = paths
  const connections = new Connections(server, places, settings, messages)
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
  turnAway(exchange, hints, 405, `This path takes ${method} only`, { allow: method })
  return false
}

function sessionIn(exchange: Exchange): string | null {
  return new URLSearchParams(exchange.query).get('sessionId')
}

/** A client that is connected: its stream, and the session that lives and ends with it. */
class Connection implements Beating {
  lastBeat = 0
  bagIndex: number | undefined
  readonly link: SseServerLink
  readonly session: Session
  /** Who opened it, and nobody else may use it. */
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

class Connections {
  readonly #server: Acceptance
  readonly #places: Places
  readonly #settings: HttpSettings
  readonly #messages: string
  readonly #pulse: Pulse
  readonly #open = new Map<string, Connection>()
  #closing = false

  constructor(server: Acceptance, places: Places, settings: HttpSettings, messages: string) {
    this.#server = server
    this.#places = places
    this.#settings = settings
    this.#messages = messages
    this.#pulse = new Pulse(settings.clock, settings.heartbeat)
  }

  get size(): number {
    return this.#open.size
  }

  has(id: string | null): boolean {
    return id !== null && this.#open.has(id)
  }

  open(exchange: Exchange): void {
    if (!acceptance(exchange.header('accept')).events)
      return turnAway(exchange, this.#settings, 406, 'Accept must admit text/event-stream')
    const opener = openerOf(exchange, this.#settings)
    const place = this.#closing ? undefined : this.#places.take(holderOf(opener.principal, opener.address))
    if (place === undefined) {
      const why = this.#closing ? 'The server is shutting down' : TOO_MANY
      return refuse(exchange, 503, 'refusal_unavailable', why, { 'retry-after': '5' })
    }
    const { mint, maxUnread } = this.#settings
    const id = mint()
    const endpoint = `${this.#messages}?sessionId=${encodeURIComponent(id)}`
    const connection = this.#accept(
      new SseServerLink(exchange.stream(200, STREAM_HEADERS), { endpoint, maxUnread }),
      id,
      opener,
      place,
    )
    this.#open.set(id, connection)
    this.#pulse.add(connection)
    connection.session.onClose(() => {
      this.#open.delete(id)
      this.#pulse.remove(connection)
      place.leave()
    })
  }

  #accept(link: SseServerLink, id: string, opener: Opener, place: HeldPlace): Connection {
    try {
      // Here the client can always be reached: it is pinged as the server was told to, and a connection that died
      // without a word is noticed by it.
      const { keepAlive, ...settings } = this.#settings.session
      const session = this.#server.accept(link, admission({ ...settings, id }, opener))
      place.session = session
      return new Connection(link, session, opener.principal)
    } catch (error) {
      place.leave()
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
    // First, so that it does not wait for a handler that is busy.
    exchange.respond(202, {})
    connection.link.receive(exchange.body, incoming)
  }

  async close(options: CloseOptions): Promise<void> {
    this.#closing = true
    await Promise.all([...this.#open.values()].map(({ session }) => session.close(options)))
    this.#pulse.stop()
  }

  #find(exchange: Exchange): Connection | undefined {
    const id = sessionIn(exchange)
    if (id === null) {
      turnAway(
        exchange,
        this.#settings,
        400,
        'Parameter sessionId is missing; post to the address that the stream names first',
      )
      return undefined
    }
    const found = this.#open.get(id)
    if (found !== undefined && found.principal === principalOf(exchange, this.#settings)) return found
    // Whose session it is, is nobody else's business: to others it does not exist.
    refuse(exchange, 404, 'session_closed', 'There is no such session, or its stream has ended; open a new one')
    return undefined
  }

  #onInvalid(exchange: Exchange, { link }: Connection, incoming: Extract<Incoming, { kind: 'invalid' }>): void {
    const { id, error, isAnswer } = incoming
    // An answer that cannot be read still ends the request it belongs to.
    if (isAnswer) link.receive(exchange.body, incoming)
    refuseWith(exchange, 400, error, {}, isAnswer ? undefined : id)
  }
}
