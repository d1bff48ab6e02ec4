/** Delays between attempts in a row. They grow up to a limit, and chance spreads the attempts of many programs. */

export class Backoff {
  /** How many times longer than the one before each delay is that `growing` makes. */
  static readonly growth = 2
  /** The longest delay in milliseconds, without jitter. */
  readonly longest: number
  /** Milliseconds before each attempt, without jitter. */
  readonly delays: readonly number[]
  readonly #jitter: number

  /** `delays`: milliseconds before each attempt; the last one is repeated. `jitter`: the share that chance may add. */
  constructor(delays: readonly number[], jitter = 0) {
    this.longest = Math.max(...delays)
    this.delays = delays
    this.#jitter = jitter
  }

  /** Delays that grow up to `longest`. */
  static growing(first: number, longest: number, jitter = 0): Backoff {
    const delays = [Math.min(first, longest)]
    for (let next = first * Backoff.growth; next > first && (delays.at(-1) as number) < longest; next *= Backoff.growth)
      delays.push(Math.min(next, longest))
    return new Backoff(delays, jitter)
  }

  /** Milliseconds before the attempt with this number, counted from 0. `chance` is a random number from 0 to 1. */
  delayBefore(attempt: number, chance = 0): number {
    const delay = this.delays[Math.min(attempt, this.delays.length - 1)] as number
    return Math.round(delay * (1 + this.#jitter * chance))
  }
}
