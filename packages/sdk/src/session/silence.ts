/** Reports a peer that stays silent after a request that was given up: where nobody is pinged, it may be gone. */
import type { Cancel, Clock } from './clock.ts'

export interface SilenceOptions {
  readonly clock: Clock
  /** For so many milliseconds after the request a peer may be silent. */
  readonly every: number
  /** When the peer was last heard. */
  readonly lastHeard: () => number
  readonly onSilent: () => void
}

export class Silence {
  readonly #options: SilenceOptions
  /** When the request was made whose time is awaited. */
  #since = Number.NEGATIVE_INFINITY
  #cancel: Cancel | undefined

  constructor(options: SilenceOptions) {
    this.#options = options
  }

  /** A request that was made then was given up. Where it had less time than a peer may be silent, the rest is awaited. */
  gaveUp(startedAt: number): void {
    const { clock, every, lastHeard } = this.#options
    if (lastHeard() > startedAt) return
    // The first of several requests counts, unless the peer was heard after it.
    if (this.#cancel !== undefined && lastHeard() <= this.#since) return
    this.stop()
    this.#since = startedAt
    const rest = startedAt + every - clock.now()
    if (rest <= 0) this.#options.onSilent()
    else this.#cancel = clock.after(rest, () => this.#look())
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #look(): void {
    this.#cancel = undefined
    if (this.#options.lastHeard() <= this.#since) this.#options.onSilent()
  }
}
