/** What was sent on event streams, kept for a while so that a client that lost its connection can have it again. */

export interface LoggedEvent {
  readonly stream: number
  /** Grows by one within a stream. */
  readonly sequence: number
  readonly data: string
}

export interface EventLog {
  append(session: string, event: LoggedEvent): void
  /** What is still kept of one stream, oldest first. */
  read(session: string, stream: number): readonly LoggedEvent[] | Promise<readonly LoggedEvent[]>
  /** Forgets the session's streams, except for these. */
  forget(session: string, except?: ReadonlySet<number>): void
}

export interface EventLogLimits {
  /** Most events of one session. Default 1000. */
  maxEvents?: number
  /** Most characters of one session. Default 8 Mi. */
  maxLength?: number
  /** Most characters of all sessions together. Default 64 Mi. */
  maxTotalLength?: number
}

/** Keeps the latest events in memory; over a limit, the oldest of the session that adds one go first. */
export class MemoryEventLog implements EventLog {
  readonly #sessions = new Map<string, Ring>()
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
    let ring = this.#sessions.get(session)
    if (ring === undefined) {
      ring = new Ring()
      this.#sessions.set(session, ring)
    }
    ring.push(event)
    this.#totalLength += event.data.length
    while (ring.size > this.#maxEvents || ring.length > this.#maxLength || (this.#totalLength > this.#maxTotalLength && ring.size > 0)) {
      this.#totalLength -= ring.shift()
    }
  }

  read(session: string, stream: number): readonly LoggedEvent[] {
    return this.#sessions.get(session)?.of(stream) ?? []
  }

  forget(session: string, except?: ReadonlySet<number>): void {
    const ring = this.#sessions.get(session)
    if (ring === undefined) return
    this.#totalLength -= ring.keep(except)
    if (ring.size === 0) this.#sessions.delete(session)
  }
}

/** A queue that is shifted without moving everything each time. */
class Ring {
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

  /** The length of what was dropped. */
  shift(): number {
    const { data } = this.#events[this.#head] as LoggedEvent
    this.#events[this.#head++] = GONE
    if (this.#head > 32 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head)
      this.#head = 0
    }
    this.length -= data.length
    return data.length
  }

  of(stream: number): LoggedEvent[] {
    return this.#events.filter((event, index) => index >= this.#head && event.stream === stream)
  }

  /** The length of what was dropped. */
  keep(streams: ReadonlySet<number> | undefined): number {
    const before = this.length
    this.#events = streams === undefined ? [] : this.#events.filter((event, index) => index >= this.#head && streams.has(event.stream))
    this.#head = 0
    this.length = this.#events.reduce((sum, event) => sum + event.data.length, 0)
    return before - this.length
  }
}

const GONE: LoggedEvent = { stream: -1, sequence: -1, data: '' }
