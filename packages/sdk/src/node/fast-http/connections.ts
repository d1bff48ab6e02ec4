/**
 * Connections whose ordinary requests are read and answered without `node:http`. At the first other request the
 * connection goes to `node:http`, with every byte that was read and not answered.
 */
import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import type { HttpSite } from '../../serve/index.ts'
import type { Clock } from '../../session/index.ts'
import { serveRead } from '../http/request-handler.ts'
import { type ExchangeConnection, FastExchange } from './exchange.ts'
import { MAX_HEAD_BYTES, type RequestHead, readRequestHead } from './request-head.ts'

export interface FastConnectionOptions {
  site: HttpSite
  clock: Clock
  /** How long a connection may take for its first request, in milliseconds. */
  headersTimeout: number
  /** How long it may stay without a request after that, in milliseconds. */
  keepAliveTimeout: number
  /** Takes the connections that this reader does not serve; the bytes they sent are put back. */
  handToNode: (socket: Socket) => void
}

/** The longest time between two searches for idle connections, in milliseconds. */
const SWEEP_INTERVAL = 5_000
/** Longer requests go to `node:http`, which reads them as a stream. */
const MAX_REQUEST_BYTES = 64 * 1024
/** Longer heads are read anew each time: there are many connections, and each one remembers its last head. */
const MAX_REMEMBERED_HEAD = 2 * 1024

const HEAD_END = '\r\n\r\n'
const REPLACEMENT = '\ufffd'
/** The same bytes as `node:http` sends. */
const TIMEOUT_RESPONSE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
const BAD_REQUEST_RESPONSE = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'

export class FastConnections {
  readonly options: FastConnectionOptions
  readonly #all = new Set<FastConnection>()
  readonly #sweepInterval: number
  #cancelSweep: (() => void) | undefined

  constructor(options: FastConnectionOptions) {
    this.options = options
    this.#sweepInterval = Math.min(options.headersTimeout, SWEEP_INTERVAL)
  }

  take(socket: Socket): void {
    this.#all.add(new FastConnection(socket, this))
    this.#cancelSweep ??= this.options.clock.after(this.#sweepInterval, this.#sweep)
  }

  remove(connection: FastConnection): void {
    this.#all.delete(connection)
  }

  /** Ends the connections that wait for another request. */
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
    for (const connection of this.#all) connection.checkTimeouts(now)
    if (this.#all.size > 0) this.#cancelSweep = this.options.clock.after(this.#sweepInterval, this.#sweep)
  }
}

class FastConnection implements ExchangeConnection {
  readonly site: HttpSite
  readonly socket: Socket
  readonly keepAliveSeconds: number
  readonly #connections: FastConnections
  /** Bytes that were read and belong to no request that is served. */
  #unserved: Buffer | undefined
  /** A request is being answered. */
  #busy = false
  #hadRequest = false
  /** Since when it waits for a request. */
  #waitsSince: number
  /** The bytes of the last head, with its empty line, and what they say. Clients hardly ever change their heads. */
  #lastHeadBytes: Buffer | undefined
  #lastHead: RequestHead | undefined

