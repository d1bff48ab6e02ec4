/**
 * Newline-delimited frames out of a byte stream, however it is cut into chunks; nothing longer than the limit is ever
 * kept.
 */
import { ENDS, type Invalid, invalid, oversized } from '../jsonrpc/index.ts'

/** Called for every frame; with `problem`, and an empty text, for input that is none. */
export type FrameSink = (text: string, problem?: Invalid) => void

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = 0xfeff
const EMPTY = new Uint8Array(0)
/** The buffer for unfinished lines is given back when one line has made it larger than this. */
const KEPT_CAPACITY = 64 * 1024

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

export class FrameReader {
  readonly #maxBytes: number
  readonly #sink: FrameSink
  /** The beginning of a line whose end has not come yet. */
  #line: Uint8Array = EMPTY
  #length = 0
  /** Set while a line that is too long goes by. */
  #passing: LineEnds | undefined
  #first = true

  constructor(maxBytes: number, sink: FrameSink) {
    this.#maxBytes = maxBytes
    this.#sink = sink
  }

  push(chunk: Uint8Array): void {
    let rest = chunk
    if (this.#length > 0 || this.#passing !== undefined) {
      const end = chunk.indexOf(NEWLINE)
      if (end === -1) return this.#keep(chunk)
      this.#keep(chunk.subarray(0, end))
      this.#finishLine()
      rest = chunk.subarray(end + 1)
    }
    const last = rest.lastIndexOf(NEWLINE)
    if (last !== -1) this.#wholeLines(rest.subarray(0, last))
    if (last + 1 < rest.length) this.#keep(rest.subarray(last + 1))
  }

  /** The input is over. A last line without its newline still counts when it looks whole. */
  end(): void {
    if (this.#passing !== undefined) return this.#finishLine()
    if (this.#length === 0) return
    const last = this.#line.subarray(0, this.#length).findLast((byte) => byte !== CARRIAGE_RETURN && byte !== 0x20)
    if (last === 0x7d || last === 0x5d) return this.#finishLine()
    this.#forgetLine()
    this.#sink('', invalid('parse_error', 'The input ended in the middle of a message'))
  }

  #keep(bytes: Uint8Array): void {
    if (this.#passing !== undefined) return this.#passing.add(bytes)
    const length = this.#length + bytes.length
    if (length > this.#maxBytes) {
      this.#passing = new LineEnds()
      this.#passing.add(this.#line.subarray(0, this.#length))
      this.#passing.add(bytes)
      return this.#forgetLine()
    }
    if (length > this.#line.length) this.#grow(length)
    this.#line.set(bytes, this.#length)
    this.#length = length
  }

  #grow(length: number): void {
    const larger = new Uint8Array(Math.max(length, Math.min(this.#line.length * 2, this.#maxBytes), 1024))
    larger.set(this.#line.subarray(0, this.#length))
    this.#line = larger
  }

  #forgetLine(): void {
    this.#length = 0
    if (this.#line.length > KEPT_CAPACITY) this.#line = EMPTY
  }

  #finishLine(): void {
    const passing = this.#passing
    if (passing !== undefined) {
      this.#passing = undefined
      this.#first = false
      return this.#sink('', passing.problem(this.#maxBytes))
    }
    const line = this.#line.subarray(0, this.#length)
    this.#forgetLine()
    this.#oneLine(line)
  }

  /** The usual case: all lines of a chunk are decoded at once, which is much cheaper than one by one. */
  #wholeLines(block: Uint8Array): void {
    const text = block.length > this.#maxBytes ? undefined : decode(block)
    if (text === undefined) return this.#lineByLine(block)
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#deliver(text.slice(start, end))
      start = end + 1
    }
    this.#deliver(start === 0 ? text : text.slice(start))
  }

  /** Some line is too long or not UTF-8: the others must not suffer for it. */
  #lineByLine(block: Uint8Array): void {
    let start = 0
    for (let end = block.indexOf(NEWLINE); end !== -1; end = block.indexOf(NEWLINE, start)) {
      this.#oneLine(block.subarray(start, end))
      start = end + 1
    }
    this.#oneLine(block.subarray(start))
  }

  #oneLine(line: Uint8Array): void {
    if (line.length > this.#maxBytes) {
      this.#first = false
      const ends = new LineEnds()
      ends.add(line)
      return this.#sink('', ends.problem(this.#maxBytes))
    }
    const text = decode(line)
    if (text !== undefined) return this.#deliver(text)
    this.#first = false
    this.#sink('', invalid('parse_error', 'The message is not valid UTF-8'))
  }

  #deliver(line: string): void {
    let text = line.charCodeAt(line.length - 1) === CARRIAGE_RETURN ? line.slice(0, -1) : line
    // Some shells open what they pipe with a byte order mark.
    if (this.#first) {
      this.#first = false
      if (text.charCodeAt(0) === BYTE_ORDER_MARK) text = text.slice(1)
    }
    if (text !== '') this.#sink(text)
  }
}

/** The first and the last bytes of a line that is too long to be kept. */
class LineEnds {
  #head: Uint8Array = EMPTY
  #tail: Uint8Array = EMPTY

  add(bytes: Uint8Array): void {
    if (this.#head.length < ENDS) this.#head = joined(this.#head, bytes.subarray(0, ENDS - this.#head.length))
    const tail = bytes.length >= ENDS ? bytes : joined(this.#tail, bytes)
    // A copy, so that the rest of the chunk can go.
    this.#tail = new Uint8Array(tail.subarray(-ENDS))
  }

  problem(maxBytes: number): Invalid {
    return oversized(lenient.decode(this.#head), lenient.decode(this.#tail), maxBytes)
  }
}

function joined(one: Uint8Array, two: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + two.length)
  both.set(one)
  both.set(two, one.length)
  return both
}

/** Undefined when the bytes are not UTF-8: replacing what is wrong would change the message without a word. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
