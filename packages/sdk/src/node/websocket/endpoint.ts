/** Accepts WebSocket handshakes on one path of an HTTP server and opens a session for each. */
import type { IncomingMessage } from 'node:http'
import type { WebSocketServer } from 'ws'
import { DEFAULT_LIMITS } from '../../jsonrpc/index.ts'
import {
  admission,
  type HintOptions,
  type HttpOptions,
  type Mount,
  type Opener,
  refuseWithHint,
  type Servable,
  type SessionSlot,
  type SessionSlots,
  TOO_MANY_SESSIONS,
} from '../../serve/index.ts'
import { type AcceptOptions, type CloseOptions, holderOf, type Session } from '../../session/index.ts'
import {
  type Exchange,
  Guard,
  type GuardOptions,
  type SocketLike,
  SUBPROTOCOL,
  webSocketLink,
} from '../../transport/index.ts'
import {
  asksForWebSocket,
  type Objection,
  pathOf,
  refuseUpgrade,
  type UpgradeListener,
  upgradeObjection,
} from '../http/upgrade.ts'
import { loadWs } from './library.ts'

export interface WebSocketEndpointOptions extends GuardOptions, HintOptions {
  /** Default `/ws`. */
  path?: string
  /** More connections are refused (503). Default 1000. */
  maxConnections?: number
  /** Most bytes that are buffered for a client that does not read. Default 64 Mi. */
  maxBuffered?: number
  /** The user or client that the handshake comes from. Default: unknown. */
  principal?: HttpOptions['principal']
  /** Settings of the sessions. Default: those of the server. */
  session?: Omit<AcceptOptions, 'id'>
}

/**
 * To use it with `serveHttp`: `mounts: { [endpoint.path]: endpoint }` and `onUpgrade: endpoint.onUpgrade`. It is then
 * closed with the server. A message over the limit is answered with an error; over twice the limit, the connection is
 * closed (1009).
 */
export interface WebSocketEndpoint extends Mount {
  readonly path: string
  readonly sessions: readonly Session[]
  readonly onUpgrade: UpgradeListener
  /** Accepts no new clients, lets running requests finish, and closes the connections. */
  close(options?: CloseOptions): Promise<void>
}

export function webSocketEndpoint(
  server: Servable,
  options: WebSocketEndpointOptions = {},
): Promise<WebSocketEndpoint> {
  return webSocketEndpointWithin(UNLIMITED, server, options)
}

/** The sessions count toward the limit of `slots`. */
export async function webSocketEndpointWithin(
  slots: SessionSlots,
  server: Servable,
  options: WebSocketEndpointOptions,
): Promise<WebSocketEndpoint> {
  const { WebSocketServer } = await loadWs()
  const { maxBytes } = { ...DEFAULT_LIMITS, ...server.limits, ...options.session?.limits }
  const handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs memory for every connection, and a small message can grow large.
    perMessageDeflate: false,
    maxPayload: maxBytes * 2,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  })
  return new Endpoint(server, options, handshakes, slots)
}

const UNLIMITED: SessionSlots = { reserve: () => ({ attach: () => {}, release: () => {} }) }

class Endpoint implements WebSocketEndpoint {
  readonly path: string
  readonly #server: Servable
  readonly #options: WebSocketEndpointOptions
  readonly #handshakes: WebSocketServer
  readonly #slots: SessionSlots
  readonly #guard: Guard
  readonly #maxConnections: number
  readonly #sessions = new Set<Session>()
  #closing = false

  constructor(server: Servable, options: WebSocketEndpointOptions, handshakes: WebSocketServer, slots: SessionSlots) {
    server.ready?.()
    this.path = options.path ?? '/ws'
    this.#server = server
    this.#options = options
    this.#handshakes = handshakes
    this.#slots = slots
    this.#guard = new Guard(options)
    this.#maxConnections = options.maxConnections ?? 1000
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions]
  }

  /** For requests without an upgrade to WebSocket. */
  handle(exchange: Exchange): void {
    refuseWithHint(exchange, this.#options, 426, 'This path takes WebSocket connections only', { upgrade: 'websocket' })
  }

  readonly onUpgrade: UpgradeListener = (request, socket, head) => {
    socket.on('error', () => {})
    const objection = this.#objection(request)
    if (objection !== undefined) return refuseUpgrade(socket, objection)
    const opener = this.#openerOf(request)
    if (opener === undefined) return refuseUpgrade(socket, [500, 'internal_error', 'Internal error'])
    const slot = this.#slots.reserve(holderOf(opener.principal, opener.address))
    if (slot === undefined) return refuseUpgrade(socket, [503, 'refusal_unavailable', TOO_MANY_SESSIONS])
    let accepted = false
    this.#handshakes.handleUpgrade(request, socket, head, (webSocket) => {
      accepted = this.#accept(webSocket, opener, slot)
    })
    if (!accepted) slot.release()
  }

  count(): number {
    return this.#sessions.size
  }

  async close(options?: CloseOptions): Promise<void> {
    this.#closing = true
    await Promise.all([...this.#sessions].map((session) => session.close(options)))
  }

  #objection(request: IncomingMessage): Objection | undefined {
    const { headers } = request
    const objection = upgradeObjection(request, this.#guard)
    if (objection !== undefined) return objection
    if (!asksForWebSocket(request))
      return [
        400,
        'invalid_request',
        `Connections are upgraded to websocket only, at ${this.path}; leave the header Upgrade out`,
      ]
    if (pathOf(request) !== this.path)
      return [404, 'invalid_request', `Nothing is served at this path; WebSockets are taken at ${this.path}`]
    if (this.#closing) return [503, 'refusal_unavailable', 'The server is shutting down']
    if (this.#sessions.size >= this.#maxConnections)
      return [503, 'refusal_unavailable', `This server takes at most ${this.#maxConnections} connections`]
    const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim())
    if (offered !== undefined && !offered.includes(SUBPROTOCOL))
      return [400, 'invalid_request', `The subprotocol of this server is ${SUBPROTOCOL}`]
    return undefined
  }

  /** `undefined` if the `principal` function threw. */
  #openerOf({ headers, socket }: IncomingMessage): Opener | undefined {
    try {
      const principal = this.#options.principal?.({ header: (name) => headers[name.toLowerCase()]?.toString() })
      return { principal, address: socket.remoteAddress }
    } catch {
      return undefined
    }
  }

  /** Returns whether a session was opened. */
  #accept(webSocket: SocketLike, opener: Opener, slot: SessionSlot): boolean {
    const { maxBuffered, session: settings = {} } = this.#options
    try {
      const session = this.#server.accept(
        webSocketLink(webSocket, maxBuffered === undefined ? {} : { maxBuffered }),
        admission(settings, opener),
      )
      slot.attach(session)
      this.#sessions.add(session)
      session.onClose(() => {
        this.#sessions.delete(session)
        slot.release()
      })
      if (this.#closing) void session.close({ drain: 0 })
      return true
    } catch {
      webSocket.close(1011, 'Internal error')
      return false
    }
  }
}
