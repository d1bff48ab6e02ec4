/** Serves any number of clients over WebSocket, on a port of its own or beside what an HTTP server already does. */
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
  /** Default 3000; 0 for any that is free. */
  port?: number
  /** The address to listen on. Default `127.0.0.1`; any other needs `allowedHosts`. */
  host?: string
  /** Key and certificate; with them the address is `wss://`. */
  tls?: TlsOptions
  /** A server of `node:http` or `node:https` to serve on, instead of a port. It stays open when this is closed. */
  server?: HttpServer | HttpsServer
}

export interface WebSocketHandle {
  /** Where clients connect to; empty before a server that was given listens. */
  readonly url: string
  readonly port: number
  /** Of all connections, those in their handshake included. */
  readonly sessions: readonly Session[]
  /** Takes no more connections, lets running requests finish, hangs up. */
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
    // Somebody else may take the handshakes of another path.
    if (pathOf(request) !== endpoint.path && server.listenerCount('upgrade') > 1) return
    endpoint.onUpgrade(request, socket, head)
  }
  server.on('upgrade', onUpgrade)
  let closing: Promise<void> | undefined
  let known: AddressInfo | undefined
  /** The last one there was. */
  const address = (): AddressInfo | undefined => {
    known = (server.address() as AddressInfo | null) ?? known
    return known
  }
  const close = async (options?: CloseOptions): Promise<void> => {
    // Handshakes are refused with a reason while the sessions come to their end.
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
