/** A link over a WebSocket of any implementation. Each text message is one frame. */
import { ParleyError } from '../errors/index.ts'
import type { Link, LinkEvents } from '../jsonrpc/index.ts'
import { errorIn, reasonOf, type SocketEnd } from './websocket-reason.ts'

/** The subprotocol of the handshake. */
export const SUBPROTOCOL = 'mcp'

/** The required part of a WebSocket. Browsers, Node, Deno, Bun and `ws` have it. */
export interface SocketLike {
  readonly readyState: number
  /** The bytes that were not written to the network yet. */
  readonly bufferedAmount: number
  send(text: string): void
  close(code?: number, reason?: string): void
  /** Closes the connection at once. Only some implementations have it. */
  terminate?(): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'error', listener: (event: object) => void): void
  addEventListener(type: 'close', listener: (event: SocketEnd) => void): void
}

export interface WebSocketLinkOptions {
  /** Most bytes that are buffered for a peer that does not read. Default 64 Mi. */
  maxBuffered?: number
  /** How long the peer may take to close the connection after this side did, in milliseconds. Default 2000. */
  closeTimeout?: number
  /** Time, injected so that tests own it. */
  clock?: { after(ms: number, task: () => void): () => void }
}

const OPEN = 1
const DEFAULT_BUFFER = 64 * 1024 * 1024
/** Most frames before `open`. A peer has no reason to send more before it gets an answer. */
const MAX_EARLY = 1000

const NORMAL = 1000
const NOT_TEXT = 1003
const BROKEN_POLICY = 1008
/** Browsers do not allow the codes of the standard, but their private range has room for all of them. */
const PRIVATE_RANGE = 3000

const realClock = {
  after(ms: number, task: () => void) {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

class WebSocketLink implements Link {
  readonly transport = 'websocket'
  readonly #socket: SocketLike
  readonly #maxBuffered: number
  readonly #closeTimeout: number
  readonly #clock: NonNullable<WebSocketLinkOptions['clock']>
  #events: LinkEvents | undefined
  #early: string[] = []
  #over = false
  #reported = false
  #reason: Error | undefined
  /** The error that an implementation reported. The close event has less detail. */
  #socketError: unknown
  /** Resolves when the connection is closed or was given up. */
  readonly #gone: Promise<void>
  #resolveGone: () => void = () => {}
  #cancelTimer: (() => void) | undefined

  constructor(socket: SocketLike, options: WebSocketLinkOptions) {
    this.#socket = socket
    this.#maxBuffered = options.maxBuffered ?? DEFAULT_BUFFER
    this.#closeTimeout = options.closeTimeout ?? 2000
    this.#clock = options.clock ?? realClock
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    socket.addEventListener('message', ({ data }) => this.#received(data))
    socket.addEventListener('error', (event) => {
      this.#socketError ??= errorIn(event)
    })
    socket.addEventListener('close', (end) => this.#ended(end))
    if (socket.readyState !== OPEN) this.#ended({ code: 1006, reason: '' })
  }

  open(events: LinkEvents): void {
    if (this.#events !== undefined)
      throw new ParleyError('transport_error', { message: 'This WebSocket link is already in use' })
    this.#events = events
    if (this.#over || this.#early.length > 0) queueMicrotask(() => this.#catchUp())
  }

  send(frame: string): void {
    if (this.#over) throw this.#closedError()
    const { bufferedAmount } = this.#socket
    if (bufferedAmount > this.#maxBuffered) {
      this.#disconnect(
        BROKEN_POLICY,
        'Not read',
        new ParleyError('transport_error', { message: `The peer does not read: ${bufferedAmount} bytes wait for it` }),
      )
      // The peer would see the close frame only after all unread messages.
      this.#socket.terminate?.()
      throw this.#closedError()
    }
    try {
      this.#socket.send(frame)
    } catch (error) {
      throw new ParleyError('transport_error', {
        message: `The WebSocket does not send: ${(error as Error).message}`,
        cause: error,
      })
    }
  }

  close(): Promise<void> {
    this.#disconnect(NORMAL, '', undefined)
    return this.#gone
  }

  /** Delivers the frames that came before `open`, and the end if it came too. */
  #catchUp(): void {
    const early = this.#early
    this.#early = []
    for (const frame of early) this.#events?.frame(frame)
    if (this.#over) this.#report()
  }

  #report(): void {
    if (this.#events === undefined || this.#reported || this.#early.length > 0) return
    this.#reported = true
    this.#events.closed(this.#reason)
  }

  #received(data: unknown): void {
    if (this.#over) return
    if (typeof data !== 'string') {
      return this.#disconnect(
        NOT_TEXT,
        'Messages are text',
        new ParleyError('transport_error', { message: 'The peer sent a binary message; messages are text' }),
      )
    }
    if (this.#events !== undefined && this.#early.length === 0) return this.#events.frame(data)
    this.#early.push(data)
    if (this.#early.length > MAX_EARLY) {
      this.#disconnect(
        BROKEN_POLICY,
        'Too much at once',
        new ParleyError('transport_error', { message: 'The peer sent too much before the link was opened' }),
      )
    }
  }

  #ended(end: SocketEnd): void {
    this.#cancelTimer?.()
    this.#resolveGone()
    if (this.#over) return
    this.#over = true
    this.#reason = reasonOf(end, this.#socketError)
    this.#report()
  }

  #disconnect(code: number, text: string, reason: Error | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#reason = reason
    this.#cancelTimer = this.#clock.after(this.#closeTimeout, () => {
      this.#socket.terminate?.()
      this.#resolveGone()
    })
    try {
      this.#socket.close(code, text)
    } catch {
      this.#socket.close(code + PRIVATE_RANGE, text)
    }
    queueMicrotask(() => this.#report())
  }

  #closedError(): ParleyError {
    const reason = this.#reason
    const why = reason === undefined ? '' : `: ${reason.message}`
    return new ParleyError('transport_error', {
      message: `The WebSocket link is closed${why}`,
      ...(reason === undefined ? {} : { cause: reason }),
    })
  }
}

/** `socket` must be open. */
export function webSocketLink(socket: SocketLike, options: WebSocketLinkOptions = {}): Link {
  return new WebSocketLink(socket, options)
}
