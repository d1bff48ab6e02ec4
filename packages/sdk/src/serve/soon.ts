/** Does things a moment later, with one timer for all of them: there may be thousands in a moment. */
import type { Clock } from '../session/index.ts'

export interface Hurried {
  hurry(): void
}

export class Soon {
  readonly #clock: Clock
  #waiting: Hurried[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(item: Hurried): void {
    if (this.#waiting.length === 0) this.#clock.after(0, this.#hurry)
    this.#waiting.push(item)
  }

  readonly #hurry = (): void => {
    const items = this.#waiting
    this.#waiting = []
    for (const item of items) item.hurry()
  }
}
