/**
 * Limits the requests to one server. `maxConcurrent` requests run, `maxQueued` requests wait, and the bulkhead refuses
 * all others.
 */
import { ParleyError } from 'parley-mcp'
import { type Clock, systemClock } from 'parley-mcp/engine'
import { WaitQueue } from './wait-queue.ts'

export interface BulkheadOptions {
  readonly maxConcurrent: number
  readonly maxQueued: number
  /** The server's name, for error messages. */
  readonly name?: string
  readonly clock?: Clock
}

interface QueueOptions {
  readonly signal?: AbortSignal | undefined
}

export interface BulkheadStats {
  readonly running: number
  readonly queued: number
  /** How long the first of the queue has been waiting, in milliseconds. */
  readonly longestWait: number
}

interface QueuedWork {
  readonly since: number
  /** Called with a slot taken. The work has to give it back. */
  readonly begin: () => void
  readonly reject: (error: unknown) => void
}

export class Bulkhead {
  readonly #options: BulkheadOptions
  readonly #clock: Clock
  readonly #queue = new WaitQueue<QueuedWork>()
  #running = 0

  constructor(options: BulkheadOptions) {
    if (!(options.maxConcurrent >= 1))
      throw new RangeError(`maxConcurrent must be 1 or more, not ${options.maxConcurrent}`)
    if (!(options.maxQueued >= 0)) throw new RangeError(`maxQueued must be 0 or more, not ${options.maxQueued}`)
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Whether a new request has to wait. */
  get full(): boolean {
    return this.#running >= this.#options.maxConcurrent
  }

  /**
   * Takes a free slot and returns true, or returns false. After true, the caller must call `leave`. Cheaper than `run`.
   */
  enter(): boolean {
    if (this.full) return false
    this.#running++
    return true
  }

  leave(): void {
    if (this.#running === 0) throw new RangeError('The bulkhead is empty: each enter allows one leave')
    this.#running--
    this.#admit()
  }

  /**
   * Takes a slot even if none is free. For work that gave its slot back: it has already begun, so waiting saves
   * nothing.
   */
  rejoin(): void {
    this.#running++
  }

  /** Runs `work` in a slot. If a slot is free, this returns the promise of `work` itself. */
  run<T>(work: (slot: Slot) => Promise<T>, { signal }: QueueOptions = {}): Promise<T> {
    if (signal?.aborted) return Promise.reject(this.#cancelled(signal))
    if (this.enter()) return this.#inside(work)
    if (this.#queue.size >= this.#options.maxQueued) return Promise.reject(this.#full())
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#queue.leave(entry)
        reject(this.#cancelled(signal))
      }
      const entry = this.#queue.join({
        since: this.#clock.now(),
        begin: () => {
          signal?.removeEventListener('abort', abort)
          resolve(this.#inside(work))
        },
        reject: (error) => {
          signal?.removeEventListener('abort', abort)
          reject(error)
        },
      })
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Rejects all waiting requests. Running requests continue. */
  dismiss(error: Error): void {
    for (let waiter = this.#queue.next(); waiter !== undefined; waiter = this.#queue.next()) waiter.reject(error)
  }

  stats(): BulkheadStats {
    const { first } = this.#queue
    return {
      running: this.#running,
      queued: this.#queue.size,
      longestWait: first === undefined ? 0 : this.#clock.now() - first.since,
    }
  }

  #inside<T>(work: (slot: Slot) => Promise<T>): Promise<T> {
    const slot = new Slot(this)
    let outcome: Promise<T>
    try {
      outcome = Promise.resolve(work(slot))
    } catch (error) {
      outcome = Promise.reject(error)
    }
    const end = (): void => slot.end()
    outcome.then(end, end)
    return outcome
  }

  /** Fills free slots from the queue, before a new request can take them. */
  #admit(): void {
    while (this.#running < this.#options.maxConcurrent) {
      const next = this.#queue.next()
      if (next === undefined) return
      this.#running++
      next.begin()
    }
  }

  get #forServer(): string {
    const { name } = this.#options
    return name === undefined ? '' : ` for the server ${JSON.stringify(name)}`
  }

  #full(): ParleyError {
    const { maxConcurrent, maxQueued } = this.#options
    return new ParleyError('too_many_requests', {
      message: `${maxConcurrent} requests are running and ${maxQueued} wait${this.#forServer}: try again later, or raise maxConcurrent or maxQueued`,
    })
  }

  #cancelled(signal: AbortSignal | undefined): ParleyError {
    return new ParleyError('request_cancelled', {
      message: `The caller cancelled the request while it waited${this.#forServer}`,
      cause: signal?.reason,
    })
  }
}

/** One slot of a bulkhead. The work may give it back while it waits for a person or another system. */
export class Slot {
  readonly #bulkhead: Bulkhead
  #state: 'taken' | 'given back' | 'over' = 'taken'

  constructor(bulkhead: Bulkhead) {
    this.#bulkhead = bulkhead
  }

  giveBack(): void {
    if (this.#state !== 'taken') return
    this.#state = 'given back'
    this.#bulkhead.leave()
  }

  takeAgain(): void {
    if (this.#state !== 'given back') return
    this.#state = 'taken'
    this.#bulkhead.rejoin()
  }

  /** The work is over. */
  end(): void {
    const wasTaken = this.#state === 'taken'
    this.#state = 'over'
    if (wasTaken) this.#bulkhead.leave()
  }
}
