/** The servers of Node behind one port: HTTP/1.1, HTTP/2 with TLS, or both without TLS. */
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from 'node:http'
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from 'node:http2'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { ParleyError } from '../../errors/index.ts'
import type { HttpSite } from '../../serve/index.ts'
import type { Clock } from '../../session/index.ts'
import { FastConnections } from '../fast-http/connections.ts'
import type { NodeRequest, NodeResponse } from './exchange.ts'
import { type UpgradeListener, withoutOffer } from './upgrade.ts'

export type TlsOptions = Pick<SecureContextOptions, 'key' | 'cert' | 'ca' | 'pfx' | 'passphrase'>

export interface ListenerOptions {
  tls: TlsOptions | undefined
  http2: boolean
  /** Ordinary requests are read by `FastConnections`; no effect with TLS or HTTP/2. */
  fastHttp: boolean
  /** Longest time a request may take to arrive, in milliseconds. */
  requestTimeout: number
  maxConnections: number
  /** Answers the requests that `FastConnections` reads; all others go to `onRequest`. */
  site: HttpSite
  onRequest: (request: NodeRequest, response: NodeResponse) => void
  clock: Clock
}

export interface Upgrades {
  onUpgrade: UpgradeListener
  /** Whether `onUpgrade` takes this offer. Other requests are answered as if they made no offer. */
  takesUpgrade: (request: IncomingMessage) => boolean
}

type AnyServer = HttpServer | HttpsServer | Http2Server | Http2SecureServer

/**
 * Connections without requests end after this time, in milliseconds. It is longer than the limit of most proxies, so
 * that the proxy closes first.
 */
const KEEP_ALIVE_TIMEOUT = 75_000
/** How long the head of a request, or the start of a connection, may take to arrive. */
const HEADERS_TIMEOUT = 10_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_CONCURRENT_STREAMS = 250
/** How long clients have at the end to read what was written last. */
const FLUSH_TIMEOUT = 1_000
/** The first byte of a TLS connection: a handshake record. */
const TLS_HANDSHAKE = 0x16

export class HttpListener {
  readonly #servers: readonly AnyServer[]
  /** The one that listens. */
  readonly #server: AnyServer
  readonly #fast: FastConnections | undefined
  readonly #handToNode: (socket: Duplex) => void
  readonly #site: HttpSite
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Set<ServerHttp2Session>()
  #takesUpgrades = false
  #reportedTls = false

  constructor(options: ListenerOptions) {
    const { server, second, fast, handToNode } = makeServers(options)
    this.#server = server
    this.#servers = second === undefined ? [server] : [server, second]
    this.#fast = fast
    this.#handToNode = handToNode
    this.#site = options.site
    server.maxConnections = options.maxConnections
    ;(server as HttpServer).on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
      if (options.tls === undefined) socket.on('error', (error) => this.#reportTls(error))
    })
    for (const each of this.#servers as readonly HttpServer[]) {
      each.on('session', (session: ServerHttp2Session) => {
        this.#sessions.add(session)
        endIdleSession(session, options.clock)
        session.once('close', () => this.#sessions.delete(session))
      })
    }
  }

  /** Until then offers to upgrade cost nothing. Only the first call counts. */
  takeUpgrades({ onUpgrade, takesUpgrade }: Upgrades): void {
    if (this.#takesUpgrades) return
    this.#takesUpgrades = true
    for (const server of this.#servers as readonly HttpServer[]) {
      // Newer versions of Node ask beforehand. In the others, a request whose offer is not taken is read once more.
      Object.assign(server, { shouldUpgradeCallback: takesUpgrade })
      server.on('upgrade', (request, socket: Duplex, head) => {
        if (takesUpgrade(request)) return onUpgrade(request, socket, head)
        socket.unshift(withoutOffer(request, head))
        this.#handToNode(socket)
      })
    }
  }

  /** The port it listens on. */
  listen(port: number, host: string): Promise<number> {
    const server = this.#server
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        const why = error.code === 'EADDRINUSE' ? `port ${port} of ${host} is in use by another program` : error.message
        reject(new Error(`Cannot listen: ${why}`, { cause: error }))
      }
      server.once('error', fail)
      server.listen(port, host, () => {
        server.off('error', fail)
        server.on('error', () => {})
        resolve((server.address() as AddressInfo).port)
      })
    })
  }

  /** Takes no more connections; resolves when the last one has ended. */
  stop(): Promise<void> {
    const stopped = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#endIdle()
    return stopped
  }

  /** Ends all connections; every request they carried has been answered. */
  async closeConnections(): Promise<void> {
    // A response that was ended just now is over for the server only a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    this.#endIdle()
    for (const session of this.#sessions) session.close()
    let timer: NodeJS.Timeout | undefined
    const allClosed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, FLUSH_TIMEOUT)
    })
    await Promise.race([Promise.all(allClosed), timeout])
    clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroy()
    this.#fast?.stop()
  }

  #endIdle(): void {
    this.#fast?.endIdle()
    for (const server of this.#servers) if ('closeIdleConnections' in server) server.closeIdleConnections()
  }

  /** The client cannot read the answer, so the owner of the server is told. Once, because of port scanners. */
  #reportTls({ rawPacket }: Error & { rawPacket?: Buffer }): void {
    if (this.#reportedTls || rawPacket?.[0] !== TLS_HANDSHAKE) return
    this.#reportedTls = true
    const message = 'A client speaks TLS to a port that does not: its address should begin with http:// or ws://'
    this.#site.report(new ParleyError('transport_error', { message }))
  }
}

