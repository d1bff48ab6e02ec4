/**
 * A bucket for each of those who are counted: as many as there is room for, and none for those who have not come for a
 * while.
 */
import type { RateLimit } from '../config/index.ts'
import { Bucket } from './bucket.ts'

const MOST = 10_000
/**
 * How often all of them may be looked at, in milliseconds: whoever comes under ever new names must not make that dear.
 */
const PAUSE = 1000

export class Buckets {
  readonly #most: number
  /** In the order in which they came first. */
  readonly #buckets = new Map<string, Bucket>()
  #tidiedAt = Number.NEGATIVE_INFINITY

  constructor(most: number = MOST) {
    this.#most = most
  }

  get size(): number {
    return this.#buckets.size
  }

  take(key: string, now: number, limit: RateLimit): number {
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      if (this.#buckets.size >= this.#most) this.#makeRoom(now, limit)
      bucket = new Bucket(now)
      this.#buckets.set(key, bucket)
    }
    return bucket.take(now, limit)
  }

  /**
   * Those without use go for nothing; where there are none, a quarter of them begins anew, those that came first. One
   * at a time, a full `Map` would be slow.
   */
  #makeRoom(now: number, limit: RateLimit): void {
    if (now - this.#tidiedAt >= PAUSE) {
      this.#tidiedAt = now
      for (const [key, bucket] of this.#buckets) if (bucket.isEmpty(now, limit)) this.#buckets.delete(key)
    }
    if (this.#buckets.size < this.#most) return
    let left = Math.ceil(this.#most / 4)
    for (const key of this.#buckets.keys()) {
      if (left-- === 0) return
      this.#buckets.delete(key)
    }
  }
}
