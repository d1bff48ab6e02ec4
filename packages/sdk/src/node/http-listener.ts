/** The servers of Node behind one port: HTTP/1.1, HTTP/2 with TLS, or both without. */
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttp2Server, createSecureServer, type Http2SecureServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type ServerOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import type { HttpSite } from '../serve/index.ts'
import type { Clock } from '../session/index.ts'
import type { NodeRequest, NodeResponse } from './http-exchange.ts'
import { watchHttp2 } from './http2-idle.ts'
import { PlainConnections } from './plain-connections.ts'
import { type UpgradeListener, withoutOffer } from './upgrade.ts'

export type TlsOptions = Pick<SecureContextOptions, 'key' | 'cert' | 'ca' | 'pfx' | 'passphrase'>

export interface ListenerOptions {
  tls: TlsOptions | undefined
  http2: boolean
  /** Plain requests, too, are read by `node:http`. */
  viaNodeHttp: boolean
  /** Longest time a request may take to arrive, in milliseconds. */
  requestTimeout: number
  maxConnections: number
  /** Answers plain requests at once; the others by way of `onRequest`. */
  site: HttpSite
  onRequest: (request: NodeRequest, response: NodeResponse) => void
  clock: Clock
}

export interface Upgrades {
  onUpgrade: UpgradeListener
  /** Which offers to upgrade it is there for; the other requests are answered as if they made none. */
  takesUpgrade: (request: IncomingMessage) => boolean
}

type AnyServer = HttpServer | HttpsServer | Http2Server | Http2SecureServer

/** Connections without requests end after this time, in milliseconds; longer than that of most proxies, so that they hang up first. */
const KEEP_ALIVE = 75_000
/** How long a connection may take to say what it wants. */
const HEADERS_TIMEOUT = 10_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_CONCURRENT_STREAMS = 250
/** How long clients have to take what was written last. */
const LAST_WORDS = 1_000

export class HttpListener {
  readonly #servers: readonly AnyServer[]
  readonly #listener: NetServer
  readonly #plain: PlainConnections | undefined
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Set<ServerHttp2Session>()
  #takesUpgrades = false

  constructor(options: ListenerOptions) {
    const { servers, listener, plain } = makeServers(options)
    this.#servers = servers
    this.#plain = plain
    this.#listener = listener
    listener.maxConnections = options.maxConnections
    listener.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    for (const server of servers as readonly HttpServer[]) {
      server.on('session', (session: ServerHttp2Session) => {
        this.#sessions.add(session)
        watchHttp2(session, options.clock, { greeting: HEADERS_TIMEOUT, idle: KEEP_ALIVE })
        session.once('close', () => this.#sessions.delete(session))
      })
    }
  }

  /** Until then offers to upgrade cost nothing. Only the first call counts. */
  takeUpgrades(upgrades: Upgrades): void {
    if (this.#takesUpgrades) return
    this.#takesUpgrades = true
    for (const server of this.#servers as readonly HttpServer[]) takeUpgrades(server, upgrades)
  }

  /** The port it listens on. */
  listen(port: number, host: string): Promise<number> {
    const listener = this.#listener
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        const why = error.code === 'EADDRINUSE' ? `port ${port} of ${host} is in use by another program` : error.message
        reject(new Error(`Cannot listen: ${why}`, { cause: error }))
      }
      listener.once('error', fail)
      listener.listen(port, host, () => {
        listener.off('error', fail)
        listener.on('error', () => {})
        resolve((listener.address() as AddressInfo).port)
      })
    })
  }

  /** Takes no more connections; resolves when the last one has ended. */
  stop(): Promise<void> {
    const stopped = new Promise<void>((resolve) => this.#listener.close(() => resolve()))
    this.#endIdle()
    return stopped
  }

  /** Ends all connections; everything they carried has been answered. */
  async hangUp(): Promise<void> {
    // A response that was ended just now is over for the server only a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    this.#endIdle()
    for (const session of this.#sessions) session.close()
    let timer: NodeJS.Timeout | undefined
    const gone = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, LAST_WORDS)
    })
    await Promise.race([Promise.all(gone), patience])
    clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroy()
    this.#plain?.stop()
  }

  #endIdle(): void {
    this.#plain?.endIdle()
    for (const server of this.#servers) if ('closeIdleConnections' in server) server.closeIdleConnections()
  }
}

