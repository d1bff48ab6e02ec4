/** One plain request and its response, written straight to the connection. */
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpSite } from '../serve/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../transport/index.ts'
import { lengthOf, watchSocket } from './http-exchange.ts'
import type { PlainHead } from './plain-request.ts'

export interface PlainTurn {
  readonly site: HttpSite
  readonly socket: Socket
  /** Said in every response: how long the connection may be idle, in whole seconds. */
  readonly patience: number
  /** The response is all written. */
  over(): void
}

export class PlainExchange implements Exchange {
  readonly method = 'POST'
  readonly path: string
  readonly query: string
  readonly body: string
  readonly #headers: ReadonlyMap<string, string>
  readonly #turn: PlainTurn
  #answered = false

  constructor({ path, query, headers }: PlainHead, body: string, turn: PlainTurn) {
    this.path = path
    this.query = query
    this.body = body
    this.#headers = headers
    this.#turn = turn
  }

  get gone(): boolean {
    return this.#turn.socket.destroyed
  }

  onGone(listener: () => void): () => void {
    return watchSocket(this.#turn.socket, listener)
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)
  }

  respond(status: number, headers: ResponseHeaders, body: ResponseBody = ''): void {
    const { socket } = this.#turn
    if (this.#answered || socket.destroyed) return
    const length = lengthOf(body)
    const head = this.#head(status, headers, status === 204 ? '' : `content-length: ${length}\r\n`)
    this.#answered = true
    if (typeof body === 'string') {
      // Text of ASCII alone is the same in both, and Latin-1 costs Node half as much to write.
      socket.write(head + body, length === body.length ? 'latin1' : 'utf8')
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      for (const piece of body) socket.write(piece)
      socket.uncork()
    }
    this.#turn.over()
  }

  stream(status: number, headers: ResponseHeaders): Sink {
    const head = this.#head(status, headers, 'Transfer-Encoding: chunked\r\n')
    this.#answered = true
    return new PlainSink(this.#turn, head)
  }

  #head(status: number, headers: ResponseHeaders, extent: string): string {
    const { site, patience } = this.#turn
    const cors = site.corsHeaders(this.#headers.get('origin'))
    const own = cors === undefined ? headers : { ...headers, ...cors }
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${linesOf(own)}${extent}Date: ${date()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${patience}\r\n\r\n`
  }
}

/** Headers that were found to be fine, as they are written; most responses have the same few. */
const written = new WeakMap<ResponseHeaders, string>()

function linesOf(headers: ResponseHeaders): string {
  let lines = written.get(headers)
  if (lines === undefined) {
    lines = ''
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      lines += `${name}: ${value}\r\n`
    }
    written.set(headers, lines)
  }
  return lines
}

let second = 0
let dateText = ''

/** Of this second. */
function date(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    dateText = new Date(now * 1000).toUTCString()
  }
  return dateText
}

/** A body in chunks, each with its length before it. */
class PlainSink implements Sink {
  readonly #turn: PlainTurn
  /** Goes out with the first chunk. */
  #head: string
  #ended = false
  #isOver = false
  #listeners: (() => void)[] = []
  #stopWatching: (() => void) | undefined

  constructor(turn: PlainTurn, head: string) {
    this.#turn = turn
    this.#head = head
    this.#stopWatching = watchSocket(turn.socket, () => this.#close())
  }

  get buffered(): number {
    return this.#turn.socket.writableLength
  }

  onClose(listener: () => void): void {
    if (this.#isOver) listener()
    else this.#listeners.push(listener)
  }

  write(text: string): void {
    if (this.#ended || this.#isOver || text === '') return
    this.#turn.socket.write(`${this.#takeHead()}${chunkOf(text)}`)
  }

  end(text = ''): void {
    if (this.#ended || this.#isOver) return
    this.#ended = true
    this.#turn.socket.write(`${this.#takeHead()}${text === '' ? '' : chunkOf(text)}0\r\n\r\n`, () => this.#close())
    this.#turn.over()
  }

  abort(): void {
    this.#turn.socket.destroy()
  }

  #takeHead(): string {
    const head = this.#head
    this.#head = ''
    return head
  }

  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopWatching?.()
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

function chunkOf(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}
