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

/** How much of the total is freed at least when it is exceeded, so that it is not looked through for every event. */
const SLACK = 1 / 16
/** Sessions are cut down to a level that falls by this factor until there is room. */
const FALL = 7 / 8

/** Keeps the latest events in memory; over a limit, the oldest of the session go first, and over the total, those of the sessions that hold most. */
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
    while (ring.size > this.#maxEvents || ring.length > this.#maxLength) this.#totalLength -= ring.shift()
    // The latest event is the one its client is most likely to come back for, but it must not cost all the others theirs.
    if (this.#totalLength > this.#maxTotalLength) this.#makeRoom(event.data.length <= this.#maxTotalLength / 2 ? ring : undefined)
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

  /** Cuts down the largest first: a session that holds little loses nothing to one that holds much. */
  #makeRoom(spared: Ring | undefined): void {
    const goal = this.#maxTotalLength * (1 - SLACK)
    let level = 0
    for (const ring of this.#sessions.values()) level = Math.max(level, ring.length)
    while (this.#totalLength > goal && level > 0) {
      level = Math.floor(level * FALL)
      for (const ring of this.#sessions.values()) {
        const least = ring === spared ? 1 : 0
        while (ring.length > level && ring.size > least && this.#totalLength > goal) this.#totalLength -= ring.shift()
      }
    }
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
