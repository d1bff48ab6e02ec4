/**
 * A leaky bucket: each request fills it by one, and it leaks at a constant rate. Needs one number
 * and no timer.
 */
import type { RateLimit } from '../config/index.ts'

/** Tolerance for rounding errors, far less than a request. */
const GRAIN = 1e-6

export class Bucket {
  /** In requests. The bucket is full at the limit. */
  #level = 0
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** Returns 0 and counts the request, or returns how many milliseconds too early it is. */
  take(now: number, { requests, per }: RateLimit): number {
    this.#leak(now, requests / per)
    const over = this.#level + 1 - requests
    if (over > GRAIN) return Math.ceil((over * per) / requests)
    this.#level++
    return 0
  }

  /** Whether no counted request is left. */
  isEmpty(now: number, { requests, per }: RateLimit): boolean {
    this.#leak(now, requests / per)
    return this.#level <= GRAIN
  }

  /** Does not leak if the clock was set back. */
  #leak(now: number, pace: number): void {
    if (now > this.#at) this.#level = Math.max(0, this.#level - (now - this.#at) * pace)
    this.#at = now
  }
}
