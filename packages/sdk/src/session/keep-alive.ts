/** Pings a silent peer and gives it up when it does not answer. */
import type { Clock } from './clock.ts'

export interface KeepAliveOptions {
  clock: Clock
  every: number
  /** When the peer was last heard. */
  lastHeard: () => number
  ping: () => Promise<void>
  onDead: (cause: unknown) => void
}

export class KeepAlive {
  readonly #options: KeepAliveOptions
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(options: KeepAliveOptions) {
    this.#options = options
    this.#schedule(options.every)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #schedule(ms: number): void {
    if (!this.#stopped) this.#cancel = this.#options.clock.after(ms, () => this.#tick())
  }

  #tick(): void {
    const { clock, every, lastHeard, ping, onDead } = this.#options
    const silentFor = clock.now() - lastHeard()
    // A peer that was heard meanwhile is alive; it is asked when it has been silent for a whole interval.
    if (silentFor < every) return this.#schedule(every - silentFor)
    ping().then(
      () => this.#schedule(every),
      (error) => {
        if (!this.#stopped) onDead(error)
      },
    )
  }
}
