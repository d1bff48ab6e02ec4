/** A link over a WebSocket of whatever implementation: every text message is one frame. */
import { ParleyError } from '../errors/index.ts'
import type { Link, LinkEvents } from '../jsonrpc/index.ts'
import { reasonOf, type SocketEnd, troubleOf } from './websocket-reason.ts'

/** The subprotocol both sides name in their handshake. */
export const SUBPROTOCOL = 'mcp'

/** The part of a WebSocket that is needed; those of browsers, of Node, Deno and Bun, and of `ws` all have it. */
export interface SocketLike {
  readonly readyState: number
  /** Bytes that were sent and have not left yet. */
  readonly bufferedAmount: number
  send(text: string): void
  close(code?: number, reason?: string): void
  /** Hangs up at once; only some have it. */
  terminate?(): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'error', listener: (event: object) => void): void
  addEventListener(type: 'close', listener: (event: SocketEnd) => void): void
}

export interface WebSocketLinkOptions {
  /** Most bytes that wait for a peer that does not read. Default 64 Mi. */
  maxBuffered?: number
  /** How long the other side may take to hang up after we did, in milliseconds. Default 2000. */
  closeTimeout?: number
  /** Time, injected so that tests own it. */
  clock?: { after(ms: number, task: () => void): () => void }
}

const OPEN = 1
const DEFAULT_BUFFER = 64 * 1024 * 1024
/** Frames that wait for `open`; more than a peer has reason to send before it is answered. */
const MAX_EARLY = 1000

const NORMAL = 1000
const NOT_TEXT = 1003
const BROKEN_POLICY = 1008
/**
 * Programs in browsers may not use the codes of the standard, but have a range of their own with room for all of them.
 */
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
  /** What an implementation said was wrong; the end that follows says less. */
  #trouble: unknown
  /** Kept when the connection itself is gone, or was given up. */
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
      this.#trouble ??= troubleOf(event)
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
      this.#hangUp(
        BROKEN_POLICY,
        'Not read',
        new ParleyError('transport_error', { message: `The peer does not read: ${bufferedAmount} bytes wait for it` }),
      )
      // Its turn to hear of it would come after all that it does not read.
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
    this.#hangUp(NORMAL, '', undefined)
    return this.#gone
  }

  /** What came before anybody listened, and the end if that came, too. */
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
      return this.#hangUp(
        NOT_TEXT,
        'Messages are text',
        new ParleyError('transport_error', { message: 'The peer sent a binary message; messages are text' }),
      )
    }
    if (this.#events !== undefined && this.#early.length === 0) return this.#events.frame(data)
    this.#early.push(data)
    if (this.#early.length > MAX_EARLY) {
      this.#hangUp(
        BROKEN_POLICY,
        'Too much at once',
        new ParleyError('transport_error', { message: 'The peer sent too much before anybody listened' }),
      )
    }
  }

  #ended(end: SocketEnd): void {
    this.#cancelTimer?.()
    this.#resolveGone()
    if (this.#over) return
    this.#over = true
    this.#reason = reasonOf(end, this.#trouble)
    this.#report()
  }

  #hangUp(code: number, words: string, reason: Error | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#reason = reason
    this.#cancelTimer = this.#clock.after(this.#closeTimeout, () => {
      this.#socket.terminate?.()
      this.#resolveGone()
    })
    try {
      this.#socket.close(code, words)
    } catch {
      this.#socket.close(code + PRIVATE_RANGE, words)
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
