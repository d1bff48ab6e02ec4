/**
 * A stream of server-sent events that outlives its connections: when one ends, the next goes on where it stopped (C-40,
 *
 */
import { ParleyError } from '../../errors/index.ts'
import { SseParser } from '../sse.ts'
import { readEvents } from './client-body.ts'
import type { HttpReply } from './client-call.ts'
import type { HttpLinkSettings } from './client-options.ts'
import { isPassing, statusOf } from './client-refusal.ts'
import type { Hangup } from './hangup.ts'

export interface StreamOwner {
  /** False once nothing is expected from the stream any more. */
  wanted(): boolean
  /** The data of one message. */
  receive(data: string): void
  /**
   * Asks the server for the stream, from behind this event; from now on when it is empty. Throws when there is none.
   */
  open(lastEventId: string): Promise<HttpReply>
  /** The connection ended before the answer, and will be made again. */
  released?(retry: number | undefined): void
  /** Told what went wrong although the stream goes on. */
  report(error: ParleyError): void
}

export interface StreamContext {
  readonly settings: HttpLinkSettings
  readonly hangup: Hangup
  /** Longest event in characters. */
  readonly maxLength: number
}

/** A server that wants to be asked again at once is asked again soon. */
const MIN_DELAY = 10

export class EventStream {
  readonly #context: StreamContext
  readonly #owner: StreamOwner
  #lastEventId = ''
  #retry: number | undefined
  /** Attempts in a row to open the stream that failed. */
  #failures = 0
  /** Connections in a row that ended without an event. */
  #idle = 0

  constructor(context: StreamContext, owner: StreamOwner) {
    this.#context = context
    this.#owner = owner
  }

  /** A stream that a request opened. It must be resumed where it broke off, or what was to come on it is lost. */
  async resume(first: HttpReply): Promise<void> {
    let reply = first
    for (;;) {
      const broken = await this.#read(reply)
      if (!this.#owner.wanted()) return
      if (this.#lastEventId === '') throw endedEarly(', and its events have no ids to resume from', broken)
      // One that broke off is mended here; one that was ended is meant to be looked for again.
      if (broken === undefined) this.#owner.released?.(this.#retry)
      await this.#pause()
      if (!this.#owner.wanted()) return
      reply = await this.#open()
    }
  }

  /** A stream that cannot be resumed, whatever ids its events have: what did not come on it never will (D-62). */
  async once(reply: HttpReply): Promise<void> {
    const broken = await this.#read(reply)
    if (this.#owner.wanted()) throw endedEarly('', broken)
  }

  /**
   * The stream of everything that belongs to no request: when it cannot be resumed, a new one is as good as it gets.
   */
  async listen(): Promise<void> {
    while (this.#owner.wanted()) {
      try {
        await this.#read(await this.#open())
      } catch (error) {
        if (!this.#owner.wanted() || !this.#canBeginAnew(error)) throw error
        this.#lastEventId = ''
        this.#owner.report(error as ParleyError)
      }
      if (this.#owner.wanted()) await this.#pause()
    }
  }

  /** Returns the error that a connection broke off with; throws when what came cannot be read. */
  async #read(reply: HttpReply): Promise<unknown> {
    const parser = new SseParser({ maxLength: this.#context.maxLength })
    this.#idle++
    try {
      await readEvents(reply, parser, ({ event = 'message', data }) => {
        this.#failures = 0
        this.#idle = 0
        // C-40: an event without data only gives an id to resume from.
        if (event === 'message' && data !== '') this.#owner.receive(data)
      })
      return undefined
    } catch (error) {
      if (error instanceof ParleyError && error.kind !== 'transport_error') throw error
      return error
    } finally {
      if (parser.lastEventId !== '') this.#lastEventId = parser.lastEventId
      this.#retry = parser.retry ?? this.#retry
    }
  }

  async #open(): Promise<HttpReply> {
    for (;;) {
      try {
        return await this.#owner.open(this.#lastEventId)
      } catch (error) {
        if (!this.#owner.wanted() || !isPassing(error) || ++this.#failures >= this.#context.settings.attempts)
          throw error
        await this.#pause()
        if (!this.#owner.wanted()) throw error
      }
    }
  }

  /** An event that cannot be read would come again, and an id may be too old. */
  #canBeginAnew(error: unknown): boolean {
    if (!(error instanceof ParleyError)) return false
    if (error.kind === 'result_too_large' || error.kind === 'parse_error') return true
    const status = statusOf(error)
    return (
      error.kind === 'transport_error' &&
      this.#lastEventId !== '' &&
      status !== undefined &&
      status !== 405 &&
      !isPassing(error)
    )
  }

  /** The server's own delay is kept to the millisecond; only failures make it longer. */
  #pause(): Promise<void> {
    const { delay, backoff, random, clock } = this.#context.settings
    const told = this.#retry === undefined ? undefined : Math.max(MIN_DELAY, this.#retry)
    const exponent = this.#failures + (told === undefined ? this.#idle : 0)
    const grown = exponent === 0 ? delay : backoff.delayBefore(exponent - 1, random())
    const ms = this.#failures === 0 ? (told ?? grown) : Math.max(told ?? 0, grown)
    const { hangup } = this.#context
    return new Promise((resolve) => {
      if (hangup.aborted) return resolve()
      const done = (): void => {
        cancel()
        hangup.off(done)
        resolve()
      }
      const cancel = clock.after(ms, done)
      hangup.on(done)
    })
  }
}

function endedEarly(detail: string, broken: unknown): ParleyError {
  const why = broken instanceof Error ? `: ${broken.message}` : ''
  return new ParleyError('transport_error', {
    message: `The stream ended before the answer${detail}${why}`,
    ...(broken === undefined ? {} : { cause: broken }),
  })
}
