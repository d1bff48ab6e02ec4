/** One timer for the earliest of many moments. */
import type { Clock } from './clock.ts'

export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #due = Number.POSITIVE_INFINITY
  #cancel: (() => void) | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Rings then, unless it rings before; whoever wants to hear of later moments as well sets it again. */
  set(due: number): void {
    if (due >= this.#due) return
    this.#cancel?.()
    this.#due = due
    this.#cancel = this.#clock.after(Math.max(0, due - this.#clock.now()), () => {
      this.#due = Number.POSITIVE_INFINITY
      this.#cancel = undefined
      this.#ring()
    })
  }

  /** For good. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#due = Number.NEGATIVE_INFINITY
  }
}
