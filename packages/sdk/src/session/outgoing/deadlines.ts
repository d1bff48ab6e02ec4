/**
 * Time-outs of requests to the peer. One timer serves them all. While a caller waits for a request, the program does
 * not end.
 */
import type { ParleyError } from '../../errors/index.ts'
import type { Cancel, Clock } from '../clock.ts'
import type { SessionCore } from '../core.ts'
import { PausedTime } from './paused-time.ts'
import type { Pending } from './pending.ts'
import { timedOut } from './request-errors.ts'

export interface WaitingRequests {
  /** The requests that wait for the peer. */
  all(): Iterable<Pending>
  /** The request has timed out. */
  giveUp(pending: Pending, error: ParleyError): void
}

export class Deadlines {
  readonly #core: SessionCore
  readonly #waiting: WaitingRequests
  /** Rings when a request may have timed out. */
  readonly #alarm: Alarm
  /** Requests that a caller waits for. */
  #awaited = 0
  #paused: PausedTime | undefined
  /** The first request since the last message of the peer, also if it is over: when it was made, and its deadline. */
  #unheardSince = Number.NEGATIVE_INFINITY
  #unheardUntil = 0

  constructor(core: SessionCore, waiting: WaitingRequests) {
    this.#core = core
    this.#waiting = waiting
    this.#alarm = new Alarm(core.settings.clock, () => this.#sweep())
  }

  /** While this side answers the peer. */
  get paused(): PausedTime | undefined {
    return this.#paused
  }

  began({ awaited, route, startedAt, deadline }: Pending): void {
    if (awaited && this.#awaited++ === 0) this.#alarm.hold(true)
    if (route === undefined || this.#unheardSince >= this.#core.lastReceivedAt) return
    this.#unheardSince = startedAt
    this.#unheardUntil = deadline
  }

  /**
   * Whether the peer may be busy with a request. A peer that let the time of one request pass in silence is not excused
   * by the next. A peer that waits for an answer of this side is not busy.
   */
  get excused(): boolean {
    if (this.#paused !== undefined) return false
    if (this.#unheardSince >= this.#core.lastReceivedAt && this.#core.settings.clock.now() > this.#unheardUntil)
      return false
    for (const { route } of this.#waiting.all()) if (route !== undefined) return true
    return false
  }

  watch({ deadline }: Pending): void {
    this.#alarm.set(deadline)
  }

  /** From now on the request has no time-out, and the program may end before it. */
  last(pending: Pending): void {
    this.over(pending)
    pending.last()
  }

  over({ awaited }: Pending): void {
    if (awaited && --this.#awaited === 0) this.#alarm.hold(false)
  }

  /** Called when this side begins to answer the peer, and when it has answered everything. */
  busy(busy: boolean): void {
    const { clock, maxRequestTimeout } = this.#core.settings
    const now = clock.now()
    const paused = this.#paused
    this.#paused = busy ? new PausedTime(now, maxRequestTimeout) : undefined
    if (!busy && paused !== undefined) this.#alarm.set(paused.over(this.#waiting.all(), now))
  }

  stop(): void {
    this.#alarm.stop()
  }

  #sweep(): void {
    const now = this.#core.settings.clock.now()
    let nextDue = Number.POSITIVE_INFINITY
    for (const pending of this.#waiting.all()) {
      const due = pending.due(this.#paused)
      if (due <= now) this.#waiting.giveUp(pending, timedOut(pending, now))
      else nextDue = Math.min(nextDue, due)
    }
    if (nextDue < Number.POSITIVE_INFINITY) this.#alarm.set(nextDue)
  }
}

/** One timer for the earliest of many moments. */
class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #due = Number.POSITIVE_INFINITY
  #cancel: Cancel | undefined
  #hold = false

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Rings at that moment or before. Set it again for later moments. */
  set(due: number): void {
    if (due >= this.#due) return
    this.#cancel?.()
    this.#due = due
    const ring = (): void => {
      this.#due = Number.POSITIVE_INFINITY
      this.#cancel = undefined
      this.#ring()
    }
    this.#cancel = this.#clock.after(Math.max(0, due - this.#clock.now()), ring, this.#hold)
  }

  /**
   * Whether the program must wait for the timer, from now on. The timer stays: a new one for each wait would cost far
   * more.
   */
  hold(hold: boolean): void {
    this.#hold = hold
    this.#cancel?.hold?.(hold)
  }

  /** For good. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#due = Number.NEGATIVE_INFINITY
  }
}
