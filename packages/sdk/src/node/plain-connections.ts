/** Connections over which plain requests are served without `node:http`, until one says anything else: then it is handed over, with all that was said. */
import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import { ParleyError } from '../errors/index.ts'
import type { HttpSite } from '../serve/index.ts'
import type { Clock } from '../session/index.ts'
import { serveWhole } from './http-serve.ts'
import { PlainExchange, type PlainTurn } from './plain-exchange.ts'
import { MAX_HEAD_BYTES, type PlainHead, readPlainHead } from './plain-request.ts'

export interface PlainOptions {
  site: HttpSite
  clock: Clock
  /** How long a connection may take for its first request, in milliseconds. */
  greeting: number
  /** How long it may stay without a request after that. */
  idle: number
  /** Takes connections that are not plain; what was read of them and not answered is put back. */
  handOver: (socket: Socket) => void
}

/** How often, at least, it is looked for connections that are idle too long, in milliseconds. */
const SWEEP = 5_000
/** Longer requests, of which the parts come one by one, are for streams. */
const MAX_KEPT = 64 * 1024
/** Longer heads are read anew each time: connections are many, and what is remembered is remembered for each. */
const MAX_REMEMBERED = 2 * 1024

/** What a connection begins with whose client speaks TLS: a record of the handshake. */
const TLS_HANDSHAKE = 0x16

const HEAD_END = '\r\n\r\n'
const REPLACEMENT = '\ufffd'
/** In the words of `node:http`. */
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
const BROKEN_OFF = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'

export class PlainConnections {
  readonly options: PlainOptions
  readonly #all = new Set<PlainConnection>()
  readonly #period: number
  #cancelSweep: (() => void) | undefined
  #metTls = false

  constructor(options: PlainOptions) {
    this.options = options
    this.#period = Math.min(options.greeting, SWEEP)
  }

  take(socket: Socket): void {
    this.#all.add(new PlainConnection(socket, this))
    this.#cancelSweep ??= this.options.clock.after(this.#period, this.#sweep)
  }

  forget(connection: PlainConnection): void {
    this.#all.delete(connection)
  }

