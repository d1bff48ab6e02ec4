/**
 * Tells of changes at a pace: of the first at once, and of all that follow it closely only that there were some (M6).
 */
import type { Clock } from 'parley-mcp/engine'

/** In milliseconds. */
const PACE = 100

export class Throttle {
  readonly #clock: Clock
  readonly #tell: () => void
  #cancel: (() => void) | undefined
  #isDue = false

  constructor(clock: Clock, tell: () => void) {
    this.#clock = clock
    this.#tell = tell
  }

  changed(): void {
    if (this.#cancel !== undefined) {
      this.#isDue = true
      return
    }
    this.#wait()
    this.#tell()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#isDue = false
  }

  /** The last change of a burst is told, too. */
  #wait(): void {
    this.#cancel = this.#clock.after(PACE, () => {
      this.#cancel = undefined
      if (!this.#isDue) return
      this.#isDue = false
      this.#wait()
      this.#tell()
    })
  }
}
