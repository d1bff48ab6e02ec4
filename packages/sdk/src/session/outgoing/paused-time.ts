/**
 * The time this side takes to answer the peer: an answer of the peer may depend on it, so it does not count against
 * what waits for one.
 */
import type { Pending } from './pending.ts'

export class Rest {
  readonly #since: number
  /** A question nobody answers or takes back must not stop all time-outs for good. */
  readonly #end: number

  constructor(since: number, longest: number) {
    this.#since = since
    this.#end = since + longest
  }

  /** How much of the time until then does not count. */
  of({ route, startedAt }: Pending, until = Number.POSITIVE_INFINITY): number {
    // What the session asks on its own behalf shows whether the peer is alive: no person is needed for that.
    return route === undefined ? 0 : Math.max(0, Math.min(until, this.#end) - Math.max(this.#since, startedAt))
  }

  /** Moves on what waits; gives the first deadline. */
  over(waiting: Iterable<Pending>, now: number): number {
    let first = Number.POSITIVE_INFINITY
    for (const pending of waiting) {
      const rested = this.of(pending, now)
      pending.deadline += rested
      pending.hardDeadline += rested
      first = Math.min(first, pending.deadline)
    }
    return first
  }
}
