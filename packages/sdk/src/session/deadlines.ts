/** When requests to the peer are given up. One timer serves them all, and while somebody waits for one of them, the program does not end. */
import { Alarm } from './alarm.ts'
import type { SessionSettings } from './options.ts'
import type { Pending } from './pending.ts'
import { Rest } from './rest.ts'

export interface DeadlinesHost {
  /** What waits for the peer now. */
  waiting(): Iterable<Pending>
  /** It has waited long enough. */
  late(pending: Pending, now: number): void
}

export class Deadlines {
  readonly #settings: SessionSettings
  readonly #host: DeadlinesHost
  /** Rings when a request may have to be given up. */
  readonly #alarm: Alarm
  /** Requests somebody waits for. */
  #awaited = 0
  #rest: Rest | undefined

  constructor(settings: SessionSettings, host: DeadlinesHost) {
    this.#settings = settings
    this.#host = host
    this.#alarm = new Alarm(settings.clock, () => this.#sweep())
  }

  /** While this side answers the peer. */
  get rest(): Rest | undefined {
    return this.#rest
  }

  began({ awaited }: Pending): void {
    if (awaited && this.#awaited++ === 0) this.#alarm.hold(true)
  }

  watch({ deadline }: Pending): void {
    this.#alarm.set(deadline)
  }

  /** It may take as long as it likes, and the program may end before. */
  last(pending: Pending): void {
    this.over(pending)
    pending.last()
  }

  over({ awaited }: Pending): void {
    if (awaited && --this.#awaited === 0) this.#alarm.hold(false)
  }

  /** Told when this side begins to answer the peer, and when it has answered everything. */
  busy(busy: boolean): void {
    const { clock, maxRequestTimeout } = this.#settings
    const now = clock.now()
    const rest = this.#rest
    this.#rest = busy ? new Rest(now, maxRequestTimeout) : undefined
    if (!busy && rest !== undefined) this.#alarm.set(rest.over(this.#host.waiting(), now))
  }

  stop(): void {
    this.#alarm.stop()
  }

  #sweep(): void {
    const now = this.#settings.clock.now()
    let nextDue = Number.POSITIVE_INFINITY
    for (const pending of this.#host.waiting()) {
      const due = pending.due(this.#rest)
      if (due <= now) this.#host.late(pending, now)
      else nextDue = Math.min(nextDue, due)
    }
    if (nextDue < Number.POSITIVE_INFINITY) this.#alarm.set(nextDue)
  }
}
