/**
 * Lets so many through in a time, evenly: a bucket that each fills a little, and that leaks at a steady pace. One
 * number, and no timer.
 */
import type { RateLimit } from '../config/index.ts'

/** Far less than a request: what numbers lose when they are rounded keeps nobody out. */
const GRAIN = 1e-6

export class Bucket {
  /** In requests; full at as many as the limit has. */
  #level = 0
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** How many milliseconds too early somebody comes; 0 is in time, and counted. Whoever comes too early is not. */
  take(now: number, { requests, per }: RateLimit): number {
    this.#leak(now, requests / per)
    const over = this.#level + 1 - requests
    if (over > GRAIN) return Math.ceil((over * per) / requests)
    this.#level++
    return 0
  }

  /** Whether it is as if nobody had ever come. */
  isEmpty(now: number, { requests, per }: RateLimit): boolean {
    this.#leak(now, requests / per)
    return this.#level <= GRAIN
  }

  /** A clock that is set back leaks nothing. */
  #leak(now: number, pace: number): void {
    if (now > this.#at) this.#level = Math.max(0, this.#level - (now - this.#at) * pace)
    this.#at = now
  }
}
