/** The event log in memory, with limits. */
import type { EventLog, LoggedEvent } from './event-log.ts'

export interface EventLogLimits {
  /** Most events of one session. Default 1000. */
  maxEvents?: number
  /** Most characters of one session. Default 8 Mi. */
  maxLength?: number
  /** Most characters of all sessions together. Default 64 Mi. */
  maxTotalLength?: number
}

/**
 * The part of the total that is freed at least when the total is exceeded, so that this does not happen for every
 * event.
 */
const FREED_PART = 1 / 16
/** Sessions are cut down to a level that is lowered by this factor until there is room. */
const LEVEL_FACTOR = 7 / 8

/**
 * Keeps the latest events in memory. Over the limit of a session, its oldest events are dropped. Over the total, the
 * largest sessions lose events first.
 */
export class MemoryEventLog implements EventLog {
  readonly #sessions = new Map<string, EventQueue>()
  readonly #maxEvents: number
  readonly #maxLength: number
  readonly #maxTotalLength: number
  #totalLength = 0

  constructor(limits: EventLogLimits = {}) {
    this.#maxEvents = limits.maxEvents ?? 1000
    this.#maxLength = limits.maxLength ?? 8 * 1024 * 1024
    this.#maxTotalLength = limits.maxTotalLength ?? 64 * 1024 * 1024
  }

  /** Characters kept for all sessions. */
  get totalLength(): number {
    return this.#totalLength
  }

  append(session: string, event: LoggedEvent): void {
    let queue = this.#sessions.get(session)
    if (queue === undefined) {
      queue = new EventQueue()
      this.#sessions.set(session, queue)
    }
    queue.push(event)
    this.#totalLength += event.data.length
    while (queue.size > this.#maxEvents || queue.length > this.#maxLength) this.#totalLength -= queue.shift()
    // The client most likely asks for the latest event, but one large event must not displace all others.
    if (this.#totalLength > this.#maxTotalLength)
      this.#makeRoom(event.data.length <= this.#maxTotalLength / 2 ? queue : undefined)
  }

  read(session: string, stream: number): readonly LoggedEvent[] {
    return this.#sessions.get(session)?.eventsOf(stream) ?? []
  }

  forget(session: string, except?: ReadonlySet<number>): void {
    const queue = this.#sessions.get(session)
    if (queue === undefined) return
    this.#totalLength -= queue.keep(except)
    if (queue.size === 0) this.#sessions.delete(session)
  }

  /** Cuts down the largest sessions first, so that a small session loses nothing to a large one. */
  #makeRoom(spared: EventQueue | undefined): void {
    const goal = this.#maxTotalLength * (1 - FREED_PART)
    let level = 0
    for (const queue of this.#sessions.values()) level = Math.max(level, queue.length)
    while (this.#totalLength > goal && level > 0) {
      level = Math.floor(level * LEVEL_FACTOR)
      for (const queue of this.#sessions.values()) {
        const least = queue === spared ? 1 : 0
        while (queue.length > level && queue.size > least && this.#totalLength > goal)
          this.#totalLength -= queue.shift()
      }
    }
  }
}

/** A queue whose `shift` does not move all other events. */
class EventQueue {
  length = 0
  #events: LoggedEvent[] = []
  #head = 0

  get size(): number {
    return this.#events.length - this.#head
  }

  push(event: LoggedEvent): void {
    this.#events.push(event)
    this.length += event.data.length
  }

  /** Returns the number of dropped characters. */
  shift(): number {
    const { data } = this.#events[this.#head] as LoggedEvent
    this.#events[this.#head++] = DROPPED
    if (this.#head > 32 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head)
      this.#head = 0
    }
    this.length -= data.length
    return data.length
  }

  eventsOf(stream: number): LoggedEvent[] {
    return this.#events.filter((event, index) => index >= this.#head && event.stream === stream)
  }

  /** Returns the number of dropped characters. */
  keep(streams: ReadonlySet<number> | undefined): number {
    const before = this.length
    this.#events =
      streams === undefined
        ? []
        : this.#events.filter((event, index) => index >= this.#head && streams.has(event.stream))
    this.#head = 0
    this.length = this.#events.reduce((sum, event) => sum + event.data.length, 0)
    return before - this.length
  }
}

const DROPPED: LoggedEvent = { stream: -1, sequence: -1, data: '' }
