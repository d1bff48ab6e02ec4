/** What clients of the aggregate have servers working on: one that is replaced may finish it first. */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'

/** As long as the sessions at a server's own address may take, in milliseconds. */
const DRAIN_MS = 5000

export class RunningCalls {
  readonly #clock: Clock
  readonly #counts = new Map<Upstream, number>()
  /** Who waits until there is nothing more. */
  readonly #waiting = new Map<Upstream, Set<() => void>>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async during<T>(upstream: Upstream, work: () => Promise<T>): Promise<T> {
    this.#counts.set(upstream, (this.#counts.get(upstream) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (this.#counts.get(upstream) as number) - 1
      if (left > 0) this.#counts.set(upstream, left)
      else {
        this.#counts.delete(upstream)
        this.#release(upstream)
      }
    }
  }

  /** Calls when the server works on nothing any more, or has taken too long. What it gives calls it off. */
  whenDone(upstream: Upstream, done: () => void): () => void {
    if (this.#closed || !this.#counts.has(upstream)) {
      done()
      return () => {}
    }
    const waiting = this.#waiting.get(upstream) ?? new Set()
    const callOff = (): void => {
      stop()
      waiting.delete(finish)
      if (waiting.size === 0 && this.#waiting.get(upstream) === waiting) this.#waiting.delete(upstream)
    }
    const finish = (): void => {
      callOff()
      done()
    }
    const stop = this.#clock.after(DRAIN_MS, finish)
    this.#waiting.set(upstream, waiting.add(finish))
    return callOff
  }

  /** Nobody waits any longer. */
  close(): void {
    this.#closed = true
    for (const upstream of [...this.#waiting.keys()]) this.#release(upstream)
  }

  #release(upstream: Upstream): void {
    for (const finish of [...(this.#waiting.get(upstream) ?? [])]) finish()
  }
}
