/** Pings a silent peer and gives it up when it does not answer, unless it may be too busy to. */
import { ParleyError } from '../errors/index.ts'
import type { Clock } from './clock.ts'

export interface KeepAliveOptions {
  clock: Clock
  every: number
  /** How long an answer may take. */
  timeout: number
  /** When the peer was last heard. */
  lastHeard: () => number
  ping: (timeout: number) => Promise<unknown>
  /** Whether the peer works on something that it has been given time for: it may be one that can do nothing else meanwhile. */
  excused: () => boolean
  onDead: (reason: ParleyError) => void
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
    const { clock, every, timeout, lastHeard, ping } = this.#options
    const silentFor = clock.now() - lastHeard()
    // A peer that was heard meanwhile is alive; it is asked when it has been silent for a whole interval.
    if (silentFor < every) return this.#schedule(every - silentFor)
    ping(timeout).then(
      () => this.#schedule(every),
      (error) => this.#unanswered(error),
    )
  }

  /** Any answer is a sign of life, an error as well. */
  #unanswered(cause: unknown): void {
    const { every, timeout, excused, onDead } = this.#options
    const isAnswer = cause instanceof ParleyError && cause.receivedCode !== undefined
    if (this.#stopped) return
    if (isAnswer || excused()) this.#schedule(every)
    else onDead(new ParleyError('peer_unresponsive', { message: `The peer did not answer a ping within ${timeout} ms`, cause }))
  }
}
