/** Throttles reports of changes (M6). The first change is reported at once, and the following ones together. */
import type { Clock } from 'parley-mcp/engine'

const INTERVAL_MS = 100

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

  /** The last change of a burst is reported, too. */
  #wait(): void {
    this.#cancel = this.#clock.after(INTERVAL_MS, () => {
      this.#cancel = undefined
      if (!this.#isDue) return
      this.#isDue = false
      this.#wait()
      this.#tell()
    })
  }
}
