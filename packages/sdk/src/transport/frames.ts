/** Reads newline-delimited frames from a byte stream. Never buffers more than the limit. */
import { ENDS, type Invalid, invalid, oversized } from '../jsonrpc/index.ts'

/** Called for each frame. For invalid input, with `problem` and an empty text. */
export type FrameSink = (text: string, problem?: Invalid) => void

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = 0xfeff
const EMPTY = new Uint8Array(0)
/** A larger buffer is freed after the line that needed it. */
const MAX_KEPT_CAPACITY = 64 * 1024

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

export class FrameReader {
  readonly #maxBytes: number
  readonly #sink: FrameSink
  /** The beginning of an unfinished line. */
  #line: Uint8Array = EMPTY
  #length = 0
  /** Set while skipping a line that is too long. */
  #skipped: LineEnds | undefined
  #first = true

  constructor(maxBytes: number, sink: FrameSink) {
    this.#maxBytes = maxBytes
    this.#sink = sink
  }

  push(chunk: Uint8Array): void {
    let rest = chunk
    if (this.#length > 0 || this.#skipped !== undefined) {
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

  /** The input has ended. A last line without a newline counts if it looks complete. */
  end(): void {
    if (this.#skipped !== undefined) return this.#finishLine()
    if (this.#length === 0) return
    const last = this.#line.subarray(0, this.#length).findLast((byte) => byte !== CARRIAGE_RETURN && byte !== 0x20)
    if (last === 0x7d || last === 0x5d) return this.#finishLine()
    this.#forgetLine()
    this.#sink('', invalid('parse_error', 'The input ended in the middle of a message'))
  }

  #keep(bytes: Uint8Array): void {
    if (this.#skipped !== undefined) return this.#skipped.add(bytes)
    const length = this.#length + bytes.length
    if (length > this.#maxBytes) {
      this.#skipped = new LineEnds()
      this.#skipped.add(this.#line.subarray(0, this.#length))
      this.#skipped.add(bytes)
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
    if (this.#line.length > MAX_KEPT_CAPACITY) this.#line = EMPTY
  }

  #finishLine(): void {
    const skipped = this.#skipped
    if (skipped !== undefined) {
      this.#skipped = undefined
      this.#first = false
      return this.#sink('', skipped.problem(this.#maxBytes))
    }
    const line = this.#line.subarray(0, this.#length)
    this.#forgetLine()
    this.#oneLine(line)
  }

  /** The usual case: decodes all lines of a chunk at once, which is much cheaper than one by one. */
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

  /** A line is too long or not UTF-8. The others are still delivered. */
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
    // Some shells put a byte order mark before piped input.
    if (this.#first) {
      this.#first = false
      if (text.charCodeAt(0) === BYTE_ORDER_MARK) text = text.slice(1)
    }
    if (text !== '') this.#sink(text)
  }
}

/** The first and last bytes of a line that is too long. */
class LineEnds {
  #head: Uint8Array = EMPTY
  #tail: Uint8Array = EMPTY

  add(bytes: Uint8Array): void {
    if (this.#head.length < ENDS) this.#head = joined(this.#head, bytes.subarray(0, ENDS - this.#head.length))
    const tail = bytes.length >= ENDS ? bytes : joined(this.#tail, bytes)
    // A copy, so that the chunk can be freed.
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

/** Undefined for invalid UTF-8. Replacement characters would change the message silently. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}
