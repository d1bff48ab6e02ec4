/** A stream of events to a client. It keeps events without a connection, and the client can resume it. */
import type { LoggedEvent } from '../../stores/index.ts'
import { type Sink, sseEvent } from '../../transport/index.ts'
import type { Heartbeat, HeartbeatItem } from '../heartbeat.ts'
import type { HttpSettings } from '../options.ts'
import { BEATS_PER_HEARTBEAT, KEEP_ALIVE, STREAM_OPENED } from '../responses/response.ts'

/** The session of some streams. */
export interface EventStreamHost {
  readonly id: string
  readonly settings: HttpSettings
  readonly heartbeat: Heartbeat
  /** Distinguishes the event ids of sessions. */
  readonly tag: string
  /** Whether the client supports empty events and streams that end early (C-40). */
  readonly polling: boolean
  /** The connection of a stream was lost or ended. */
  disconnected(): void
}

export class EventStream implements HeartbeatItem {
  readonly number: number
  lastBeat = 0
  bagIndex: number | undefined
  /** The number of the latest event. */
  sequence = 0
  readonly #host: EventStreamHost
  /** The latest event that was written to a connection. */
  #written = 0
  #sink: Sink | undefined
  #finished = false
  /** Set while the log is read for the next connection: the events of that time. */
  #eventsSinceRead: LoggedEvent[] | undefined

  constructor(host: EventStreamHost, number: number) {
    this.#host = host
    this.number = number
  }

  get connected(): boolean {
    return this.#sink !== undefined
  }

  /** The number of the latest event that was written to a connection. */
  get written(): number {
    return this.#written
  }

  send(data: string): LoggedEvent {
    const event = this.#log(data)
    if (this.#sink !== undefined) this.#write(event.sequence, this.#text(event))
    return event
  }

  /** Ends the stream, with a last event if there is one. */
  finish(data?: string): void {
    this.#finished = true
    const event = data === undefined ? undefined : this.#log(data)
    this.#disconnect(event === undefined ? undefined : this.#text(event))
  }

  /** The text of the whole stream, for an answer that comes before anything was written. */
  finishAtOnce(data: string): string {
    this.#finished = true
    return this.#opening(0) + this.#text(this.#log(data))
  }

  /** Gives the stream a connection and ends the previous one. `kept`: its events in the log. */
  connect(sink: Sink, after: number, kept: readonly LoggedEvent[]): void {
    this.#eventsSinceRead = undefined
    let gone = false
    sink.onClose(() => {
      gone = true
      this.#lost(sink)
    })
    // A connection that is already closed does not replace a working one.
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
    sink.write(text === '' ? STREAM_OPENED : text)
    this.#host.heartbeat.add(this)
  }

  /** Collects events from now on, for the next connection. A later call replaces this one. */
  prepare(): readonly LoggedEvent[] {
    this.#eventsSinceRead = []
    return this.#eventsSinceRead
  }

  /** False if there was another attempt or connection since. */
  expects(attempt: readonly LoggedEvent[]): boolean {
    return this.#eventsSinceRead === attempt
  }

  /** Ends the connection, but not the stream. The client reconnects after `retry`. */
  release(retry: number): void {
    if (this.#sink !== undefined) this.#disconnect(sseEvent({ retry }))
  }

  beat(now: number): void {
    if (now - this.lastBeat < BEATS_PER_HEARTBEAT) return
    this.lastBeat = now
    this.#sink?.write(KEEP_ALIVE)
  }

  #lost(sink: Sink): void {
    if (this.#sink === sink) {
      this.#sink = undefined
      this.#host.heartbeat.remove(this)
    }
    this.#host.disconnected()
  }

  #log(data: string): LoggedEvent {
    const event: LoggedEvent = { stream: this.number, sequence: ++this.sequence, data }
    this.#host.settings.eventLog.append(this.#host.id, event)
    this.#eventsSinceRead?.push(event)
    return event
  }

  #write(sequence: number, text: string): void {
    const sink = this.#sink as Sink
    if (sink.buffered > this.#host.settings.maxUnread) {
      this.#sink = undefined
      this.#host.heartbeat.remove(this)
      return sink.abort()
    }
    sink.write(text)
    this.#written = sequence
    this.lastBeat = this.#host.heartbeat.now
  }

  #disconnect(lastText: string | undefined): void {
    const sink = this.#sink
    this.#sink = undefined
    this.#host.heartbeat.remove(this)
    sink?.end(lastText)
  }

  /** C-40: clients that support it get an event id first, so that they can resume at once. */
  #opening(after: number): string {
    if (!this.#host.polling) return ''
    return sseEvent({ id: this.#eventId(after), retry: this.#host.settings.retry, data: '' })
  }

  #text({ sequence, data }: LoggedEvent): string {
    return sseEvent({ id: this.#eventId(sequence), data })
  }

  #eventId(sequence: number): string {
    return `${this.#host.tag}.${this.number}-${sequence}`
  }
}

/** The parts of an event id. `undefined` for other text. */
export function readEventId(id: string): { tag: string; stream: number; sequence: number } | undefined {
  const match = /^([\w-]{1,64})\.(\d{1,15})-(\d{1,15})$/.exec(id)
  return match === null ? undefined : { tag: match[1] as string, stream: Number(match[2]), sequence: Number(match[3]) }
}
