/** `serveHttp` and `serveSite`: one or more servers behind one port of Node, with HTTP/1.1 and HTTP/2. */
import {
  type HttpOptions,
  HttpSite,
  type Mount,
  type Servable,
  type Served,
  type ServedMounts,
  type ServedPaths,
  type SiteOptions,
} from '../../serve/index.ts'
import type { CloseOptions } from '../../session/index.ts'
import { isLoopback } from '../../transport/index.ts'
import { CrashReporter, type CrashReporting } from '../crash-report/reporter.ts'
import {
  type WebSocketEndpoint,
  type WebSocketEndpointOptions,
  webSocketEndpointWithin,
} from '../websocket/endpoint.ts'
import { HttpListener, type TlsOptions } from './listener.ts'
import { serveExchange } from './request-handler.ts'
import { siteUpgrades } from './site-upgrades.ts'
import type { UpgradeListener } from './upgrade.ts'

/** Where a site listens, and settings beside those of its servers. */
export interface ServeSiteOptions extends SiteOptions, CrashReporting {
  /** Default 3000. 0: any free port. */
  port?: number
  /** The address to listen on. Default `127.0.0.1`. Any other address needs `allowedHosts`. */
  host?: string
  /** Key and certificate for HTTPS. */
  tls?: TlsOptions
  /** Whether to serve HTTP/2 beside HTTP/1.1. Default: with `tls`, because clients then choose; not without. */
  http2?: boolean
  /**
   * Reads ordinary requests of HTTP/1.1 without `node:http`, which is faster. Tracers and other tools that watch
   * `node:http` do not see these requests. No effect with TLS or HTTP/2. Default false.
   */
  fastHttp?: boolean
  /** Most connections at once. More are refused. Default 20 000. */
  maxConnections?: number
  /** Other paths and their mounts. */
  mounts?: Readonly<Record<string, Mount>>
  /** Handles requests to upgrade a connection. Without it, they are answered like other requests. */
  onUpgrade?: UpgradeListener
}

/** The paths of a server of a site. */
export interface SitePaths extends ServedPaths, ServedMounts {
  /** Also serves WebSocket. Needs the package `ws`. `true`: at the path `/ws`. Default false. */
  webSocket?: boolean | WebSocketEndpointOptions
}

export interface SiteServing {
  /** Without a path. */
  readonly url: string
  readonly port: number
  /** The number of sessions of all servers. */
  readonly sessions: number
  readonly site: HttpSite
  /** Serves one more server, until the returned object is closed. Fails if one of the paths is taken. */
  serve(server: Servable, paths?: SitePaths): Promise<Served>
  /** Stops listening, lets running requests finish (default: 5 s), and ends all sessions and streams. */
  close(options?: CloseOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const DEFAULT_HOST = '127.0.0.1'

/** A site whose servers can change while it listens. `prepare` adds servers before it listens. */
export async function serveSite(
  options: ServeSiteOptions = {},
  prepare?: (serving: SiteServing) => Promise<unknown>,
): Promise<SiteServing> {
  const serving = new SiteServer('serveSite', options, '')
  await serving.start(() => prepare?.(serving))
  return serving
}

export interface ServeHttpOptions extends HttpOptions, ServeSiteOptions {
  /** Also serves WebSocket. Needs the package `ws`. `true`: at the path `/ws`. Default false. */
  webSocket?: boolean | WebSocketEndpointOptions
}

export interface HttpServing {
  /** The address for clients. */
  readonly url: string
  readonly port: number
  /** The number of sessions. */
  readonly sessions: number
  readonly site: HttpSite
  /** Stops listening, lets running requests finish (default: 5 s), and ends all sessions and streams. */
  close(options?: CloseOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServing> {
  // The mounts belong to the server, so that they get its limits.
  const serving = new SiteServer('serveHttp', { ...options, mounts: {} }, options.path ?? '/mcp')
  await serving.start(() => serving.serve(server, options))
  return serving
}

class SiteServer implements SiteServing {
  readonly site: HttpSite
  readonly #path: string
  #port = 0
  readonly #options: ServeSiteOptions
  readonly #listener: HttpListener
  readonly #reporter: CrashReporter | undefined
  #closing: Promise<void> | undefined

  /** `caller`: the public function, for error messages. `path`: the path in `url`. */
  constructor(caller: string, options: ServeSiteOptions, path: string) {
    requireHosts(caller, options)
    this.#path = path
    const { tls, mounts = {}, crashReports } = options
    this.#options = options
    this.site = new HttpSite(options)
    for (const [path, mount] of Object.entries(mounts)) this.site.mount(path, mount)
    const { requestTimeout, clock } = this.site.settings
    this.#listener = new HttpListener({
      tls,
      http2: options.http2 ?? tls !== undefined,
      fastHttp: options.fastHttp ?? false,
      requestTimeout,
      maxConnections: options.maxConnections ?? 20_000,
      site: this.site,
      onRequest: (request, response) => serveExchange(this.site, request, response),
      clock,
    })
    if (options.onUpgrade !== undefined) this.#takeUpgrades()
    this.#reporter = crashReports === undefined ? undefined : new CrashReporter(crashReports)
  }

  get url(): string {
    const { tls, host = DEFAULT_HOST } = this.#options
    return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${this.#port}${this.#path}`
  }

  get port(): number {
    return this.#port
  }

  get sessions(): number {
    return this.site.sessions
  }

  async serve(
    server: Servable,
    { webSocket = false, path, sse = false, mounts = {} }: SitePaths = {},
  ): Promise<Served> {
    const watched = this.#reporter?.watching(server) ?? server
    const where = { ...(path === undefined ? {} : { path }), sse }
    if (webSocket === false) return this.site.serve(watched, { ...where, mounts })
    const endpoint = await this.#webSockets(watched, webSocket === true ? {} : webSocket)
    if (Object.hasOwn(mounts, endpoint.path)) throw new TypeError(`Path ${endpoint.path} is taken`)
    const served = this.site.serve(watched, { ...where, mounts: { ...mounts, [endpoint.path]: endpoint } })
    this.#takeUpgrades()
    return served
  }

  /** Starts to listen after `prepare`, so that the first client finds all servers. */
  async start(prepare: () => Promise<unknown> | undefined): Promise<void> {
    const { port = 3000, host = DEFAULT_HOST } = this.#options
    try {
      await prepare()
      this.#port = await this.#listener.listen(port, host)
    } catch (error) {
      this.#reporter?.stop()
      throw error
    }
  }

  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #takeUpgrades(): void {
    this.#listener.takeUpgrades(siteUpgrades(this.site, this.#options.onUpgrade))
  }

  #webSockets(server: Servable, own: WebSocketEndpointOptions): Promise<WebSocketEndpoint> {
    const { allowedHosts, allowedOrigins, hint, principal, session } = this.#options
    return webSocketEndpointWithin(this.site.sessionSlots, server, {
      ...defined({ allowedHosts, allowedOrigins, hint, principal, session }),
      ...own,
    })
  }

  async #close(options: CloseOptions): Promise<void> {
    const stopped = this.#listener.stop()
    await this.site.close(options)
    await this.#listener.closeConnections()
    await stopped
    this.#reporter?.stop()
  }
}

function requireHosts(caller: string, { host = DEFAULT_HOST, allowedHosts }: ServeSiteOptions): void {
  if (allowedHosts !== undefined || isLoopback(host)) return
  throw new TypeError(
    `${caller} on ${host} can be reached from elsewhere: list the names it is reached by in allowedHosts, such as ['mcp.example.com'], or 'any' behind a proxy that checks them`,
  )
}

function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
}