  constructor(socket: Socket, connections: FastConnections) {
    const { site, clock, keepAliveTimeout } = connections.options
    this.socket = socket
    this.site = site
    this.keepAliveSeconds = Math.floor(keepAliveTimeout / 1000)
    this.#connections = connections
    this.#waitsSince = clock.now()
    socket.on('error', ignore)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('close', this.#onClose)
  }

  /** Only this side is ended: the client closes its own, and knows of the end before a new server uses the port. */
  endIfIdle(): void {
    if (!this.#hadRequest || this.#busy || this.#unserved !== undefined) return
    this.#busy = true
    this.socket.end()
  }

  checkTimeouts(now: number): void {
    if (this.#busy) return
    const { headersTimeout, keepAliveTimeout } = this.#connections.options
    // A request that arrives slowly is timed by `node:http`.
    if (this.#unserved !== undefined) return this.#handToNode(this.#unserved)
    // A client that still reads the last answer is not idle.
    if (this.socket.writableLength > 0) this.#waitsSince = now
    const waited = now - this.#waitsSince
    if (this.#hadRequest) {
      if (waited >= keepAliveTimeout) this.socket.destroy()
    } else if (waited >= headersTimeout) {
      this.socket.end(TIMEOUT_RESPONSE, () => this.socket.destroy())
    }
  }

  responseEnded(isLast: boolean): void {
    // The connection stays busy: it takes no more requests, and what was written still goes out.
    if (isLast) return this.socket.destroySoon()
    this.#busy = false
    this.#waitsSince = this.#connections.options.clock.now()
    if (this.#unserved !== undefined) queueMicrotask(this.#resume)
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#read(this.#unserved === undefined ? chunk : Buffer.concat([this.#unserved, chunk]))
  }

  /** Reads a request that came before the last one was answered. */
  readonly #resume = (): void => {
    const unserved = this.#unserved
    if (this.#busy || unserved === undefined || this.socket.destroyed) return
    this.socket.resume()
    this.#read(unserved)
  }

  #read(bytes: Buffer): void {
    const { socket } = this
    this.#unserved = bytes
    if (this.#busy) {
      if (bytes.length > MAX_REQUEST_BYTES) socket.pause()
      return
    }
    // A client that does not read its answers gets no more of them.
    if (socket.writableNeedDrain) {
      socket.pause()
      socket.once('drain', this.#resume)
      return
    }
    const last = this.#lastHeadBytes
    const isSame = last !== undefined && last.length <= bytes.length && last.compare(bytes, 0, last.length) === 0
    const start = isSame ? last.length : bytes.indexOf(HEAD_END) + HEAD_END.length
    const head = isSame ? this.#lastHead : this.#readHead(bytes, start)
    if (head === undefined) return this.#handToNode(bytes)
    const length = start + head.length
    if (bytes.length === length) this.#serve(head, bytes, start)
    // `node:http` works on several requests of one connection at once.
    else if (bytes.length > length || length > MAX_REQUEST_BYTES) this.#handToNode(bytes)
  }

  #readHead(bytes: Buffer, start: number): RequestHead | undefined {
    const end = start - HEAD_END.length
    const head = end < 0 || end > MAX_HEAD_BYTES ? undefined : readRequestHead(bytes.toString('latin1', 0, end))
    const isRemembered = head !== undefined && end <= MAX_REMEMBERED_HEAD
    this.#lastHeadBytes = isRemembered ? Buffer.from(bytes.subarray(0, start)) : undefined
    this.#lastHead = isRemembered ? head : undefined
    return head
  }

  #serve(head: RequestHead, bytes: Buffer, start: number): void {
    this.#unserved = undefined
    this.#busy = true
    this.#hadRequest = true
    const text = bytes.toString('utf8', start)
    // Reading replaces bytes that are not UTF-8. Hardly any text has the replacement itself, so this check is cheap.
    const isText = !text.includes(REPLACEMENT) || isUtf8(bytes.subarray(start))
    serveRead(this.site, new FastExchange(head, isText ? text : '', this), isText)
  }

  #handToNode(bytes: Buffer): void {
    const { socket } = this
    this.#remove()
    socket.pause()
    socket.unshift(bytes)
    this.#connections.options.handToNode(socket)
    socket.resume()
  }

  #remove(): void {
    this.#connections.remove(this)
    this.#unserved = undefined
    this.socket.off('data', this.#onData)
    this.socket.off('end', this.#onEnd)
    this.socket.off('close', this.#onClose)
  }

  /** The client sends no more: a request that is not complete will never be. */
  readonly #onEnd = (): void => {
    if (this.#unserved === undefined || this.#busy) this.socket.end()
    else this.socket.end(BAD_REQUEST_RESPONSE)
    this.#unserved = undefined
  }

  readonly #onClose = (): void => this.#remove()
}

function ignore(): void {}
