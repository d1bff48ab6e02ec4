/** Opens a WebSocket to a server, by default with the runtime's own class. */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import { shownUrl } from './http/client/call.ts'
import { type SocketLike, SUBPROTOCOL, type WebSocketLinkOptions, webSocketLink } from './websocket.ts'
import { errorIn } from './websocket-reason.ts'
import { wrongProtocol } from './wrong-protocol.ts'

export interface DialSettings {
  /** The requested subprotocol. */
  readonly protocol: string
  readonly headers: Readonly<Record<string, string>> | undefined
  /** The longest accepted message, in bytes. */
  readonly maxMessage: number
}

/** Starts to connect. */
export type Dial = (url: string, settings: DialSettings) => SocketLike | Promise<SocketLike>

export interface WebSocketOptions extends WebSocketLinkOptions {
  /** Sent with the handshake. Not supported by browsers. */
  headers?: Readonly<Record<string, string>>
  /** How long connecting may take, in milliseconds. Default 10 000. */
  connectTimeout?: number
  /** The longest message that the socket accepts, in bytes, if the runtime supports it. Default 128 Mi. */
  maxMessage?: number
  /** Replaces the global `WebSocket`. */
  dial?: Dial
}

/** Twice the limit of sessions. A longer message ends the connection, a shorter one only fails its request. */
const DEFAULT_MAX_MESSAGE = 128 * 1024 * 1024

/** A link to `ws://` or `wss://`. */
export async function webSocketTo(url: string | URL, options: WebSocketOptions = {}): Promise<Link> {
  const address = addressOf(url)
  const socket = await begin(address, options)
  return opened(socket, address, options)
}

function addressOf(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined
  if (url?.protocol === 'ws:' || url?.protocol === 'wss:') return url
  throw new ParleyError('transport_error', {
    message: `Not a WebSocket address: ${String(given).slice(0, 200)}; write ws://host/path or wss://host/path`,
  })
}

async function begin(
  url: URL,
  { dial = dialGlobal, headers, maxMessage = DEFAULT_MAX_MESSAGE }: WebSocketOptions,
): Promise<SocketLike> {
  // WebSocket constructors reject fragments.
  url.hash = ''
  try {
    return await dial(url.href, { protocol: SUBPROTOCOL, headers, maxMessage })
  } catch (error) {
    throw error instanceof ParleyError ? error : failure(url, (error as Error).message, error)
  }
}

export function dialGlobal(url: string, { protocol, headers }: DialSettings): SocketLike {
  const { WebSocket } = globalThis
  if (WebSocket === undefined)
    throw new ParleyError('transport_error', { message: 'This runtime has no WebSocket: give one as option "dial"' })
  if (headers === undefined) return new WebSocket(url, protocol)
  try {
    // Server runtimes accept settings here, browsers do not.
    return new WebSocket(url, { protocols: protocol, headers } as never)
  } catch (error) {
    throw new ParleyError('transport_error', {
      message: 'The WebSocket of this runtime cannot send headers',
      cause: error,
    })
  }
}

const OPEN = 1
const CLOSING = 2

function opened(socket: SocketLike, url: URL, options: WebSocketOptions): Promise<Link> {
  const { connectTimeout = 10_000 } = options
  return new Promise((resolve, reject) => {
    let socketError: unknown
    let settled = false
    const settle = (): boolean => {
      if (settled) return false
      settled = true
      clearTimeout(timer)
      return true
    }
    const succeed = (): void => {
      if (settle()) resolve(webSocketLink(socket, options))
    }
    const fail = (why: string): void => {
      if (!settle()) return
      reject(failure(url, why, socketError))
      // The socket is not used any more.
      if (socket.terminate === undefined) socket.close()
      else socket.terminate()
    }
    const timer = setTimeout(() => fail(`no answer within ${connectTimeout} ms`), connectTimeout)
    socket.addEventListener('error', (event) => {
      socketError ??= errorIn(event)
    })
    socket.addEventListener('close', ({ reason }) => fail(reason || describeFailure(socketError)))
    socket.addEventListener('open', succeed)
    // The state may have changed before the listeners were added.
    if (socket.readyState === OPEN) succeed()
    else if (socket.readyState >= CLOSING) fail(describeFailure(undefined))
  })
}

function describeFailure(socketError: unknown): string {
  const { message, code } = (socketError ?? {}) as { message?: string; code?: string }
  if (typeof socketError === 'string') return socketError
  return message || code || 'no server answers there, or not with a WebSocket'
}

const KINDS: Readonly<Record<string, ErrorKind>> = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate_limited' }

function failure(url: URL, why: string, cause: unknown): ParleyError {
  // `ws` reports the status of a refusal only in this message, perhaps with a text after it.
  const [, status, said = ''] = /^Unexpected server response: (\d{3})(: .*)?$/s.exec(why) ?? []
  const reason = status === undefined ? (wrongProtocol(shownUrl(url), why) ?? why) : `it answered ${status}${said}`
  return new ParleyError(KINDS[status ?? ''] ?? 'transport_error', {
    message: `Cannot connect to ${shownUrl(url)}: ${reason}`,
    ...(status === undefined ? {} : { data: { status: Number(status) } }),
    ...(cause === undefined ? {} : { cause }),
  })
}
