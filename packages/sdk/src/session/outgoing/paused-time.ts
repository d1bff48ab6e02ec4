/**
 * The time that this side takes to answer questions of the peer. It does not count for the deadlines of requests: the
 * peer may need the answers first.
 */

interface WaitingRequest {
  /** Absent for requests of the session itself. */
  readonly route: unknown
  readonly startedAt: number
  deadline: number
  hardDeadline: number
}

export class PausedTime {
  readonly #since: number
  /** A question that is left open must not stop all time-outs for ever. */
  readonly #end: number

  constructor(since: number, longest: number) {
    this.#since = since
    this.#end = since + longest
  }

  /** How much of the time until then does not count for the request. */
  of({ route, startedAt }: WaitingRequest, until = Number.POSITIVE_INFINITY): number {
    // Requests of the session itself show whether the peer is alive, and the peer needs no user for them.
    return route === undefined ? 0 : Math.max(0, Math.min(until, this.#end) - Math.max(this.#since, startedAt))
  }

  /** Moves the deadlines. Returns the first one. */
  over(waiting: Iterable<WaitingRequest>, now: number): number {
    let first = Number.POSITIVE_INFINITY
    for (const pending of waiting) {
      const paused = this.of(pending, now)
      pending.deadline += paused
      pending.hardDeadline += paused
      first = Math.min(first, pending.deadline)
    }
    return first
  }
}
