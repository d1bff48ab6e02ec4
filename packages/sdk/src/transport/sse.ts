/** Writes server-sent events, and reads a stream of them as the HTML standard requires. */
import { ParleyError } from '../errors/index.ts'

export interface SseEvent {
  /** The id of this event, if it has one. `SseParser.lastEventId` has the last id of the stream. */
  id?: string
  /** Undefined for the default, `message`. */
  event?: string
  data: string
  /** Milliseconds to wait before reconnecting, if this event has it. */
  retry?: number
}

export interface SseParserOptions {
  /** The longest event, in characters. Limits the memory of a line without end. Default 8 Mi. */
  maxLength?: number
}

const LINE_BREAK = /\r\n|\r|\n/

/** The text of one event. Without `data`, it only sets the id or the delay, and readers do not report it. */
export function sseEvent({ id, event, data, retry }: Partial<SseEvent>): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}${retry === undefined ? '' : `retry: ${retry}\n`}`
  if (data === undefined) return `${head}\n`
  if (!data.includes('\n') && !data.includes('\r')) return `${head}data: ${data}\n\n`
  const lines = data.split(LINE_BREAK)
  return `${head}data: ${lines.join('\ndata: ')}\n\n`
}

/** A comment. Readers skip it. It keeps proxies from closing an idle connection. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`
}

/** Reads decoded text in chunks of any size. As the standard requires, an incomplete last event is not reported. */
export class SseParser {
  /** The id to resume from. Empty if the stream has none. */
  lastEventId = ''
  /** The latest reconnection delay in milliseconds. */
  retry: number | undefined
  readonly #maxLength: number
  #atStart = true
  /** The last chunk ended with CR, so the next one may begin with its LF. */
  #afterReturn = false
  #line = ''
  #length = 0
  #id: string | undefined
  #event = ''
  #data: string[] = []
  #eventRetry: number | undefined

  constructor(options: SseParserOptions = {}) {
    this.#maxLength = options.maxLength ?? 8 * 1024 * 1024
  }

  /**
   * Returns the events that this chunk completes. Throws `result_too_large` if an event is too long; then stop reading.
   */
  push(chunk: string): SseEvent[] {
    const events: SseEvent[] = []
    let at = this.#skipStart(chunk)
    // Each search continues from the last occurrence. Most streams have no CR, so it is searched for once.
    let lineFeed = chunk.indexOf('\n', at)
    let carriageReturn = chunk.indexOf('\r', at)
    while (lineFeed !== -1 || carriageReturn !== -1) {
      const isReturn = carriageReturn !== -1 && (lineFeed === -1 || carriageReturn < lineFeed)
      const end = isReturn ? carriageReturn : lineFeed
      this.#endLine(this.#line + chunk.slice(at, end), events)
      at = end + 1
      if (isReturn) {
        if (at === chunk.length) this.#afterReturn = true
        else if (chunk[at] === '\n') at++
        carriageReturn = chunk.indexOf('\r', at)
      }
      if (lineFeed !== -1 && lineFeed < at) lineFeed = chunk.indexOf('\n', at)
    }
    this.#line += chunk.slice(at)
    if (this.#length + this.#line.length > this.#maxLength) this.#tooLong()
    return events
  }

  /** The start of the text: after a byte order mark, or after the LF of a CR LF. */
  #skipStart(chunk: string): number {
    if (chunk === '') return 0
    let at = 0
    if (this.#atStart && chunk.charCodeAt(0) === 0xfeff) at++
    this.#atStart = false
    if (this.#afterReturn && chunk[at] === '\n') at++
    this.#afterReturn = false
    return at
  }

  #endLine(line: string, events: SseEvent[]): void {
    this.#line = ''
    if (line === '') return this.#dispatch(events)
    const colon = line.indexOf(':')
    // Comments are not counted, so a stream of comments is not one long event.
    if (colon === 0) return
    this.#length += line.length
    if (this.#length > this.#maxLength) this.#tooLong()
    if (colon === -1) return this.#field(line, '')
    this.#field(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1))
  }

  #field(name: string, value: string): void {
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#event = value
    else if (name === 'id') {
      if (!value.includes('\0')) this.#id = value
    } else if (name === 'retry' && /^[0-9]+$/.test(value)) {
      this.#eventRetry = Number(value)
      this.retry = this.#eventRetry
    }
  }

  #dispatch(events: SseEvent[]): void {
    if (this.#id !== undefined) this.lastEventId = this.#id
    if (this.#data.length > 0) {
      const event: SseEvent = { data: this.#data.length === 1 ? (this.#data[0] as string) : this.#data.join('\n') }
      if (this.#id !== undefined) event.id = this.#id
      if (this.#event !== '') event.event = this.#event
      if (this.#eventRetry !== undefined) event.retry = this.#eventRetry
      events.push(event)
      this.#data = []
    }
    this.#id = undefined
    this.#event = ''
    this.#eventRetry = undefined
    this.#length = 0
  }

  #tooLong(): never {
    throw new ParleyError('result_too_large', {
      message: `An event of the server is longer than ${this.#maxLength} characters`,
    })
  }
}
