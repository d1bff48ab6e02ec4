/** Keeps one upstream from taking all: so many requests at once, so many that wait for their turn, and a refusal for the rest. */
import { ParleyError } from 'parley-mcp'
import { type Clock, systemClock } from 'parley-mcp/engine'
import { Line } from './line.ts'
import { Place } from './place.ts'

export interface BulkheadOptions {
  readonly maxConcurrent: number
  readonly maxQueued: number
  /** Whose requests these are, for error messages. */
  readonly name?: string
  readonly clock?: Clock
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
}

export interface BulkheadStats {
  readonly running: number
  readonly queued: number
  /** How long the first of the queue has been waiting, in milliseconds. */
  readonly longestWait: number
}

interface Waiter {
  readonly since: number
  /** Called with a place, which it has to leave. */
  readonly begin: () => void
  readonly reject: (error: unknown) => void
}

export class Bulkhead {
  readonly #options: BulkheadOptions
  readonly #clock: Clock
  readonly #queue = new Line<Waiter>()
  #running = 0

  constructor(options: BulkheadOptions) {
    if (!(options.maxConcurrent >= 1)) throw new RangeError(`maxConcurrent must be 1 or more, not ${options.maxConcurrent}`)
    if (!(options.maxQueued >= 0)) throw new RangeError(`maxQueued must be 0 or more, not ${options.maxQueued}`)
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Whether whoever comes now has to wait. */
  get full(): boolean {
    return this.#running >= this.#options.maxConcurrent
  }

  /** Takes a place if there is one, which nobody waits for then; and `leave` has to follow. For paths that cannot afford `run`. */
  enter(): boolean {
    if (this.full) return false
    this.#running++
    return true
  }

  leave(): void {
    if (this.#running === 0) throw new RangeError('Nobody is inside the bulkhead: each enter allows one leave')
    this.#running--
    this.#admit()
  }

  /** Takes a place whether or not there is one: for work that gave its own back and has been begun already, so that to wait would spare nobody anything. */
  rejoin(): void {
    this.#running++
  }

  /** The promise of `work` itself where there is room. */
  run<T>(work: (place: Place) => Promise<T>, { signal }: RunOptions = {}): Promise<T> {
    if (signal?.aborted) return Promise.reject(this.#cancelled(signal))
    if (this.enter()) return this.#inside(work)
    if (this.#queue.size >= this.#options.maxQueued) return Promise.reject(this.#full())
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#queue.leave(place)
        reject(this.#cancelled(signal))
      }
      const place = this.#queue.join({
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

  /** Whoever waits need not wait any longer; what runs is left alone. */
  dismiss(error: Error): void {
    for (let waiter = this.#queue.next(); waiter !== undefined; waiter = this.#queue.next()) waiter.reject(error)
  }

  stats(): BulkheadStats {
    const { first } = this.#queue
    return { running: this.#running, queued: this.#queue.size, longestWait: first === undefined ? 0 : this.#clock.now() - first.since }
  }

  #inside<T>(work: (place: Place) => Promise<T>): Promise<T> {
    const place = new Place(this)
    let outcome: Promise<T>
    try {
      outcome = Promise.resolve(work(place))
    } catch (error) {
      outcome = Promise.reject(error)
    }
    const end = (): void => place.end()
    outcome.then(end, end)
    return outcome
  }

  /** Nobody waits while there is room: whoever leaves lets the next in before anybody else can come. */
  #admit(): void {
    while (this.#running < this.#options.maxConcurrent) {
      const next = this.#queue.next()
      if (next === undefined) return
      this.#running++
      next.begin()
    }
  }

  get #whom(): string {
    const { name } = this.#options
    return name === undefined ? '' : ` for the server ${JSON.stringify(name)}`
  }

  #full(): ParleyError {
    const { maxConcurrent, maxQueued } = this.#options
    return new ParleyError('too_many_requests', {
      message: `${maxConcurrent} requests are under way and ${maxQueued} wait${this.#whom}: try again later, or raise maxConcurrent or maxQueued`,
    })
  }

  #cancelled(signal: AbortSignal | undefined): ParleyError {
    return new ParleyError('request_cancelled', { message: `The request was cancelled by the caller before its turn${this.#whom}`, cause: signal?.reason })
  }
}