interface Made {
  server: AnyServer
  /** HTTP/2 without TLS. */
  second?: Http2Server
  fast?: FastConnections
  /** Has a connection read by the server of HTTP/1.1. */
  handToNode: (socket: Duplex) => void
}

function makeServers({ tls, http2, fastHttp, requestTimeout, site, onRequest, clock }: ListenerOptions): Made {
  const timeouts = {
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    requestTimeout,
    headersTimeout: Math.min(requestTimeout, HEADERS_TIMEOUT),
  }
  const limits = {
    ...timeouts,
    noDelay: true,
    connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const settings = { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES }
  if (tls !== undefined) {
    const options = { ...tls, ...limits, handshakeTimeout: HEADERS_TIMEOUT }
    const secure = http2
      ? createSecureServer({ ...options, allowHTTP1: true, settings } as never, onRequest as never)
      : createHttpsServer(options, onRequest as never)
    // The options of HTTP/2 do not include the timeouts.
    Object.assign(secure, timeouts)
    return { server: secure, handToNode: (socket) => void secure.emit('secureConnection', socket) }
  }
  const server = createHttpServer(limits, onRequest as never)
  if (http2) {
    const second = createHttp2Server({ settings }, onRequest as never)
    const handToNode = takeConnections(server, (socket) => sortConnection(socket, handToNode, second))
    return { server, second, handToNode }
  }
  if (!fastHttp) return { server, handToNode: (socket) => void server.emit('connection', socket) }
  const { headersTimeout, keepAliveTimeout } = timeouts
  const handToNode = takeConnections(server, (socket) => fast.take(socket))
  const fast = new FastConnections({ site, clock, headersTimeout, keepAliveTimeout, handToNode })
  return { server, fast, handToNode }
}

/** Has new connections given to `take`. Returns the function that the server used until now. */
function takeConnections(server: HttpServer, take: (socket: Socket) => void): (socket: Duplex) => void {
  const [listener] = server.listeners('connection') as [(socket: Duplex) => void]
  server.off('connection', listener)
  server.on('connection', take)
  return (socket) => listener.call(server, socket)
}

const HTTP2_PREFACE = 'PRI * HTTP/2'
/** No method of HTTP/1.1 has so many characters in common with the preface. */
const DISTINCT_LENGTH = 3

/** Both versions on one port: the first bytes of a connection tell its version. */
function sortConnection(socket: Socket, first: (socket: Socket) => void, second: Http2Server): void {
  socket.allowHalfOpen = false
  const timer = setTimeout(() => socket.destroy(), HEADERS_TIMEOUT)
  const giveUp = (): void => clearTimeout(timer)
  socket.on('error', () => {})
  socket.once('close', giveUp)
  let seen = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    seen = Buffer.concat([seen, chunk])
    const opening = seen.toString('latin1', 0, HTTP2_PREFACE.length)
    const isSecond = HTTP2_PREFACE.startsWith(opening)
    if (isSecond && seen.length < DISTINCT_LENGTH) return
    clearTimeout(timer)
    socket.off('data', onData)
    socket.off('close', giveUp)
    socket.pause()
    socket.unshift(seen)
    if (isSecond) return void second.emit('connection', socket)
    first(socket)
    socket.resume()
  }
  socket.on('data', onData)
}

/** Ends an HTTP/2 connection without requests. Node does this for HTTP/1.1 only. */
function endIdleSession(session: ServerHttp2Session, clock: Clock): void {
  let open = 0
  // After a graceful close the connection would last until the client ends it.
  const end = (): void => session.destroy()
  let cancel = clock.after(HEADERS_TIMEOUT, end)
  const startTimer = (): void => {
    if (open > 0 || session.destroyed) return
    cancel()
    cancel = clock.after(KEEP_ALIVE_TIMEOUT, end)
  }
  session.once('remoteSettings', startTimer)
  session.on('stream', (stream) => {
    open++
    cancel()
    stream.once('close', () => {
      open--
      startTimer()
    })
  })
  session.once('close', () => cancel())
}
