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

/** Where a site listens, and for what beside its servers. */
export interface ServeSiteOptions extends SiteOptions, CrashReporting {
  /** Default 3000; 0 for any that is free. */
  port?: number
  /** The address to listen on. Default `127.0.0.1`; any other needs `allowedHosts`. */
  host?: string
  /** Key and certificate; with them the server speaks HTTPS. */
  tls?: TlsOptions
  /** HTTP/2 beside HTTP/1.1. Default: on with `tls`, where clients choose, and off without. */
  http2?: boolean
  /**
   * Reads ordinary requests of HTTP/1.1 without `node:http`, which is faster. Tracers and other tools that watch
   * `node:http` do not see these requests. No effect with TLS or HTTP/2. Default false.
   */
  fastHttp?: boolean
  /** Most connections at once; more are not taken. Default 20 000. */
  maxConnections?: number
  /** Other paths and what answers them. */
  mounts?: Readonly<Record<string, Mount>>
  /** Takes requests to upgrade a connection to something else; without it they are answered like any other. */
  onUpgrade?: UpgradeListener
}

/** Where a server of a site is reached. */
export interface SitePaths extends ServedPaths, ServedMounts {
  /** Also serves WebSocket, by the optional package `ws`; `true` for the path `/ws`. Default false. */
  webSocket?: boolean | WebSocketEndpointOptions
}

export interface SiteServing {
  /** Without a path. */
  readonly url: string
  readonly port: number
  /** How many sessions there are, of all servers. */
  readonly sessions: number
  readonly site: HttpSite
  /** Begins to serve a server, until what it gives is closed; fails when one of the paths is taken. */
  serve(server: Servable, paths?: SitePaths): Promise<Served>
  /** Listens no more, lets running requests finish, ends all sessions and streams. Default: 5 s for what is running. */
  close(options?: CloseOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const DEFAULT_HOST = '127.0.0.1'

/** A site whose servers come and go while it listens; those that `prepare` serves are there from the first moment. */
export async function serveSite(
  options: ServeSiteOptions = {},
  prepare?: (serving: SiteServing) => Promise<unknown>,
): Promise<SiteServing> {
  const serving = new SiteServer('serveSite', options, '')
  await serving.start(() => prepare?.(serving))
  return serving
}

export interface ServeHttpOptions extends HttpOptions, ServeSiteOptions {
  /** Also serves WebSocket, by the optional package `ws`; `true` for the path `/ws`. Default false. */
  webSocket?: boolean | WebSocketEndpointOptions
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
  // Its mounts are the server's: they have its limits.
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

  /** `caller` is the function that whoever wrote the options knows; `path` is where its clients go. */
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

  /** Listens; `prepare` comes first, so that nobody finds less than there will be. */
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
