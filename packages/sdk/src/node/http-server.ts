/** Serves over HTTP on Node: HTTP/1.1, HTTP/2 with TLS and without. */
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttp2Server, createSecureServer, type Http2SecureServer, type Http2Server } from 'node:http2'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { type HttpOptions, HttpSite, type Mount, type Servable } from '../serve/index.ts'
import type { CloseOptions } from '../session/index.ts'
import { isLoopback } from '../transport/index.ts'
import { type CrashReporting, withCrashReports } from './crash-report.ts'
import type { NodeRequest, NodeResponse } from './http-exchange.ts'
import { serveExchange } from './http-serve.ts'
import { pathOf, type WebSocketEndpointOptions, webSocketEndpoint } from './websocket-endpoint.ts'

export interface ServeHttpOptions extends HttpOptions, CrashReporting {
  /** Default 3000; 0 for any that is free. */
  port?: number
  /** The address to listen on. Default `127.0.0.1`; any other needs `allowedHosts`. */
  host?: string
  /** Key and certificate; with them the server speaks HTTPS. */
  tls?: Pick<SecureContextOptions, 'key' | 'cert' | 'ca' | 'pfx' | 'passphrase'>
  /** HTTP/2 beside HTTP/1.1. Default: on with `tls`, where clients choose, and off without. */
  http2?: boolean
  /** Other paths and what answers them. */
  mounts?: Readonly<Record<string, Mount>>
  /** Also serves WebSocket, by the optional package `ws`; `true` for the path `/ws`. Default false. */
  webSocket?: boolean | WebSocketEndpointOptions
  /** Takes requests to upgrade a connection to something else; without it they are refused. */
  onUpgrade?: UpgradeListener
}

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface HttpServing {
  /** Where clients connect to. */
  readonly url: string
  readonly port: number
  /** How many sessions there are. */
  readonly sessions: number
  readonly site: HttpSite
  /** Listens no more, lets running requests finish, ends all sessions and streams. Default: 5 s for what is running. */
  close(options?: CloseOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

type AnyServer = HttpServer | HttpsServer | Http2Server | Http2SecureServer

/** Connections without requests end after this time, in milliseconds; longer than that of most proxies, so that they hang up first. */
const KEEP_ALIVE = 75_000
const MAX_HEADER_BYTES = 16 * 1024
const MAX_CONCURRENT_STREAMS = 250

export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServing> {
  const { port = 3000, host = '127.0.0.1', tls, mounts = {}, webSocket = false } = options
  if (options.allowedHosts === undefined && !isLoopback(host)) {
    throw new TypeError(
      `serveHttp on ${host} can be reached from elsewhere: list the names it is reached by in allowedHosts, such as ['mcp.example.com'], or 'any' behind a proxy that checks them`,
    )
  }
  const reporting = withCrashReports(server, options.crashReports)
  const site = new HttpSite(reporting.server, options)
  for (const [path, mount] of Object.entries(mounts)) site.mount(path, mount)
  const onUpgrade = webSocket === false ? options.onUpgrade : await mountWebSocket(reporting.server, site, options, webSocket === true ? {} : webSocket)
  const { servers, listener } = makeServers(site, tls, options.http2 ?? tls !== undefined)
  for (const one of servers) if (onUpgrade !== undefined) one.on('upgrade', onUpgrade as never)
  const sockets = trackSockets(listener)
  listener.once('close', reporting.stop)
  try {
    await listen(listener, port, host)
  } catch (error) {
    reporting.stop()
    throw error
  }
  return new Serving(site, listener, servers, sockets, tls === undefined ? 'http' : 'https', host)
}

async function mountWebSocket(server: Servable, site: HttpSite, options: ServeHttpOptions, own: WebSocketEndpointOptions): Promise<UpgradeListener> {
  const { allowedHosts, allowedOrigins, session, onUpgrade } = options
  const shared = { ...(allowedHosts === undefined ? {} : { allowedHosts }), ...(allowedOrigins === undefined ? {} : { allowedOrigins }) }
  const endpoint = await webSocketEndpoint(server, { ...shared, ...(session === undefined ? {} : { session }), ...own })
  site.mount(endpoint.path, endpoint)
  if (onUpgrade === undefined) return endpoint.onUpgrade
  return (request, socket, head) => (pathOf(request.url ?? '/') === endpoint.path ? endpoint : { onUpgrade }).onUpgrade(request, socket, head)
}

class Serving implements HttpServing {
  readonly url: string
  readonly port: number
  readonly site: HttpSite
  readonly #listener: NetServer
  readonly #servers: readonly AnyServer[]
  readonly #sockets: ReadonlySet<Socket>
  #closing: Promise<void> | undefined

  constructor(site: HttpSite, listener: NetServer, servers: readonly AnyServer[], sockets: ReadonlySet<Socket>, scheme: string, host: string) {
    this.site = site
    this.#listener = listener
    this.#servers = servers
    this.#sockets = sockets
    this.port = (listener.address() as AddressInfo).port
    this.url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${this.port}${site.settings.path}`
  }

  get sessions(): number {
    return this.site.sessions
  }

  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(options: CloseOptions): Promise<void> {
    const stopped = new Promise<void>((resolve) => this.#listener.close(() => resolve()))
    await this.site.close(options)
    // What was answered last is on its way; connections that carry nothing any more are ended.
    for (const one of this.#servers) if ('closeIdleConnections' in one) one.closeIdleConnections()
    await flushed(this.#sockets)
    for (const socket of this.#sockets) socket.destroy()
    await stopped
  }
}

function makeServers(site: HttpSite, tls: ServeHttpOptions['tls'], http2: boolean): { servers: AnyServer[]; listener: NetServer } {
  const onRequest = (request: NodeRequest, response: NodeResponse): void => serveExchange(site, request, response)
  const { requestTimeout } = site.settings
  const limits = {
    keepAlive: true,
    keepAliveTimeout: KEEP_ALIVE,
    noDelay: true,
    requestTimeout,
    headersTimeout: Math.min(requestTimeout, 10_000),
    connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const settings = { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES }
  if (tls !== undefined) {
    const secure = http2
      ? createSecureServer({ ...tls, ...limits, allowHTTP1: true, settings } as never, onRequest as never)
      : createHttpsServer({ ...tls, ...limits }, onRequest as never)
    return { servers: [secure], listener: secure }
  }
  const plain = createHttpServer(limits, onRequest as never)
  if (!http2) return { servers: [plain], listener: plain }
  const second = createHttp2Server({ settings }, onRequest as never)
  return { servers: [plain, second], listener: createNetServer({ noDelay: true }, (socket) => sortConnection(socket, plain, second)) }
}

const PREFACE = 'PRI * HTTP/2'

/** Both versions on one port: the first bytes of a connection tell which one it speaks. */
function sortConnection(socket: Socket, first: HttpServer, second: Http2Server): void {
  socket.on('error', () => {})
  const timer = setTimeout(() => socket.destroy(), 10_000)
  socket.once('close', () => clearTimeout(timer))
  socket.once('data', (chunk: Buffer) => {
    clearTimeout(timer)
    socket.pause()
    socket.unshift(chunk)
    const isSecond = chunk.subarray(0, PREFACE.length).toString('latin1') === PREFACE.slice(0, chunk.length)
    ;(isSecond ? second : first).emit('connection', socket)
    if (!isSecond) socket.resume()
  })
}

function trackSockets(listener: NetServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** Until everything written has left, or a moment has passed. */
async function flushed(sockets: ReadonlySet<Socket>): Promise<void> {
  const deadline = Date.now() + 1000
  while ([...sockets].some((socket) => socket.writableLength > 0) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function listen(listener: NetServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const why = error.code === 'EADDRINUSE' ? `port ${port} of ${host} is in use by another program` : error.message
      reject(new Error(`Cannot listen: ${why}`, { cause: error }))
    }
    listener.once('error', fail)
    listener.listen(port, host, () => {
      listener.off('error', fail)
      listener.on('error', () => {})
      resolve()
    })
  })
}
