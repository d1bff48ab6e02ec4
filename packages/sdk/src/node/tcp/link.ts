/** A link over a TCP connection with newline frames. */
import { connect, type Socket } from 'node:net'
import { ParleyError } from '../../errors/index.ts'
import type { Link } from '../../jsonrpc/index.ts'
import { type Duration, milliseconds } from '../../session/index.ts'
import { StreamLink } from '../stream-link.ts'

export interface TcpAddress {
  /** Default 127.0.0.1. */
  host?: string
  port: number
  /** How long connecting may take. Default 10 s. */
  connectTimeout?: Duration
  /** Most characters that are buffered for a peer that does not read. Default 64 Mi. */
  maxBuffered?: number
}

/** How long the peer may take to close the connection after this side did. */
const CLOSE_TIMEOUT_MS = 2000

/** `tcp://host:port` or its parts. */
export async function tcpLink(target: string | URL | TcpAddress): Promise<Link> {
  const address = addressOf(target)
  const socket = await connected(address)
  return socketLink(socket, address.maxBuffered === undefined ? {} : { maxBuffered: address.maxBuffered })
}

export interface SocketLinkOptions {
  maxBuffered?: number
  onInputEnd?: () => void
}

export function socketLink(socket: Socket, options: SocketLinkOptions): StreamLink {
  // The writer collects frames already, so a delay would not help.
  socket.setNoDelay(true)
  return new StreamLink({
    ...options,
    transport: 'tcp',
    input: socket,
    output: socket,
    onOver: () => endSocket(socket),
  })
}

/** Ends this side, after a last text if there is one. Closes the connection when the peer ends it or takes too long. */
export function endSocket(socket: Socket, lastText = ''): void {
  if (socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
  socket.end(lastText)
}

function addressOf(target: string | URL | TcpAddress): Required<Pick<TcpAddress, 'host' | 'port'>> & TcpAddress {
  if (typeof target === 'object' && !(target instanceof URL)) {
    if (!isPort(target.port)) throw refusal(`Not a TCP port: ${String(target.port)}`)
    return { ...target, host: target.host ?? '127.0.0.1' }
  }
  const url = URL.canParse(String(target)) ? new URL(String(target)) : undefined
  if (url?.protocol !== 'tcp:' || url.hostname === '' || url.port === '')
    throw refusal(`Not a TCP address: ${String(target).slice(0, 200)}; write tcp://host:port`)
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) }
}

function isPort(port: unknown): boolean {
  return Number.isInteger(port) && (port as number) > 0 && (port as number) < 65_536
}

function connected({ host, port, connectTimeout = '10s' }: TcpAddress & { host: string }): Promise<Socket> {
  const timeout = milliseconds(connectTimeout)
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const settle = (failure?: ParleyError): void => {
      clearTimeout(timer)
      socket.off('connect', arrived)
      if (failure === undefined) return resolve(socket)
      socket.destroy()
      reject(failure)
    }
    const arrived = (): void => settle()
    const timer = setTimeout(
      () => settle(refusal(`Cannot connect to tcp://${host}:${port}: no answer within ${timeout} ms`)),
      timeout,
    )
    socket.once('connect', arrived)
    // Not removed: one attempt may have two errors. A connected link has its own listener.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      settle(refusal(`Cannot connect to tcp://${host}:${port}: ${reasonOf(error)}`, error)),
    )
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there',
  ENOTFOUND: 'there is no host of that name',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer',
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return REASONS[code ?? ''] ?? (message || code || 'unknown')
}

function refusal(message: string, cause?: unknown): ParleyError {
  return new ParleyError('transport_error', { message, ...(cause === undefined ? {} : { cause }) })
}
