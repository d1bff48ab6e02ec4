/** Serves over HTTP on Node: HTTP/1.1, HTTP/2 with TLS and without. */
import type { IncomingMessage } from 'node:http'
import { type HttpOptions, HttpSite, type Mount, type Servable } from '../serve/index.ts'
import type { CloseOptions } from '../session/index.ts'
import { isLoopback } from '../transport/index.ts'
import { type CrashReporting, withCrashReports } from './crash-report.ts'
import { HttpListener, type ListenerOptions, type TlsOptions } from './http-listener.ts'
import { serveExchange } from './http-serve.ts'
import { asksForWebSocket, type UpgradeListener } from './upgrade.ts'
import { pathOf, type WebSocketEndpointOptions, webSocketEndpoint } from './websocket-endpoint.ts'

export interface ServeHttpOptions extends HttpOptions, CrashReporting {
  /** Default 3000; 0 for any that is free. */
  port?: number
  /** The address to listen on. Default `127.0.0.1`; any other needs `allowedHosts`. */
  host?: string
  /** Key and certificate; with them the server speaks HTTPS. */
  tls?: TlsOptions
  /** HTTP/2 beside HTTP/1.1. Default: on with `tls`, where clients choose, and off without. */
  http2?: boolean
  /** Most connections at once; more are not taken. Default 20 000. */
  maxConnections?: number
  /** Other paths and what answers them. */
  mounts?: Readonly<Record<string, Mount>>
  /** Also serves WebSocket, by the optional package `ws`; `true` for the path `/ws`. Default false. */
  webSocket?: boolean | WebSocketEndpointOptions
  /** Takes requests to upgrade a connection to something else; without it they are answered like any other. */
  onUpgrade?: UpgradeListener
}

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
  const upgrades =
    webSocket === false ? { onUpgrade: options.onUpgrade } : await mountWebSocket(reporting.server, site, options, webSocket === true ? {} : webSocket)
  const listener = new HttpListener({
    tls,
    http2: options.http2 ?? tls !== undefined,
    requestTimeout: site.settings.requestTimeout,
    maxConnections: options.maxConnections ?? 20_000,
    onRequest: (request, response) => serveExchange(site, request, response),
    ...upgrades,
    clock: site.settings.clock,
  })
  try {
    const address = { scheme: tls === undefined ? 'http' : 'https', host, port: await listener.listen(port, host) }
    return new Serving(site, listener, address, reporting.stop)
  } catch (error) {
    reporting.stop()
    throw error
  }
}

type Upgrades = Pick<ListenerOptions, 'onUpgrade' | 'takesUpgrade'>

async function mountWebSocket(server: Servable, site: HttpSite, options: ServeHttpOptions, own: WebSocketEndpointOptions): Promise<Upgrades> {
  const { allowedHosts, allowedOrigins, session, onUpgrade } = options
  const shared = { ...(allowedHosts === undefined ? {} : { allowedHosts }), ...(allowedOrigins === undefined ? {} : { allowedOrigins }) }
  const endpoint = await webSocketEndpoint(server, { ...shared, ...(session === undefined ? {} : { session }), ...own })
  site.mount(endpoint.path, endpoint)
  if (onUpgrade === undefined) return { onUpgrade: endpoint.onUpgrade, takesUpgrade: asksForWebSocket }
  const isOurs = ({ url = '/' }: IncomingMessage): boolean => pathOf(url) === endpoint.path
  return {
    onUpgrade: (request, socket, head) => (isOurs(request) ? endpoint : { onUpgrade }).onUpgrade(request, socket, head),
    takesUpgrade: (request) => !isOurs(request) || asksForWebSocket(request),
  }
}

class Serving implements HttpServing {
  readonly url: string
  readonly port: number
  readonly site: HttpSite
  readonly #listener: HttpListener
  readonly #onClosed: () => void
  #closing: Promise<void> | undefined

  constructor(site: HttpSite, listener: HttpListener, { scheme, host, port }: { scheme: string; host: string; port: number }, onClosed: () => void) {
    this.site = site
    this.port = port
    this.url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${site.settings.path}`
    this.#listener = listener
    this.#onClosed = onClosed
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
    const stopped = this.#listener.stop()
    await this.site.close(options)
    await this.#listener.hangUp()
    await stopped
    this.#onClosed()
  }
}
