/** One plain request and its response, written straight to the connection. */
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpSite } from '../serve/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../transport/index.ts'
import { lengthOf, watchSocket } from './http-exchange.ts'
import { NAME, type PlainHead } from './plain-request.ts'

export interface PlainTurn {
  readonly site: HttpSite
  readonly socket: Socket
  /** Said in every response: how long the connection may be idle, in whole seconds. */
  readonly patience: number
  /** The response is all written; with `isLast` it said that it is the last one. */
  over(isLast: boolean): void
}

export class PlainExchange implements Exchange {
  readonly method = 'POST'
  readonly path: string
  readonly query: string
  body: string
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

  get address(): string | undefined {
    return this.#turn.socket.remoteAddress
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
    if (this.#answered || !socket.writable) return
    const length = lengthOf(body)
    let all = this.#all(headers)
    const isLengthGiven = Object.hasOwn(all, 'content-length')
    if (isLengthGiven && status !== 204) all = { ...all, 'content-length': String(length) }
    const head = headOf(status, all, this.#turn.patience, { length: isLengthGiven || status === 204 ? '' : `content-length: ${length}\r\n` })
    this.#answered = true
    const pieces = BODILESS.has(status) ? '' : body
    if (typeof pieces === 'string') {
      const text = head.text + pieces
      // Text of ASCII alone is the same in both, and Latin-1 costs Node half as much to write.
      socket.write(text, pieces === '' || (head.isAscii && length === pieces.length) ? 'latin1' : 'utf8')
    } else {
      socket.cork()
      socket.write(head.text, typeof pieces[0] === 'string' ? 'utf8' : 'latin1')
      for (const piece of pieces) socket.write(piece)
      socket.uncork()
    }
    this.#turn.site.unread.note(socket)
    this.#turn.over(head.isLast)
  }

  stream(status: number, headers: ResponseHeaders): Sink {
    if (this.#answered) throw new Error('The request has been answered already')
    const head = headOf(status, this.#all(headers), this.#turn.patience, { coding: 'Transfer-Encoding: chunked\r\n' })
    this.#answered = true
    return new PlainSink(this.#turn, head)
  }

  #all(headers: ResponseHeaders): ResponseHeaders {
    const cors = this.#turn.site.corsHeaders(this.#headers.get('origin'))
    return cors === undefined ? headers : { ...headers, ...cors }
  }
}

/** They have no body, whatever is given for one. */
const BODILESS: ReadonlySet<number> = new Set([204, 304])

const OUTSIDE_ASCII = /[^\t\x20-\x7e]/
const CLOSE = /(?:^|\W)close(?:$|\W)/i

interface Head {
  readonly text: string
  readonly isAscii: boolean
  /** It says that the connection ends after the response. */
  readonly isLast: boolean
}

/** The line that tells how long the body is, where Node has it. */
interface Extent {
  readonly length?: string
  readonly coding?: string
}

/** As `node:http` writes it, which adds only what is not given. */
function headOf(status: number, headers: ResponseHeaders, patience: number, { length = '', coding = '' }: Extent): Head {
  const { text, isAscii, hasDate, connection } = linesOf(headers)
  const dated = hasDate ? length : `${length}Date: ${date()}\r\n`
  const kept = connection === undefined ? `Connection: keep-alive\r\nKeep-Alive: timeout=${patience}\r\n` : ''
  return {
    text: `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${text}${dated}${kept}${coding}\r\n`,
    isAscii,
    isLast: connection !== undefined && CLOSE.test(connection),
  }
}

interface Lines {
  readonly text: string
  readonly isAscii: boolean
  readonly hasDate: boolean
  readonly connection: string | undefined
}

/** Of headers that will never be others. */
const known = new WeakMap<ResponseHeaders, Lines>()

function linesOf(headers: ResponseHeaders): Lines {
  const before = known.get(headers)
  if (before !== undefined) return before
  const lines = writtenLines(headers)
  if (Object.isFrozen(headers)) known.set(headers, lines)
  return lines
}

function writtenLines(headers: ResponseHeaders): Lines {
  let text = ''
  let isAscii = true
  let hasDate = false
  let connection: string | undefined
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string
    // Node has the words for what is wrong, but takes its time to find that nothing is.
    if (!NAME.test(name)) validateHeaderName(name)
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
  readonly #head: Head
  #begun = false
  #ended = false
  #isOver = false
  #listeners: (() => void)[] = []
  #stopWatching: (() => void) | undefined

  constructor(turn: PlainTurn, head: Head) {
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
    if (this.#ended || !this.#turn.socket.writable) return
    this.#send(text === '' ? '' : chunkOf(text))
  }

  end(text = ''): void {
    if (this.#ended || !this.#turn.socket.writable) return
    this.#ended = true
    this.#send(`${text === '' ? '' : chunkOf(text)}0\r\n\r\n`, () => this.#close())
    this.#turn.over(this.#head.isLast)
  }

  abort(): void {
    this.#turn.socket.destroy()
  }

  #send(chunk: string, sent?: () => void): void {
    const { socket, site } = this.#turn
    this.#put(socket, chunk, sent)
    site.unread.note(socket)
  }

  #put(socket: Socket, chunk: string, sent: (() => void) | undefined): void {
    if (this.#begun) return void socket.write(chunk, sent)
    this.#begun = true
    if (this.#head.isAscii) return void socket.write(this.#head.text + chunk, sent)
    socket.cork()
    socket.write(this.#head.text, 'latin1')
    socket.write(chunk, sent)
    socket.uncork()
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
