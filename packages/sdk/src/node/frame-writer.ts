/**
 * Writes newline-delimited frames to a stream: a single one at once, a burst of them with one write, and within bounds
 * when nobody reads.
 */
import type { Writable } from 'node:stream'
import { ParleyError } from '../errors/index.ts'

export interface FrameWriterOptions {
  stream: Writable
  /** How the stream is written to, where that is not its own `write`. */
  write?: Writable['write']
  /** Most characters that wait for a reader. Default 64 Mi. */
  maxBuffered?: number
  /** Told when so much waits that the writer's own side should take in no more work, and when that is over. */
  onPressure?: (high: boolean) => void
  /** Nothing can be written any more. */
  onFailure: (error: Error) => void
}

const DEFAULT_BUFFER = 64 * 1024 * 1024
/** Gathering more than this for one write saves nothing. */
const LARGE_BURST = 1024 * 1024

export class FrameWriter {
  readonly #stream: Writable
  readonly #write: Writable['write']
  readonly #maxBuffered: number
  readonly #onPressure: ((high: boolean) => void) | undefined
  readonly #onFailure: (error: Error) => void
  #waiting = ''
  /** From the first frame after a read until all that came with it has been answered. */
  #turnOpen = false
  /** Frames since the last turn ended. */
  #sent = 0
  /**
   * No two frames came in the last turn: so the next one is likely to be alone, too, and gains nothing by waiting for
   * others.
   */
  #calm = true
  /** The stream has taken as much as it wants for now. */
  #full = false
  #pressure = false
  #failed = false

  constructor(options: FrameWriterOptions) {
    this.#stream = options.stream
    this.#write = options.write ?? options.stream.write
    this.#maxBuffered = options.maxBuffered ?? DEFAULT_BUFFER
    this.#onPressure = options.onPressure
    this.#onFailure = options.onFailure
    // Never taken off: an error that comes late must not end the process, either.
    this.#stream.on('error', (error: Error) => this.#fail(error))
    this.#stream.on('drain', () => this.#drained())
  }

  send(frame: string): void {
    if (this.#failed) return
    // Between the tokens of JSON a newline is only white space, and inside strings it is always escaped.
    this.#waiting += `${frame.includes('\n') ? frame.replaceAll('\n', ' ') : frame}\n`
    this.#sent++
    if (this.#full) return this.#checkPressure()
    if (this.#waiting.length > LARGE_BURST || (this.#calm && !this.#turnOpen)) this.#flush()
    if (this.#turnOpen) return
    this.#turnOpen = true
    // After all that came in with the same read has been answered, and before anything else is read.
    setImmediate(this.#onTurn)
  }

  /** Hands over what waits; the promise is kept when the system has taken it, or never will. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#failed || this.#stream.destroyed || this.#stream.writableEnded) return resolve()
      const rest = this.#waiting
      this.#waiting = ''
      // A stream that fails answers its writes with the error.
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
