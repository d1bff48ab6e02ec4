/**
 * One bucket for each client, up to a limit. Drops the buckets of clients that
 * were inactive for a while.
 */
import type { RateLimit } from '../config/index.ts'
import { Bucket } from './bucket.ts'

const MOST = 10_000
/**
 * Pause between searches for empty buckets, in milliseconds. A client with ever new names must not cause many searches.
 */
const PAUSE = 1000

export class Buckets {
  readonly #most: number
  /** In the order of their first request. */
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
   * Drops empty buckets. If there are none, drops the oldest quarter. Dropping one at a time would be slow, because a full
   * `Map` is slow to search from its front.
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
