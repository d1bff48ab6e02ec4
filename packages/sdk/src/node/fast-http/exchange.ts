/** One request that `FastConnections` has read, and its response, which is written straight to the socket. */
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpSite } from '../../serve/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../../transport/index.ts'
import { lengthOf, watchSocket } from '../http/exchange.ts'
import { HEADER_NAME, type RequestHead } from './request-head.ts'

/** The connection that an exchange belongs to. */
export interface ExchangeConnection {
  readonly site: HttpSite
  readonly socket: Socket
  /** How long the connection may be idle, for the header Keep-Alive. */
  readonly keepAliveSeconds: number
  /** The whole response is written; with `isLast` its head said that the connection ends after it. */
  responseEnded(isLast: boolean): void
}

export class FastExchange implements Exchange {
  readonly method = 'POST'
  readonly path: string
  readonly query: string
  body: string
  readonly #headers: ReadonlyMap<string, string>
  readonly #connection: ExchangeConnection
  #answered = false

  constructor({ path, query, headers }: RequestHead, body: string, connection: ExchangeConnection) {
    this.path = path
    this.query = query
    this.body = body
    this.#headers = headers
    this.#connection = connection
  }

  get address(): string | undefined {
    return this.#connection.socket.remoteAddress
  }

  get gone(): boolean {
    return this.#connection.socket.destroyed
  }

  onGone(listener: () => void): () => void {
    return watchSocket(this.#connection.socket, listener)
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)
  }

  respond(status: number, headers: ResponseHeaders, body: ResponseBody = ''): void {
    const { socket } = this.#connection
    if (this.#answered || !socket.writable) return
    const length = lengthOf(body)
    let all = this.#all(headers)
    const isLengthGiven = Object.hasOwn(all, 'content-length')
    if (isLengthGiven && status !== 204) all = { ...all, 'content-length': String(length) }
    const head = headOf(status, all, this.#connection.keepAliveSeconds, {
      length: isLengthGiven || status === 204 ? '' : `content-length: ${length}\r\n`,
    })
    this.#answered = true
    const pieces = BODILESS.has(status) ? '' : body
    if (typeof pieces === 'string') {
      const text = head.text + pieces
      // ASCII text is the same in both encodings, and Latin-1 costs Node half as much to write.
      socket.write(text, pieces === '' || (head.isAscii && length === pieces.length) ? 'latin1' : 'utf8')
    } else {
      socket.cork()
      socket.write(head.text, typeof pieces[0] === 'string' ? 'utf8' : 'latin1')
      for (const piece of pieces) socket.write(piece)
      socket.uncork()
    }
    this.#connection.site.unreadLimit.check(socket)
    this.#connection.responseEnded(head.isLast)
  }

  stream(status: number, headers: ResponseHeaders): Sink {
    if (this.#answered) throw new Error('The request has been answered already')
    const head = headOf(status, this.#all(headers), this.#connection.keepAliveSeconds, {
      coding: 'Transfer-Encoding: chunked\r\n',
    })
    this.#answered = true
    return new ChunkedSink(this.#connection, head)
  }

  #all(headers: ResponseHeaders): ResponseHeaders {
    const cors = this.#connection.site.corsHeaders(this.#headers.get('origin'))
    return cors === undefined ? headers : { ...headers, ...cors }
  }
}

/** Responses with these statuses have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 304])

const OUTSIDE_ASCII = /[^\t\x20-\x7e]/
const CLOSE = /(?:^|\W)close(?:$|\W)/i

interface Head {
  readonly text: string
  readonly isAscii: boolean
  /** The head says that the connection ends after the response. */
  readonly isLast: boolean
}

/** The line with the length of the body, at the position where Node writes it. */
interface LengthLines {
  readonly length?: string
  readonly coding?: string
}

/** The head as `node:http` writes it. Date and Connection are added only where `headers` does not have them. */
function headOf(
  status: number,
  headers: ResponseHeaders,
  keepAliveSeconds: number,
  { length = '', coding = '' }: LengthLines,
): Head {
  const { text, isAscii, hasDate, connection } = linesOf(headers)
  const dated = hasDate ? length : `${length}Date: ${date()}\r\n`
  const kept = connection === undefined ? `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n` : ''
  return {
    text: `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${text}${dated}${kept}${coding}\r\n`,
    isAscii,
    isLast: connection !== undefined && CLOSE.test(connection),
  }
}

interface HeaderLines {
  readonly text: string
  readonly isAscii: boolean
  readonly hasDate: boolean
  readonly connection: string | undefined
}

/** Of headers that will never be others. */
const known = new WeakMap<ResponseHeaders, HeaderLines>()

function linesOf(headers: ResponseHeaders): HeaderLines {
  const before = known.get(headers)
  if (before !== undefined) return before
  const lines = writtenLines(headers)
  if (Object.isFrozen(headers)) known.set(headers, lines)
  return lines
}

function writtenLines(headers: ResponseHeaders): HeaderLines {
  let text = ''
  let isAscii = true
  let hasDate = false
  let connection: string | undefined
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string
    // The checks of Node throw the right errors, but they are slow, so only suspicious names and values get there.
    if (!HEADER_NAME.test(name)) validateHeaderName(name)
    if (typeof value !== 'string' || OUTSIDE_ASCII.test(value)) {
      validateHeaderValue(name, value)
      isAscii = false
    }
    text += `${name}: ${value}\r\n`
    const key = name.toLowerCase()
    if (key === 'date') hasDate = true
    else if (key === 'connection') connection = value
  }
  return { text, isAscii, hasDate, connection }
}

let second = 0
let dateText = ''

/** The date header, made once a second. */
function date(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    dateText = new Date(now * 1000).toUTCString()
  }
  return dateText
}

/** A body in chunks, each after its length. */
class ChunkedSink implements Sink {
  readonly #connection: ExchangeConnection
  /** Written with the first chunk. */
  readonly #head: Head
  #headWritten = false
  #ended = false
  #isClosed = false
  #listeners: (() => void)[] = []
  #stopWatching: (() => void) | undefined

  constructor(connection: ExchangeConnection, head: Head) {
    this.#connection = connection
    this.#head = head
    this.#stopWatching = watchSocket(connection.socket, () => this.#close())
  }

  get buffered(): number {
    return this.#connection.socket.writableLength
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#listeners.push(listener)
  }

  write(text: string): void {
    if (this.#ended || !this.#connection.socket.writable) return
    this.#send(text === '' ? '' : chunkOf(text))
  }

  end(text = ''): void {
    if (this.#ended || !this.#connection.socket.writable) return
    this.#ended = true
    this.#send(`${text === '' ? '' : chunkOf(text)}0\r\n\r\n`, () => this.#close())
    this.#connection.responseEnded(this.#head.isLast)
  }

  abort(): void {
    this.#connection.socket.destroy()
  }

  #send(chunk: string, sent?: () => void): void {
    const { socket, site } = this.#connection
    this.#put(socket, chunk, sent)
    site.unreadLimit.check(socket)
  }

  #put(socket: Socket, chunk: string, sent: (() => void) | undefined): void {
    if (this.#headWritten) return void socket.write(chunk, sent)
    this.#headWritten = true
    if (this.#head.isAscii) return void socket.write(this.#head.text + chunk, sent)
    socket.cork()
    socket.write(this.#head.text, 'latin1')
    socket.write(chunk, sent)
    socket.uncork()
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stopWatching?.()
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

function chunkOf(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}
