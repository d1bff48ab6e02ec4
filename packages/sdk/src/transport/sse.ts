/** Server-sent events as text: writing one, and reading a stream of them as the HTML standard says. */
import { ParleyError } from '../errors/index.ts'

export interface SseEvent {
  /** Only when this very event carried one; what holds for the whole stream is `SseParser.lastEventId`. */
  id?: string
  /** Absent for the default, `message`. */
  event?: string
  data: string
  /** Milliseconds to wait before reconnecting, when this event carried it. */
  retry?: number
}

export interface SseParserOptions {
  /** Longest event in characters, so that a line without end cannot eat the memory. Default 8 Mi. */
  maxLength?: number
}

const LINE_BREAK = /\r\n|\r|\n/

/** The text of one event. An event without `data` only moves the id or the delay; nobody is told of it. */
export function sseEvent({ id, event, data, retry }: Partial<SseEvent>): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}${retry === undefined ? '' : `retry: ${retry}\n`}`
  if (data === undefined) return `${head}\n`
  if (!data.includes('\n') && !data.includes('\r')) return `${head}data: ${data}\n\n`
  const lines = data.split(LINE_BREAK)
  return `${head}data: ${lines.join('\ndata: ')}\n\n`
}

/** A line that readers skip: it keeps idle proxies from hanging up. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`
}

/**
 * Reads decoded text in any chunks. An event cut off by the end of the stream is never reported, as the standard
 * demands.
 */
export class SseParser {
  /** The id to resume from; empty when the stream never gave one, or took it back. */
  lastEventId = ''
  /** The latest reconnection delay in milliseconds. */
  retry: number | undefined
  readonly #maxLength: number
  #atStart = true
  /** The last chunk ended in CR, whose LF may be the first character of the next one. */
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
   * The events completed by this chunk. Throws `result_too_large` when one is longer than allowed; the stream is of no
   * use then.
   */
  push(chunk: string): SseEvent[] {
    const events: SseEvent[] = []
    let at = this.#begin(chunk)
    // Each kind of line end is looked for once per occurrence, not once per line: most streams have no CR at all.
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

  /** Where to begin: after a byte order mark, or after the second half of a line end. */
  #begin(chunk: string): number {
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
    // Comments are forgotten at once, so a stream of nothing but comments is not one long event.
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