interface Made {
  servers: AnyServer[]
  listener: NetServer
  plain?: PlainConnections
}

function makeServers({ tls, http2, viaNodeHttp, requestTimeout, site, onRequest, clock }: ListenerOptions): Made {
  const timeouts = { keepAliveTimeout: KEEP_ALIVE, requestTimeout, headersTimeout: Math.min(requestTimeout, HEADERS_TIMEOUT) }
  const limits = { ...timeouts, noDelay: true, connectionsCheckingInterval: Math.min(requestTimeout, 5_000), maxHeaderSize: MAX_HEADER_BYTES }
  const settings = { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES }
  if (tls !== undefined && http2) {
    const secure = createSecureServer({ ...tls, ...limits, handshakeTimeout: HEADERS_TIMEOUT, allowHTTP1: true, settings } as never, onRequest as never)
    // Its options have no place for these.
    Object.assign(secure, timeouts)
    return { servers: [secure], listener: secure }
  }
  if (tls !== undefined) {
    const secure = createHttpsServer({ ...tls, ...limits, handshakeTimeout: HEADERS_TIMEOUT }, onRequest as never)
    return { servers: [secure], listener: secure }
  }
  const first = createHttpServer(limits, onRequest as never)
  if (viaNodeHttp && !http2) return { servers: [first], listener: first }
  if (!http2) {
    const plain = new PlainConnections({
      site,
      clock,
      greeting: timeouts.headersTimeout,
      idle: KEEP_ALIVE,
      handOver: (socket) => first.emit('connection', socket),
    })
    // As `node:http` has it: who says no more can still be told what was wrong.
    return { servers: [first], listener: listenFor(first, (socket) => plain.take(socket), { allowHalfOpen: true }), plain }
  }
  const second = createHttp2Server({ settings }, onRequest as never)
  return { servers: [first, second], listener: listenFor(first, (socket) => sortConnection(socket, first, second)) }
}

/** Listens in the place of a server that is handed its connections. */
function listenFor(server: HttpServer, take: (socket: Socket) => void, options: ServerOpts = {}): NetServer {
  const listener = createNetServer({ noDelay: true, ...options }, take)
  // Only a server that listens watches over time-outs.
  listener.on('listening', () => server.emit('listening'))
  listener.on('close', () => server.close())
  return listener
}

/** Newer versions of Node ask beforehand; in the others what was taken for an upgrade has to be read once more. */
function takeUpgrades(server: HttpServer, { onUpgrade, takesUpgrade }: Upgrades): void {
  Object.assign(server, { shouldUpgradeCallback: takesUpgrade })
  server.on('upgrade', (request, socket: Duplex, head) => {
    if (takesUpgrade(request)) return onUpgrade(request, socket, head)
    socket.unshift(withoutOffer(request, head))
    server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
  })
}

const PREFACE = 'PRI * HTTP/2'
/** No method of HTTP/1.1 has so many characters in common with the preface. */
const TELLING = 3

/** Both versions on one port: the first bytes of a connection tell which one it speaks. */
function sortConnection(socket: Socket, first: HttpServer, second: Http2Server): void {
  const timer = setTimeout(() => socket.destroy(), HEADERS_TIMEOUT)
  const giveUp = (): void => clearTimeout(timer)
  socket.on('error', () => {})
  socket.once('close', giveUp)
  let seen = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    seen = Buffer.concat([seen, chunk])
    const opening = seen.toString('latin1', 0, PREFACE.length)
    const isSecond = PREFACE.startsWith(opening)
    if (isSecond && seen.length < TELLING) return
    clearTimeout(timer)
    socket.off('data', onData)
    socket.off('close', giveUp)
    socket.pause()
    socket.unshift(seen)
    ;(isSecond ? second : first).emit('connection', socket)
    if (!isSecond) socket.resume()
  }
  socket.on('data', onData)
}
