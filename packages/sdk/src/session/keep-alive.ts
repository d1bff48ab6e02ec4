/** Two ways to notice that a peer is gone: pings in the handshake era, requests without an answer in the stateless era. */
import { ParleyError } from '../errors/index.ts'
import type { Cancel, Clock } from './clock.ts'

export interface KeepAliveOptions {
  clock: Clock
  every: number
  /** How long an answer may take. */
  timeout: number
  /** When the peer was last heard. */
  lastHeard: () => number
  ping: (timeout: number) => Promise<unknown>
  /**
   * Whether the peer works on something that it has been given time for: it may be one that can do nothing else
   * meanwhile.
   */
  excused: () => boolean
  onDead: (reason: ParleyError) => void
}

/** Pings a silent peer, and gives it up if the ping gets no answer and the peer has no work to do. */
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
    else
      onDead(
        new ParleyError('peer_unresponsive', { message: `The peer did not answer a ping within ${timeout} ms`, cause }),
      )
  }
}

export interface SilenceOptions {
  readonly clock: Clock
  /** For so many milliseconds after the request a peer may be silent. */
  readonly every: number
  /** When the peer was last heard. */
  readonly lastHeard: () => number
  readonly onSilent: () => void
}

/** Reports a peer that stays silent after a request timed out. */
export class Silence {
  readonly #options: SilenceOptions
  /** When the request was made whose time is awaited. */
  #since = Number.NEGATIVE_INFINITY
  #cancel: Cancel | undefined

  constructor(options: SilenceOptions) {
    this.#options = options
  }

  /**
   * A request that was made then was given up. Where it had less time than a peer may be silent, the rest is awaited.
   */
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
