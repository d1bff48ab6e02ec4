/** One timer for the earliest of many moments. */
import type { Cancel, Clock } from './clock.ts'

export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #due = Number.POSITIVE_INFINITY
  #cancel: Cancel | undefined
  #hold = false

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Rings then, unless it rings before; whoever wants to hear of later moments as well sets it again. */
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

  /** Whether the program must not end before it rings, from now on. The timer stays: to make one for every wait would cost far more. */
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
