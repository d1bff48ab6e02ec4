/** Writes newline-delimited frames to a stream: one frame at once, a burst with one write. The buffer is limited. */
import type { Writable } from 'node:stream'
import { ParleyError } from '../errors/index.ts'

export interface FrameWriterOptions {
  stream: Writable
  /** Replaces the stream's own `write`. */
  write?: Writable['write']
  /** Most buffered characters. Default 64 Mi. */
  maxBuffered?: number
  /** Called with true when so much is buffered that this side should read no more input, and with false after that. */
  onPressure?: (high: boolean) => void
  /** The stream failed, and nothing more can be written. */
  onFailure: (error: Error) => void
}

const DEFAULT_BUFFER = 64 * 1024 * 1024
/** Collecting more than this for one write saves nothing. */
const LARGE_BURST = 1024 * 1024

export class FrameWriter {
  readonly #stream: Writable
  readonly #write: Writable['write']
  readonly #maxBuffered: number
  readonly #onPressure: ((high: boolean) => void) | undefined
  readonly #onFailure: (error: Error) => void
  #waiting = ''
  /** True from the first frame until the end of this turn of the event loop. */
  #turnOpen = false
  /** The frames since the end of the last turn. */
  #sent = 0
  /** The last turn had at most one frame. The next frame is probably alone too, and is written without waiting. */
  #calm = true
  /** The stream's own buffer is full. */
  #full = false
  #pressure = false
  #failed = false

  constructor(options: FrameWriterOptions) {
    this.#stream = options.stream
    this.#write = options.write ?? options.stream.write
    this.#maxBuffered = options.maxBuffered ?? DEFAULT_BUFFER
    this.#onPressure = options.onPressure
    this.#onFailure = options.onFailure
    // Never removed: a late error must not end the process.
    this.#stream.on('error', (error: Error) => this.#fail(error))
    this.#stream.on('drain', () => this.#drained())
  }

  send(frame: string): void {
    if (this.#failed) return
    // In JSON a newline is only white space between tokens. In strings it is escaped.
    this.#waiting += `${frame.includes('\n') ? frame.replaceAll('\n', ' ') : frame}\n`
    this.#sent++
    if (this.#full) return this.#checkPressure()
    if (this.#waiting.length > LARGE_BURST || (this.#calm && !this.#turnOpen)) this.#flush()
    if (this.#turnOpen) return
    this.#turnOpen = true
    // Runs after all messages of the same read were handled, and before the next read.
    setImmediate(this.#onTurn)
  }

  /** Writes the rest. Resolves when the system has taken it, or the stream has failed. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#failed || this.#stream.destroyed || this.#stream.writableEnded) return resolve()
      const rest = this.#waiting
      this.#waiting = ''
      // A failed stream also calls back.
      this.#write.call(this.#stream, rest, 'utf8', () => resolve())
    })
  }

  readonly #onTurn = (): void => {
    this.#turnOpen = false
    this.#calm = this.#sent <= 1
    this.#sent = 0
    this.#flush()
  }

  #flush(): void {
    const text = this.#waiting
    if (text === '' || this.#full || this.#failed) return
    this.#waiting = ''
    try {
      this.#full = !this.#write.call(this.#stream, text, 'utf8')
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #drained(): void {
    this.#full = false
    if (this.#pressure) {
      this.#pressure = false
      this.#onPressure?.(false)
    }
    this.#flush()
  }

  #checkPressure(): void {
    const length = this.#waiting.length
    if (length > this.#maxBuffered) {
      return this.#fail(
        new ParleyError('transport_error', { message: `The peer does not read: ${length} characters wait for it` }),
      )
    }
    if (this.#pressure || length * 4 <= this.#maxBuffered) return
    this.#pressure = true
    this.#onPressure?.(true)
  }

  #fail(error: Error): void {
    if (this.#failed) return
    this.#failed = true
    this.#waiting = ''
    this.#onFailure(error)
  }
}