  /** What its client would be told it cannot read: the one who can mend it learns of it, but not from every port scanner again. */
  meetTls(): void {
    if (this.#metTls) return
    this.#metTls = true
    const message = 'A client speaks TLS to a port that does not: its address should begin with http:// or ws://'
    this.options.site.report(new ParleyError('transport_error', { message }))
  }

  /** Ends those that wait for another request. */
  endIdle(): void {
    for (const connection of this.#all) connection.endIfIdle()
  }

  stop(): void {
    this.#cancelSweep?.()
    this.#cancelSweep = undefined
  }

  readonly #sweep = (): void => {
    this.#cancelSweep = undefined
    const now = this.options.clock.now()
    for (const connection of this.#all) connection.lookAt(now)
    if (this.#all.size > 0) this.#cancelSweep = this.options.clock.after(this.#period, this.#sweep)
  }
}

class PlainConnection implements PlainTurn {
  readonly site: HttpSite
  readonly socket: Socket
  readonly patience: number
  readonly #home: PlainConnections
  /** What was read and belongs to no request that is served. */
  #rest: Buffer | undefined
  /** A request is being answered. */
  #busy = false
  #greeted = false
  /** Since when it waits for a request. */
  #since: number
  /** The last head as it came, to the end of its empty line, and as it was read: clients hardly ever change theirs. */
  #lastBytes: Buffer | undefined
  #lastHead: PlainHead | undefined

  constructor(socket: Socket, home: PlainConnections) {
    const { site, clock, idle } = home.options
    this.socket = socket
    this.site = site
    this.patience = Math.floor(idle / 1000)
    this.#home = home
    this.#since = clock.now()
    socket.on('error', nothing)
    socket.on('data', this.#take)
    socket.on('end', this.#ended)
    socket.on('close', this.#closed)
  }

  /** The client is left to close its end, so that it knows before the next one listens here. */
  endIfIdle(): void {
    if (!this.#greeted || this.#busy || this.#rest !== undefined) return
    this.#busy = true
    this.socket.end()
  }

  lookAt(now: number): void {
    if (this.#busy) return
    const { greeting, idle } = this.#home.options
    // Somebody who is slow is watched over there.
    if (this.#rest !== undefined) return this.#handOver(this.#rest)
    // Who still reads the last answer is not idle.
    if (this.socket.writableLength > 0) this.#since = now
    const waited = now - this.#since
    if (this.#greeted) {
      if (waited >= idle) this.socket.destroy()
    } else if (waited >= greeting) {
      this.socket.end(TOO_SLOW, () => this.socket.destroy())
    }
  }

  over(isLast: boolean): void {
    // It stays busy: no more requests are taken, and what was answered still goes out.
    if (isLast) return this.socket.destroySoon()
    this.#busy = false
    this.#since = this.#home.options.clock.now()
    if (this.#rest !== undefined) queueMicrotask(this.#goOn)
  }

  readonly #take = (chunk: Buffer): void => {
    this.#read(this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]))
  }

  /** A request that came before the last one was answered. */
  readonly #goOn = (): void => {
    const rest = this.#rest
    if (this.#busy || rest === undefined || this.socket.destroyed) return
    this.socket.resume()
    this.#read(rest)
  }

  #read(bytes: Buffer): void {
    const { socket } = this
    this.#rest = bytes
    if (this.#busy) {
      if (bytes.length > MAX_KEPT) socket.pause()
      return
    }
    // Who does not read answers gets no more of them.
    if (socket.writableNeedDrain) {
      socket.pause()
      socket.once('drain', this.#goOn)
      return
    }
    const last = this.#lastBytes
    const isLast = last !== undefined && last.length <= bytes.length && last.compare(bytes, 0, last.length) === 0
    const start = isLast ? last.length : bytes.indexOf(HEAD_END) + HEAD_END.length
    const head = isLast ? this.#lastHead : this.#headOf(bytes, start)
    if (head === undefined) return this.#handOver(bytes)
    const length = start + head.length
    if (bytes.length === length) this.#serve(head, bytes, start)
    // More requests at once are worked on side by side there.
    else if (bytes.length > length || length > MAX_KEPT) this.#handOver(bytes)
  }

  #headOf(bytes: Buffer, start: number): PlainHead | undefined {
    const end = start - HEAD_END.length
    const head = end < 0 || end > MAX_HEAD_BYTES ? undefined : readPlainHead(bytes.toString('latin1', 0, end))
    const isRemembered = head !== undefined && end <= MAX_REMEMBERED
    this.#lastBytes = isRemembered ? Buffer.from(bytes.subarray(0, start)) : undefined
    this.#lastHead = isRemembered ? head : undefined
    return head
  }

  #serve(head: PlainHead, bytes: Buffer, start: number): void {
    this.#rest = undefined
    this.#busy = true
    this.#greeted = true
    const text = bytes.toString('utf8', start)
    // What is not UTF-8 is replaced in reading; the replacement may also be meant, and nearly no text has it.
    const isText = !text.includes(REPLACEMENT) || isUtf8(bytes.subarray(start))
    serveWhole(this.site, new PlainExchange(head, isText ? text : '', this), isText)
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this
    if (!this.#greeted && bytes[0] === TLS_HANDSHAKE) this.#home.meetTls()
    this.#leave()
    socket.pause()
    socket.unshift(bytes)
    this.#home.options.handOver(socket)
    socket.resume()
  }

  #leave(): void {
    this.#home.forget(this)
    this.#rest = undefined
    this.socket.off('data', this.#take)
    this.socket.off('end', this.#ended)
    this.socket.off('close', this.#closed)
  }

  /** The client says no more; what it began to say will never be whole. */
  readonly #ended = (): void => {
    if (this.#rest === undefined || this.#busy) this.socket.end()
    else this.socket.end(BROKEN_OFF)
    this.#rest = undefined
  }

  readonly #closed = (): void => this.#leave()
}

function nothing(): void {}
