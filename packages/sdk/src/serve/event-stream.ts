/**
 * One stream of events to a client. It outlives its connection: what is sent meanwhile is kept, and the client can come
 * back for it.
 */
import type { LoggedEvent } from '../stores/index.ts'
import { type Sink, sseEvent } from '../transport/index.ts'
import type { HttpSettings } from './options.ts'
import type { Beating, Pulse } from './pulse.ts'
import { BEATS_PER_HEARTBEAT, HEARTBEAT, OPENING } from './response.ts'

/** What the streams of one session share. */
export interface StreamHome {
  readonly id: string
  readonly settings: HttpSettings
  readonly pulse: Pulse
  /** Tells the streams of one session from those of another. */
  readonly tag: string
  /** Whether the client knows empty events and streams that end before their time (C-40). */
  readonly polling: boolean
  /** A stream of the session has lost or ended its connection. */
  disconnected(): void
}

export class EventStream implements Beating {
  readonly number: number
  lastBeat = 0
  bagIndex: number | undefined
  /** Number of the latest event. */
  sequence = 0
  readonly #home: StreamHome
  /** The latest event that was written to a connection. */
  #written = 0
  #sink: Sink | undefined
  #finished = false
  /** Set while the log is being read for the next connection: what comes meanwhile. */
  #attempt: LoggedEvent[] | undefined

  constructor(home: StreamHome, number: number) {
    this.#home = home
    this.number = number
  }

  get connected(): boolean {
    return this.#sink !== undefined
  }

  /** The number of the latest event a connection has been given. */
  get written(): number {
    return this.#written
  }

  send(data: string): LoggedEvent {
    const event = this.#log(data)
    if (this.#sink !== undefined) this.#write(event.sequence, this.#text(event))
    return event
  }

  /** The last event, or the end without one. */
  finish(data?: string): void {
    this.#finished = true
    const event = data === undefined ? undefined : this.#log(data)
    this.#disconnect(event === undefined ? undefined : this.#text(event))
  }

  /** The whole stream at once, for an answer that is there before anything was written. */
  finishAtOnce(data: string): string {
    this.#finished = true
    return this.#opening(0) + this.#text(this.#log(data))
  }

  /** Gives the stream a connection; one it already has is ended. `kept` is what the log has of it. */
  connect(sink: Sink, after: number, kept: readonly LoggedEvent[]): void {
    this.#attempt = undefined
    let gone = false
    sink.onClose(() => {
      gone = true
      this.#lost(sink)
    })
    // Who hung up before there was anything to read takes nothing from whoever is still there.
    if (gone) return
    this.#sink?.end()
    this.#sink = sink
    this.#written = after
    let text = this.#opening(after)
    for (const event of kept) {
      if (event.sequence <= this.#written) continue
      text += this.#text(event)
      this.#written = event.sequence
    }
    if (this.#finished) return this.#disconnect(text)
    sink.write(text === '' ? OPENING : text)
    this.#home.pulse.add(this)
  }

  /** Collects events from now on, for a connection that is on its way. Only the latest such attempt counts. */
  prepare(): readonly LoggedEvent[] {
    this.#attempt = []
    return this.#attempt
  }

  /** False when there was another attempt or connection since. */
  expects(attempt: readonly LoggedEvent[]): boolean {
    return this.#attempt === attempt
  }

  /** Ends the connection, not the stream: the client is to come back after `retry`. */
  release(retry: number): void {
    if (this.#sink !== undefined) this.#disconnect(sseEvent({ retry }))
  }

  beat(now: number): void {
    if (now - this.lastBeat < BEATS_PER_HEARTBEAT) return
    this.lastBeat = now
    this.#sink?.write(HEARTBEAT)
  }

  #lost(sink: Sink): void {
    if (this.#sink === sink) {
      this.#sink = undefined
      this.#home.pulse.remove(this)
    }
    this.#home.disconnected()
  }

  #log(data: string): LoggedEvent {
    const event: LoggedEvent = { stream: this.number, sequence: ++this.sequence, data }
    this.#home.settings.eventLog.append(this.#home.id, event)
    this.#attempt?.push(event)
    return event
  }

  #write(sequence: number, text: string): void {
    const sink = this.#sink as Sink
    if (sink.buffered > this.#home.settings.maxUnread) {
      this.#sink = undefined
      this.#home.pulse.remove(this)
      return sink.abort()
    }
    sink.write(text)
    this.#written = sequence
    this.lastBeat = this.#home.pulse.now
  }

  #disconnect(lastWords: string | undefined): void {
    const sink = this.#sink
    this.#sink = undefined
    this.#home.pulse.remove(this)
    sink?.end(lastWords)
  }

  /** C-40: clients that know it get an id to come back with before anything has happened. */
  #opening(after: number): string {
    if (!this.#home.polling) return ''
    return sseEvent({ id: this.#eventId(after), retry: this.#home.settings.retry, data: '' })
  }

  #text({ sequence, data }: LoggedEvent): string {
    return sseEvent({ id: this.#eventId(sequence), data })
  }

  #eventId(sequence: number): string {
    return `${this.#home.tag}.${this.number}-${sequence}`
  }
}

/** The parts of an event id; `undefined` for what is none. */
export function readEventId(id: string): { tag: string; stream: number; sequence: number } | undefined {
  const match = /^([\w-]{1,64})\.(\d{1,15})-(\d{1,15})$/.exec(id)
  return match === null ? undefined : { tag: match[1] as string, stream: Number(match[2]), sequence: Number(match[3]) }
}
