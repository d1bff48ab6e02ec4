/** What clients of the aggregate have servers working on: one that is replaced may finish it first. */
import type { Clock } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'

/** As long as the sessions at a server's own address may take, in milliseconds. */
const DRAIN = 5000

export class Running {
  readonly #clock: Clock
  readonly #counts = new Map<ServedUpstream, number>()
  /** Who waits until there is nothing more. */
  readonly #waiting = new Map<ServedUpstream, Set<() => void>>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async during<T>(served: ServedUpstream, work: () => Promise<T>): Promise<T> {
    this.#counts.set(served, (this.#counts.get(served) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (this.#counts.get(served) as number) - 1
      if (left > 0) this.#counts.set(served, left)
      else {
        this.#counts.delete(served)
        this.#release(served)
      }
    }
  }

  /** Calls when the server works on nothing any more, or has taken too long. What it gives calls it off. */
  whenDone(served: ServedUpstream, done: () => void): () => void {
    if (this.#closed || !this.#counts.has(served)) {
      done()
      return () => {}
    }
    const waiting = this.#waiting.get(served) ?? new Set()
    const callOff = (): void => {
      stop()
      waiting.delete(finish)
      if (waiting.size === 0 && this.#waiting.get(served) === waiting) this.#waiting.delete(served)
    }
    const finish = (): void => {
      callOff()
      done()
    }
    const stop = this.#clock.after(DRAIN, finish)
    this.#waiting.set(served, waiting.add(finish))
    return callOff
  }

  /** Nobody waits any longer. */
  close(): void {
    this.#closed = true
    for (const served of [...this.#waiting.keys()]) this.#release(served)
  }

  #release(served: ServedUpstream): void {
    for (const finish of [...(this.#waiting.get(served) ?? [])]) finish()
  }
}
