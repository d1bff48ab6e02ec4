/**
 * Serves any number of clients over TCP with newline frames. There is no encryption and nobody is asked who they are:
 * for one machine, or a network that is trusted.
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
import { watchIdle } from './idle.ts'
import { hangUp, socketLink } from './link.ts'
import { TcpOpening } from './opening.ts'

export interface ServeTcpOptions extends Omit<AcceptOptions, 'id'>, CrashReporting {
  /** 0 for any that is free. */
  port: number
  /** Default 127.0.0.1. */
  host?: string
  /** Default 1000; one more is told so and hung up on. */
  maxConnections?: number
  /**
   * How long a client may ask for nothing before it is hung up on; pings do not count. Default: for ever, as long as it
   * answers pings.
   */
  idleTimeout?: Duration
}

export interface TcpHandle {
  readonly host: string
  readonly port: number
  /** `tcp://host:port` */
  readonly url: string
  /** Of all connections, those in their handshake included. */
  readonly sessions: readonly Session[]
  /** Takes no more connections, lets running requests finish, hangs up. */
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
    if (sessions.size >= maxConnections) return turnAway(socket, maxConnections)
    // A client that has said all it wants to say may still wait for answers.
    const link = socketLink(socket, { onInputEnd: () => void sessions.get(socket)?.close() })
    try {
      const session = reporting.server.accept(new TcpOpening(link), accept)
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

function turnAway(socket: Socket, limit: number): void {
  const error = new ParleyError('too_many_requests', { message: `This server takes at most ${limit} connections` })
  hangUp(socket, `${errorText(null, error.toWire())}\n`)
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
      // A connection that fails while it is being accepted concerns nobody else.
      listener.on('error', () => {})
      resolve(listener.address() as AddressInfo)
    })
  })
}
