/**
 * Serves any number of clients over TCP with newline frames. Without encryption and authentication: for trusted
 * networks.
 */
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'
import { ParleyError } from '../../errors/index.ts'
import { errorText } from '../../jsonrpc/index.ts'
import {
  type AcceptOptions,
  type Acceptor,
  type CloseOptions,
  type Duration,
  milliseconds,
  type Session,
} from '../../session/index.ts'
import { type CrashReporting, withCrashReports } from '../crash-report/reporter.ts'
import { FirstMessageGuard } from './first-message-guard.ts'
import { endSocket, socketLink } from './link.ts'

export interface ServeTcpOptions extends Omit<AcceptOptions, 'id'>, CrashReporting {
  /** 0: any free port. */
  port: number
  /** Default 127.0.0.1. */
  host?: string
  /** Further connections get an error and are closed. Default 1000. */
  maxConnections?: number
  /** How long a client may be idle. Pings do not count. Default: no limit, as long as the client answers pings. */
  idleTimeout?: Duration
}

export interface TcpHandle {
  readonly host: string
  readonly port: number
  /** `tcp://host:port` */
  readonly url: string
  /** The sessions of all connections, also during the handshake. */
  readonly sessions: readonly Session[]
  /** Accepts no more connections, lets running requests finish, and closes the connections. */
  close(options?: CloseOptions): Promise<void>
}

export async function serveTcp(server: Acceptor, options: ServeTcpOptions): Promise<TcpHandle> {
  const { port, host = '127.0.0.1', maxConnections = 1000, idleTimeout, crashReports, ...accept } = options
  server.ready?.()
  const idleMs = idleTimeout === undefined ? undefined : milliseconds(idleTimeout)
  const sessions = new Map<Socket, Session>()
  const reporting = withCrashReports(server, crashReports)

  const take = (socket: Socket): void => {
    socket.on('error', () => {})
    if (sessions.size >= maxConnections) return refuseConnection(socket, maxConnections)
    // A client that has sent its last request may still wait for answers.
    const link = socketLink(socket, { onInputEnd: () => void sessions.get(socket)?.close() })
    try {
      const session = reporting.server.accept(new FirstMessageGuard(link), accept)
      sessions.set(socket, session)
      session.onClose(() => sessions.delete(socket))
      if (idleMs !== undefined) watchIdle(session, idleMs)
    } catch {
      socket.destroy()
    }
  }

  const listener = createServer({ allowHalfOpen: true }, take)
  const address = await listening(listener, host, port)
  let closing: Promise<void> | undefined

  const close = async (given?: CloseOptions): Promise<void> => {
    const stopped = new Promise<void>((resolve) => listener.close(() => resolve()))
    await Promise.all([...sessions.values()].map((session) => session.close(given)))
    await stopped
    reporting.stop()
  }

  return {
    host: address.address,
    port: address.port,
    url: `tcp://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    get sessions() {
      return [...sessions.values()]
    },
    close(given) {
      closing ??= close(given)
      return closing
    },
  }
}

function refuseConnection(socket: Socket, limit: number): void {
  const error = new ParleyError('too_many_requests', { message: `This server takes at most ${limit} connections` })
  endSocket(socket, `${errorText(null, error.toWire())}\n`)
}

function listening(listener: NetServer, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    listener.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message
      reject(
        new ParleyError('transport_error', { message: `Cannot listen on tcp://${host}:${port}: ${why}`, cause: error }),
      )
    })
    listener.listen({ host, port }, () => {
      listener.removeAllListeners('error')
      // A connection that fails while it is accepted does not affect others.
      listener.on('error', () => {})
      resolve(listener.address() as AddressInfo)
    })
  })
}

/** Checks per time-out. The session ends after the time-out, or up to a quarter of it later. */
const CHECKS_PER_TIMEOUT = 4

function watchIdle(session: Session, timeout: number): void {
  const { clock } = session
  let seen = messageCount(session)
  let idleChecks = 0
  let cancel = clock.after(timeout / CHECKS_PER_TIMEOUT, check)
  session.onClose(() => cancel())

  function check(): void {
    const now = messageCount(session)
    const busy = now !== seen || session.inFlight().length > 0
    seen = now
    idleChecks = busy ? 0 : idleChecks + 1
    if (idleChecks >= CHECKS_PER_TIMEOUT) void session.close()
    else cancel = clock.after(timeout / CHECKS_PER_TIMEOUT, check)
  }
}

/** The number of messages without pings. */
function messageCount(session: Session): number {
  let count = 0
  for (const [method, { sent, received }] of Object.entries(session.stats().methods))
    if (method !== 'ping') count += sent + received
  return count
}
