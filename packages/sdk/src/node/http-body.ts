/** Reads the body of a request within limits, and no further than needed. */
import { isUtf8 } from 'node:buffer'
import type { Clock } from '../session/index.ts'
import type { NodeRequest } from './http-exchange.ts'

export type BodyFault = 'too-long' | 'too-slow' | 'not-text' | 'broken-off'

/** Calls back once, with the text or with what is wrong. */
export class BodyReader {
  readonly #maxBytes: number
  readonly #done: (text: string, fault: BodyFault | undefined) => void
  readonly #expected: number
  #chunks: Buffer[] | undefined
  #length = 0
  #over = false
  #cancelTimer: (() => void) | undefined

  constructor(request: NodeRequest, maxBytes: number, done: (text: string, fault: BodyFault | undefined) => void) {
    this.#maxBytes = maxBytes
    this.#done = done
    this.#expected = Number(request.headers['content-length'] ?? Number.NaN)
    request.on('data', (chunk: Buffer) => this.#take(chunk))
    request.on('end', () => this.#finish(undefined))
    request.on('close', () => this.#fail('broken-off'))
    request.on('error', () => this.#fail('broken-off'))
  }

  /** HTTP/1.1 servers have a time-out of their own for this. */
  within(ms: number, clock: Clock): this {
    if (!this.#over) this.#cancelTimer = clock.after(ms, () => this.#fail('too-slow'))
    return this
  }

  #take(chunk: Buffer): void {
    if (this.#over) return
    this.#length += chunk.length
    if (this.#length > this.#maxBytes) return this.#fail('too-long')
    // Nearly every body comes in one piece, of which the length was announced: no need to wait for the end.
    if (this.#chunks === undefined && this.#length === this.#expected) return this.#finish(chunk)
    this.#chunks ??= []
    this.#chunks.push(chunk)
    if (this.#length === this.#expected) this.#finish(undefined)
  }

  #finish(whole: Buffer | undefined): void {
    if (this.#over) return
    const bytes = whole ?? (this.#chunks === undefined ? EMPTY : Buffer.concat(this.#chunks, this.#length))
    if (!isUtf8(bytes)) return this.#fail('not-text')
    this.#close()
    this.#done(bytes.toString('utf8'), undefined)
  }

  #fail(fault: BodyFault): void {
    if (this.#over) return
    this.#close()
    this.#done('', fault)
  }

  #close(): void {
    this.#over = true
    this.#chunks = undefined
    this.#cancelTimer?.()
  }
}

const EMPTY = Buffer.alloc(0)
