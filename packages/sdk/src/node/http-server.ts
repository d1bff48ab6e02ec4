/** Serves one server over HTTP on Node, by every transport that HTTP carries. */
import type { HttpOptions, HttpSite, Servable } from '../serve/index.ts'
import type { CloseOptions } from '../session/index.ts'
import { type ServeSiteOptions, SiteServer } from './site-server.ts'
import type { WebSocketEndpointOptions } from './websocket-endpoint.ts'

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
