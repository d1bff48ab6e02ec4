/** Takes WebSocket handshakes on one path of an HTTP server and makes a conversation of each. */
import type { IncomingMessage } from 'node:http'
import type { WebSocketServer } from 'ws'
import { DEFAULT_LIMITS } from '../../jsonrpc/index.ts'
import {
  admission,
  type HeldPlace,
  type HintOptions,
  type HttpOptions,
  type Mount,
  type Opener,
  type Places,
  type Servable,
  TOO_MANY,
  turnAway,
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
  barred,
  type Objection,
  pathOf,
  refuseUpgrade,
  type UpgradeListener,
} from '../http/upgrade.ts'
import { loadWs } from './library.ts'

export interface WebSocketEndpointOptions extends GuardOptions, HintOptions {
  /** Default `/ws`. */
  path?: string
  /** Default 1000; one more is refused (503). */
  maxConnections?: number
  /** Most bytes that wait for a client that does not read. Default 64 Mi. */
  maxBuffered?: number
  /** Whom the handshake comes from. Default: nobody in particular. */
  principal?: HttpOptions['principal']
  /** Settings of the sessions; what is left out is taken from the server. */
  session?: Omit<AcceptOptions, 'id'>
}

/**
 * For `serveHttp`: `mounts: { [endpoint.path]: endpoint }` and `onUpgrade: endpoint.onUpgrade`; it then ends with the
 * server. Messages up to twice the limit are answered with an error; what sends longer ones is hung up on (1009).
 */
export interface WebSocketEndpoint extends Mount {
  readonly path: string
  readonly sessions: readonly Session[]
  readonly onUpgrade: UpgradeListener
  /** Takes no new clients, lets running requests finish, and hangs up. */
  close(options?: CloseOptions): Promise<void>
}

export function webSocketEndpoint(
  server: Servable,
  options: WebSocketEndpointOptions = {},
): Promise<WebSocketEndpoint> {
  return webSocketEndpointWithin(UNBOUNDED, server, options)
}

/** One whose sessions take places that they share with others. */
export async function webSocketEndpointWithin(
  places: Places,
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
  return new Endpoint(server, options, handshakes, places)
}

const UNBOUNDED: Places = { take: () => ({ session: undefined, leave: () => {} }) }

class Endpoint implements WebSocketEndpoint {
  readonly path: string
  readonly #server: Servable
  readonly #options: WebSocketEndpointOptions
  readonly #handshakes: WebSocketServer
  readonly #places: Places
  readonly #guard: Guard
  readonly #maxConnections: number
  readonly #sessions = new Set<Session>()
  #closing = false

  constructor(server: Servable, options: WebSocketEndpointOptions, handshakes: WebSocketServer, places: Places) {
    server.ready?.()
    this.path = options.path ?? '/ws'
    this.#server = server
    this.#options = options
    this.#handshakes = handshakes
    this.#places = places
    this.#guard = new Guard(options)
    this.#maxConnections = options.maxConnections ?? 1000
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions]
  }

  /** Requests that ask for no WebSocket. */
  handle(exchange: Exchange): void {
    turnAway(exchange, this.#options, 426, 'This path takes WebSocket connections only', { upgrade: 'websocket' })
  }

  readonly onUpgrade: UpgradeListener = (request, socket, head) => {
    socket.on('error', () => {})
    const objection = this.#objection(request)
    if (objection !== undefined) return refuseUpgrade(socket, objection)
    const opener = this.#openerOf(request)
    if (opener === undefined) return refuseUpgrade(socket, [500, 'internal_error', 'Internal error'])
    const place = this.#places.take(holderOf(opener.principal, opener.address))
    if (place === undefined) return refuseUpgrade(socket, [503, 'refusal_unavailable', TOO_MANY])
    let begun = false
    this.#handshakes.handleUpgrade(request, socket, head, (webSocket) => {
      begun = this.#take(webSocket, opener, place)
    })
    if (!begun) place.leave()
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
    const objection = barred(request, this.#guard)
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

  /** `undefined` when the owner's own function has failed. */
  #openerOf({ headers, socket }: IncomingMessage): Opener | undefined {
    try {
      const principal = this.#options.principal?.({ header: (name) => headers[name.toLowerCase()]?.toString() })
      return { principal, address: socket.remoteAddress }
    } catch {
      return undefined
    }
  }

  /** Whether there is a conversation now. */
  #take(webSocket: SocketLike, opener: Opener, place: HeldPlace): boolean {
    const { maxBuffered, session: settings = {} } = this.#options
    try {
      const session = this.#server.accept(
        webSocketLink(webSocket, maxBuffered === undefined ? {} : { maxBuffered }),
        admission(settings, opener),
      )
      place.session = session
      this.#sessions.add(session)
      session.onClose(() => {
        this.#sessions.delete(session)
        place.leave()
      })
      if (this.#closing) void session.close({ drain: 0 })
      return true
    } catch {
      webSocket.close(1011, 'Internal error')
      return false
    }
  }
}
