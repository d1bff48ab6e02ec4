/** Serves any number of clients over WebSocket, on its own port or on an existing HTTP server. */
import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http'
import { createServer as createSecureServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { ParleyError } from '../../errors/index.ts'
import type { Servable } from '../../serve/index.ts'
import type { CloseOptions, Session } from '../../session/index.ts'
import { isLoopback } from '../../transport/index.ts'
import { type CrashReporting, withCrashReports } from '../crash-report/reporter.ts'
import type { TlsOptions } from '../http/listener.ts'
import { pathOf } from '../http/upgrade.ts'
import { type WebSocketEndpoint, type WebSocketEndpointOptions, webSocketEndpoint } from './endpoint.ts'

export interface ServeWebSocketOptions extends WebSocketEndpointOptions, CrashReporting {
  /** Default 3000. 0: any free port. */
  port?: number
  /** The address to listen on. Default `127.0.0.1`. Any other address needs `allowedHosts`. */
  host?: string
  /** Key and certificate for `wss://`. */
  tls?: TlsOptions
  /** A server of `node:http` or `node:https` to serve on, instead of a port. It stays open when this is closed. */
  server?: HttpServer | HttpsServer
}

export interface WebSocketHandle {
  /** The address for clients. Empty before the given `server` listens. */
  readonly url: string
  readonly port: number
  /** The sessions of all connections, also during the handshake. */
  readonly sessions: readonly Session[]
  /** Accepts no more connections, lets running requests finish, and closes the connections. */
  close(options?: CloseOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function serveWebSocket(server: Servable, options: ServeWebSocketOptions = {}): Promise<WebSocketHandle> {
  const { port = 3000, host = '127.0.0.1', tls, server: given } = options
  if (given === undefined && options.allowedHosts === undefined && !isLoopback(host)) {
    throw new TypeError(
      `serveWebSocket on ${host} can be reached from elsewhere: list the names it is reached by in allowedHosts, such as ['mcp.example.com'], or 'any' behind a proxy that checks them`,
    )
  }
  const reporting = withCrashReports(server, options.crashReports)
  try {
    const endpoint = await webSocketEndpoint(reporting.server, options)
    if (given !== undefined) return attach(given, endpoint, async () => reporting.stop())
    const own =
      tls === undefined ? createServer(LIMITS, onlyUpgrades) : createSecureServer({ ...LIMITS, ...tls }, onlyUpgrades)
    const handle = attach(own, endpoint, async () => {
      const stopped = new Promise((resolve) => own.close(resolve))
      own.closeAllConnections()
      await stopped
      reporting.stop()
    })
    await listening(own, port, host)
    return handle
  } catch (error) {
    reporting.stop()
    throw error
  }
}

const LIMITS = { requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 16 * 1024, noDelay: true }

const onlyUpgrades: Parameters<typeof createServer>[1] = (_, response) => {
  response
    .writeHead(426, { upgrade: 'websocket', connection: 'close', 'content-type': 'text/plain' })
    .end('This server takes WebSocket connections only\n')
}

function attach(
  server: HttpServer | HttpsServer,
  endpoint: WebSocketEndpoint,
  afterwards?: () => Promise<void>,
): WebSocketHandle {
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Another listener may handle the other path.
    if (pathOf(request) !== endpoint.path && server.listenerCount('upgrade') > 1) return
    endpoint.onUpgrade(request, socket, head)
  }
  server.on('upgrade', onUpgrade)
  let closing: Promise<void> | undefined
  let known: AddressInfo | undefined
  /** The current address, or the last one. */
  const address = (): AddressInfo | undefined => {
    known = (server.address() as AddressInfo | null) ?? known
    return known
  }
  const close = async (options?: CloseOptions): Promise<void> => {
    // While the sessions end, handshakes are still refused with a reason.
    address()
    await endpoint.close(options)
    server.off('upgrade', onUpgrade)
    await afterwards?.()
  }
  const handle: WebSocketHandle = {
    get url() {
      const at = address()
      return at === undefined ? '' : `${isSecure(server) ? 'wss' : 'ws'}://${shownHost(at)}:${at.port}${endpoint.path}`
    },
    get port() {
      return address()?.port ?? 0
    },
    get sessions() {
      return endpoint.sessions
    },
    close(options) {
      closing ??= close(options)
      return closing
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
  return handle
}

function isSecure(server: HttpServer | HttpsServer): boolean {
  return 'setSecureContext' in server
}

function shownHost({ address, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]` : address
}

function listening(server: HttpServer | HttpsServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message
      reject(
        new ParleyError('transport_error', { message: `Cannot listen on ws://${host}:${port}: ${why}`, cause: error }),
      )
    }
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      server.on('error', () => {})
      resolve()
    })
  })
}
