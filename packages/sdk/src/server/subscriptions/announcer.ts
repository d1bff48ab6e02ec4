/** Tells of changes at once, but not more often than once per interval; the last change is never lost (M6). */
import type { Clock } from '../../session/index.ts'

interface State {
  lastAt: number
  cancel: (() => void) | undefined
}

export class ChangeAnnouncer {
  readonly #clock: Clock
  readonly #interval: number
  readonly #send: (notice: string) => void
  readonly #states = new Map<string, State>()

  constructor(clock: Clock, interval: number, send: (notice: string) => void) {
    this.#clock = clock
    this.#interval = interval
    this.#send = send
  }

  announce(notice: string): void {
    const state = this.#states.get(notice) ?? { lastAt: Number.NEGATIVE_INFINITY, cancel: undefined }
    this.#states.set(notice, state)
    if (state.cancel !== undefined) return
    // A clock that was set back must not silence us.
    const wait = Math.min(this.#interval, state.lastAt + this.#interval - this.#clock.now())
    if (wait <= 0) this.#tell(notice, state)
    else state.cancel = this.#clock.after(wait, () => this.#tell(notice, state))
  }

  /** There are no listeners any more. */
  stop(): void {
    for (const state of this.#states.values()) state.cancel?.()
    this.#states.clear()
  }

  #tell(notice: string, state: State): void {
    state.cancel = undefined
    state.lastAt = this.#clock.now()
    this.#send(notice)
  }
}
