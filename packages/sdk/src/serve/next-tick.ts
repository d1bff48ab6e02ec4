/** Runs tasks in the next turn of the event loop, with one timer for all of them. There may be thousands. */
import type { Clock } from '../session/index.ts'

export interface NextTickTask {
  onNextTick(): void
}

export class NextTick {
  readonly #clock: Clock
  #waiting: NextTickTask[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(item: NextTickTask): void {
    if (this.#waiting.length === 0) this.#clock.after(0, this.#run)
    this.#waiting.push(item)
  }

  readonly #run = (): void => {
    const items = this.#waiting
    this.#waiting = []
    for (const item of items) item.onNextTick()
  }
}
