/** A link over a readable and a writable stream of bytes, such as pipes and sockets. */
import type { Readable, Writable } from 'node:stream'
import { ParleyError } from '../errors/index.ts'
import { DEFAULT_LIMITS, type Link, type LinkEvents } from '../jsonrpc/index.ts'
import { FrameReader } from '../transport/index.ts'
import { FrameWriter } from './frame-writer.ts'

export interface StreamLinkOptions {
  transport: string
  input: Readable
  output: Writable
  /** Replaces the output's own `write`. */
  write?: Writable['write']
  /** Most characters that are buffered for a peer that does not read. Default 64 Mi. */
  maxBuffered?: number
  /** The peer sends no more, but may still read. Default: the link ends. */
  onInputEnd?: () => void
  /** A stream failed. Default: the link ends. */
  onFailure?: (error: Error) => void
  /** Called once at the end. `flushed` resolves when the system has taken the last frame, or the output has failed. */
  onOver?: (flushed: Promise<void>) => void
}

export class StreamLink implements Link {
  readonly transport: string
  readonly #options: StreamLinkOptions
  readonly #writer: FrameWriter
  #events: LinkEvents | undefined
  #over = false
  #inputOver = false
  #reason: Error | undefined

  constructor(options: StreamLinkOptions) {
    this.transport = options.transport
    this.#options = options
    const { input, output } = options
    const fail = (error: Error): void =>
      options.onFailure === undefined ? this.end(asReason(options.transport, error)) : options.onFailure(error)
    this.#writer = new FrameWriter({
      stream: output,
      ...(options.write === undefined ? {} : { write: options.write }),
      ...(options.maxBuffered === undefined ? {} : { maxBuffered: options.maxBuffered }),
      // A peer that sends but does not read must not fill the memory with answers.
      onPressure: (high) => (high ? input.pause() : input.resume()),
      onFailure: fail,
    })
    // A socket is both streams, and the writer listens already.
    if ((input as unknown) !== output) input.on('error', fail)
  }

  open(events: LinkEvents): void {
    if (this.#events !== undefined)
      throw new ParleyError('transport_error', { message: `This ${this.transport} link is already in use` })
    this.#events = events
    if (this.#over) return queueMicrotask(() => events.closed(this.#reason))
    const reader = new FrameReader(events.maxBytes ?? DEFAULT_LIMITS.maxBytes, (text, problem) => {
      if (!this.#over) events.frame(text, problem)
    })
    const { input } = this.#options
    // Reading continues after the end of the link, so that the peer can finish writing.
    input.on('data', (chunk: Uint8Array) => {
      if (!this.#over) reader.push(chunk)
    })
    input.once('end', () => {
      if (!this.#over) reader.end()
      this.#inputEnded()
    })
    // Emitted without `end` if the stream was destroyed.
    input.once('close', () => this.#inputEnded())
  }

  #inputEnded(): void {
    if (this.#over || this.#inputOver) return
    this.#inputOver = true
    const { onInputEnd } = this.#options
    if (onInputEnd === undefined) this.end()
    else onInputEnd()
  }

  send(frame: string): void {
    if (this.#over) throw this.#closedError()
    this.#writer.send(frame)
  }

  close(): void {
    this.end()
  }

  #closedError(): ParleyError {
    const reason = this.#reason
    const why = reason === undefined ? '' : `: ${reason.message}`
    return new ParleyError('transport_error', {
      message: `The ${this.transport} link is closed${why}`,
      ...(reason === undefined ? {} : { cause: reason }),
    })
  }

  /** Closes the link. `reason`: if this side did not want the end. */
  end(reason?: Error): void {
    if (this.#over) return
    this.#over = true
    this.#reason = reason
    const flushed = this.#writer.finish()
    const { input, onOver } = this.#options
    input.resume()
    onOver?.(flushed)
    const events = this.#events
    if (events !== undefined) queueMicrotask(() => events.closed(reason))
  }
}

function asReason(transport: string, error: Error): ParleyError {
  if (error instanceof ParleyError) return error
  return new ParleyError('transport_error', { message: `The ${transport} link failed: ${error.message}`, cause: error })
}
