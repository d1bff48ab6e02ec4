/** A stream of server-sent events that resumes after its connection ends (C-40, A-11). */
import { ParleyError } from '../../../errors/index.ts'
import { SseParser } from '../../sse.ts'
import { readEvents } from './body.ts'
import type { HttpReply } from './call.ts'
import type { LazyAbortController } from './lazy-abort-controller.ts'
import type { HttpLinkSettings } from './options.ts'
import { isTemporary, statusOf } from './refusal.ts'

export interface StreamOwner {
  /** False when no more events are expected. */
  wanted(): boolean
  /** The data of one message. */
  receive(data: string): void
  /** Requests the stream after this event. With an empty id, from now on. Throws if there is no stream. */
  open(lastEventId: string): Promise<HttpReply>
  /** The connection ended before the answer and will be reopened. */
  released?(retry: number | undefined): void
  /** Gets errors that do not end the stream. */
  report(error: ParleyError): void
}

export interface StreamContext {
  readonly settings: HttpLinkSettings
  readonly abortController: LazyAbortController
  /** The longest event, in characters. */
  readonly maxLength: number
}

/** The shortest wait, even if the server asks for none. */
const MIN_DELAY_MS = 10

export class ResumableStream {
  readonly #context: StreamContext
  readonly #owner: StreamOwner
  #lastEventId = ''
  #retry: number | undefined
  /** Failed attempts in a row to open the stream. */
  #failures = 0
  /** Connections in a row that ended without an event. */
  #idle = 0

  constructor(context: StreamContext, owner: StreamOwner) {
    this.#context = context
    this.#owner = owner
  }

  /** Reads the stream of a request. It must be resumed at the same event, or events are lost. */
  async resume(first: HttpReply): Promise<void> {
    let reply = first
    for (;;) {
      const broken = await this.#read(reply)
      if (!this.#owner.wanted()) return
      if (this.#lastEventId === '') throw endedEarly(', and its events have no ids to resume from', broken)
      // The server ended the connection on purpose, and expects the client to come back.
      if (broken === undefined) this.#owner.released?.(this.#retry)
      await this.#pause()
      if (!this.#owner.wanted()) return
      reply = await this.#open()
    }
  }

  /** Reads a stream that cannot be resumed, even if its events have ids (D-62). */
  async once(reply: HttpReply): Promise<void> {
    const broken = await this.#read(reply)
    if (this.#owner.wanted()) throw endedEarly('', broken)
  }

  /** Reads the stream of messages without a request. If it cannot be resumed, opens a new one. */
  async listen(): Promise<void> {
    while (this.#owner.wanted()) {
      try {
        await this.#read(await this.#open())
      } catch (error) {
        if (!this.#owner.wanted() || !this.#canStartOver(error)) throw error
        this.#lastEventId = ''
        this.#owner.report(error as ParleyError)
      }
      if (this.#owner.wanted()) await this.#pause()
    }
  }

  /** Returns the error of a broken connection. Throws if the events cannot be read. */
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
        if (!this.#owner.wanted() || !isTemporary(error) || ++this.#failures >= this.#context.settings.attempts)
          throw error
        await this.#pause()
        if (!this.#owner.wanted()) throw error
      }
    }
  }

  /** Resuming would repeat an unreadable event, and an id may be too old. A new stream avoids both. */
  #canStartOver(error: unknown): boolean {
    if (!(error instanceof ParleyError)) return false
    if (error.kind === 'result_too_large' || error.kind === 'parse_error') return true
    const status = statusOf(error)
    return (
      error.kind === 'transport_error' &&
      this.#lastEventId !== '' &&
      status !== undefined &&
      status !== 405 &&
      !isTemporary(error)
    )
  }

  /** The server's delay is used exactly. Only failures make it longer. */
  #pause(): Promise<void> {
    const { delay, backoff, random, clock } = this.#context.settings
    const told = this.#retry === undefined ? undefined : Math.max(MIN_DELAY_MS, this.#retry)
    const exponent = this.#failures + (told === undefined ? this.#idle : 0)
    const grown = exponent === 0 ? delay : backoff.delayBefore(exponent - 1, random())
    const ms = this.#failures === 0 ? (told ?? grown) : Math.max(told ?? 0, grown)
    const { abortController } = this.#context
    return new Promise((resolve) => {
      if (abortController.aborted) return resolve()
      const done = (): void => {
        cancel()
        abortController.off(done)
        resolve()
      }
      const cancel = clock.after(ms, done)
      abortController.on(done)
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
