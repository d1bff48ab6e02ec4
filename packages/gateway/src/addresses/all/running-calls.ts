/** Calls in progress from clients of all servers. A replaced server may finish its calls first. */
import type { Clock } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'

/** The same time that sessions at a server's own address have. */
const DRAIN_MS = 5000

export class RunningCalls {
  readonly #clock: Clock
  readonly #counts = new Map<Upstream, number>()
  /** Callbacks for the end of a server's last call. */
  readonly #waiting = new Map<Upstream, Set<() => void>>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A call begins. The returned function ends it, and is called once. */
  begin(upstream: Upstream): () => void {
    this.#counts.set(upstream, (this.#counts.get(upstream) ?? 0) + 1)
    return () => {
      const left = (this.#counts.get(upstream) as number) - 1
      if (left > 0) this.#counts.set(upstream, left)
      else {
        this.#counts.delete(upstream)
        this.#release(upstream)
      }
    }
  }

  async during<T>(upstream: Upstream, work: () => Promise<T>): Promise<T> {
    const end = this.begin(upstream)
    try {
      return await work()
    } finally {
      end()
    }
  }

  /** Calls `done` when the server has no call in progress, or after a time. The returned function cancels that. */
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

  /** Calls all callbacks now. */
  close(): void {
    this.#closed = true
    for (const upstream of [...this.#waiting.keys()]) this.#release(upstream)
  }

  #release(upstream: Upstream): void {
    for (const finish of [...(this.#waiting.get(upstream) ?? [])]) finish()
  }
}
