import { later } from './later.ts'

export type { Served } from '../serve/index.ts'
export { isLoopback } from '../transport/index.ts'
export type { Environment } from './child-environment.ts'
export type { ChildExit, ChildLink, ChildSpec } from './child-link.ts'
export type { NodeConnectOptions, NodeTarget } from './connect.ts'
export { CrashReporter, type CrashReporting, type CrashReportOptions } from './crash-report.ts'
export type { TlsOptions } from './http-listener.ts'
export type { HttpServing, ServeHttpOptions } from './http-server.ts'
export { type Closable, closeOnSignals, type SessionRecord, type ShutdownOptions } from './shutdown.ts'
export type { ServeSiteOptions, SitePaths, SiteServing } from './site-server.ts'
export type { SkillFolderOptions } from './skill-folder.ts'
export { type StdioLink, type StdioLinkOptions, stdioLink } from './stdio-link.ts'
export { type ServeStdioOptions, type StdioHandle, serveStdio } from './stdio-serve.ts'
export type { TcpAddress } from './tcp-link.ts'
export type { ServeTcpOptions, TcpHandle } from './tcp-serve.ts'
export type { UpgradeListener } from './upgrade.ts'
export type { WebSocketEndpoint, WebSocketEndpointOptions } from './websocket-endpoint.ts'
export type { ServeWebSocketOptions, WebSocketHandle } from './websocket-serve.ts'

export const childLink = later(async () => (await import('./child-link.ts')).childLink)
export const connect = later(async () => (await import('./connect.ts')).connect)
export const openLink = later(async () => (await import('./connect.ts')).openLink)
export const serveHttp = later(async () => (await import('./http-server.ts')).serveHttp)
export const serveSite = later(async () => (await import('./site-server.ts')).serveSite)
export const serveTcp = later(async () => (await import('./tcp-serve.ts')).serveTcp)
export const serveWebSocket = later(async () => (await import('./websocket-serve.ts')).serveWebSocket)
export const skillsFrom = later(async () => (await import('./skill-folder.ts')).skillsFrom)
export const tcpLink = later(async () => (await import('./tcp-link.ts')).tcpLink)
export const webSocketEndpoint = later(async () => (await import('./websocket-endpoint.ts')).webSocketEndpoint)
export const webSocketTo = later(async () => (await import('./websocket-client.ts')).webSocketTo)
