export type { Served } from '../serve/index.ts'
export { isLoopback } from '../transport/index.ts'
export type { Environment } from './child/environment.ts'
export type { ChildExit, ChildLink, ChildSpec } from './child/link.ts'
export type { NodeConnectOptions, NodeTarget } from './connect.ts'
export { CrashReporter, type CrashReporting, type CrashReportOptions } from './crash-report/reporter.ts'
export type { TlsOptions } from './http/listener.ts'
export type { HttpServing, ServeHttpOptions, ServeSiteOptions, SitePaths, SiteServing } from './http/serve.ts'
export type { UpgradeListener } from './http/upgrade.ts'
export { type Closable, closeOnSignals, type SessionRecord, type ShutdownOptions } from './shutdown.ts'
export type { SkillFolderOptions } from './skill-folder.ts'
export { type StdioLink, type StdioLinkOptions, stdioLink } from './stdio/link.ts'
export { type ServeStdioOptions, type StdioHandle, serveStdio } from './stdio/serve.ts'
export type { TcpAddress } from './tcp/link.ts'
export type { ServeTcpOptions, TcpHandle } from './tcp/serve.ts'
export type { WebSocketEndpoint, WebSocketEndpointOptions } from './websocket/endpoint.ts'
export type { ServeWebSocketOptions, WebSocketHandle } from './websocket/serve.ts'

/**
 * Loads the code of a function at its first call, so that a server over standard input and output does not wait for
 * HTTP to load.
 */
function lazy<F extends (...args: never[]) => Promise<unknown>>(load: () => Promise<F>): F {
  return (async (...args: never[]) => (await load())(...args)) as F
}

export const childLink = lazy(async () => (await import('./child/link.ts')).childLink)
export const connect = lazy(async () => (await import('./connect.ts')).connect)
export const openLink = lazy(async () => (await import('./connect.ts')).openLink)
export const serveHttp = lazy(async () => (await import('./http/serve.ts')).serveHttp)
export const serveSite = lazy(async () => (await import('./http/serve.ts')).serveSite)
export const serveTcp = lazy(async () => (await import('./tcp/serve.ts')).serveTcp)
export const serveWebSocket = lazy(async () => (await import('./websocket/serve.ts')).serveWebSocket)
export const skillsFrom = lazy(async () => (await import('./skill-folder.ts')).skillsFrom)
export const tcpLink = lazy(async () => (await import('./tcp/link.ts')).tcpLink)
export const webSocketEndpoint = lazy(async () => (await import('./websocket/endpoint.ts')).webSocketEndpoint)
export const webSocketTo = lazy(async () => (await import('./websocket/client.ts')).webSocketTo)
