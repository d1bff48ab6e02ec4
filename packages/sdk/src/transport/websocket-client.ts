/** Opens a WebSocket to a server, with what the runtime has. */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import { shownUrl } from './http/client-call.ts'
import { type SocketLike, SUBPROTOCOL, type WebSocketLinkOptions, webSocketLink } from './websocket.ts'
import { troubleOf } from './websocket-reason.ts'
import { wrongLanguage } from './wrong-language.ts'

export interface DialSettings {
  /** The subprotocol to ask for. */
  readonly protocol: string
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Longest message to take in, in bytes. */
  readonly maxMessage: number
}

/** Begins to connect. */
export type Dial = (url: string, settings: DialSettings) => SocketLike | Promise<SocketLike>

export interface WebSocketOptions extends WebSocketLinkOptions {
  /** Sent with the handshake. Browsers cannot. */
  headers?: Readonly<Record<string, string>>
  /** How long the connection may take to come about, in milliseconds. Default 10 000. */
  connectTimeout?: number
  /**
   * Longest message that is taken in at all, in bytes, where the runtime can be told; the limits of the session are for
   * what was. Default 128 Mi.
   */
  maxMessage?: number
  /** Instead of the global `WebSocket`. */
  dial?: Dial
}

/** Twice what sessions read: what is longer than that ends the connection, and not one request alone. */
const DEFAULT_MESSAGE = 128 * 1024 * 1024

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
  { dial = dialGlobal, headers, maxMessage = DEFAULT_MESSAGE }: WebSocketOptions,
): Promise<SocketLike> {
  // A fragment never travels, and constructors refuse it.
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
    // Servers' runtimes take settings here, browsers do not.
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
    let trouble: unknown
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
      reject(failure(url, why, trouble))
      // Nobody will use it, whatever becomes of it.
      if (socket.terminate === undefined) socket.close()
      else socket.terminate()
    }
    const timer = setTimeout(() => fail(`no answer within ${connectTimeout} ms`), connectTimeout)
    socket.addEventListener('error', (event) => {
      trouble ??= troubleOf(event)
    })
    socket.addEventListener('close', ({ reason }) => fail(reason || wordsOf(trouble)))
    socket.addEventListener('open', succeed)
    // What happened before anybody could listen.
    if (socket.readyState === OPEN) succeed()
    else if (socket.readyState >= CLOSING) fail(wordsOf(undefined))
  })
}

function wordsOf(trouble: unknown): string {
  const { message, code } = (trouble ?? {}) as { message?: string; code?: string }
  if (typeof trouble === 'string') return trouble
  return message || code || 'nobody answers there, or not with a WebSocket'
}

const KINDS: Readonly<Record<string, ErrorKind>> = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate_limited' }

function failure(url: URL, why: string, cause: unknown): ParleyError {
  // The one way in which `ws` tells the status of a refusal, and perhaps what was said beside it.
  const [, status, said = ''] = /^Unexpected server response: (\d{3})(: .*)?$/s.exec(why) ?? []
  const words = status === undefined ? (wrongLanguage(shownUrl(url), why) ?? why) : `it answered ${status}${said}`
  return new ParleyError(KINDS[status ?? ''] ?? 'transport_error', {
    message: `Cannot connect to ${shownUrl(url)}: ${words}`,
    ...(status === undefined ? {} : { data: { status: Number(status) } }),
    ...(cause === undefined ? {} : { cause }),
  })
}
