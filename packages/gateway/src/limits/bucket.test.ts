/** G: so many at once, then as many as leak out, and never one more. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RateLimit } from '../config/index.ts'
import { Bucket, Buckets } from './index.ts'

const limit: RateLimit = { requests: 3, per: 1000 }

describe('G a bucket', () => {
  it('lets as many through at once as the limit has, and says when the next may come', () => {
    const bucket = new Bucket(0)
    expect([1, 2, 3].map(() => bucket.take(0, limit))).toEqual([0, 0, 0])
    expect(bucket.take(0, limit)).toBe(334)
    expect(bucket.take(100, limit)).toBe(234)
    // Asking in vain has cost nothing.
    expect(bucket.take(334, limit)).toBe(0)
    expect(bucket.take(334, limit)).toBe(333)
  })

  it('is as good as new when nobody has come for the whole time', () => {
    const bucket = new Bucket(0)
    for (let n = 0; n < 3; n++) bucket.take(0, limit)
    expect(bucket.isEmpty(999, limit)).toBe(false)
    expect(bucket.isEmpty(1000, limit)).toBe(true)
    expect([1, 2, 3, 4].map(() => bucket.take(1000, limit))).toEqual([0, 0, 0, 334])
  })

  it('keeps what was counted when the limit changes', () => {
    const bucket = new Bucket(0)
    for (let n = 0; n < 3; n++) bucket.take(0, limit)
    expect(bucket.take(0, { requests: 5, per: 1000 })).toBe(0)
    expect(bucket.take(0, { requests: 2, per: 1000 })).toBe(1500)
    expect(bucket.take(1500, { requests: 2, per: 1000 })).toBe(0)
  })

  it('is not confused by a clock that is set back', () => {
    const bucket = new Bucket(10_000)
    for (let n = 0; n < 3; n++) bucket.take(10_000, limit)
    expect(bucket.take(5000, limit)).toBe(334)
    expect(bucket.take(5334, limit)).toBe(0)
  })

  it('whoever waits as long as was said gets through; within any time no more than a full bucket and what leaked', () => {
    const times = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 })
    fc.assert(
      fc.property(
        times,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 5000 }),
        (pauses, requests, per) => {
          const bucket = new Bucket(0)
          const rate = { requests, per }
          const passed: number[] = []
          let now = 0
          for (const pause of pauses) {
            now += pause
            const wait = bucket.take(now, rate)
            now += wait
            if (wait > 0) expect(bucket.take(now, rate)).toBe(0)
            passed.push(now)
          }
          const excess = passed.flatMap((first, from) =>
            passed.slice(from).map((last, more) => more + 1 - requests - ((last - first) * requests) / per),
          )
          expect(Math.max(0, ...excess)).toBeLessThan(1e-3)
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('G buckets', () => {
  const once: RateLimit = { requests: 1, per: 1000 }

  it('are one for each', () => {
    const buckets = new Buckets()
    expect([buckets.take('a', 0, once), buckets.take('b', 0, once), buckets.take('a', 0, once)]).toEqual([0, 0, 1000])
  })

  it('are no more than there is room for: those without use go first, then whoever came first', () => {
    const buckets = new Buckets(3)
    for (const key of ['a', 'b', 'c']) buckets.take(key, 0, once)
    expect(buckets.take('d', 1000, once)).toBe(0)
    expect(buckets.size).toBe(1)
    for (const key of ['e', 'f', 'g']) buckets.take(key, 1500, once)
    expect(buckets.size).toBe(3)
    expect(buckets.take('e', 1500, once)).toBe(1000)
    // The first of them was forgotten, which is to its favour.
    expect(buckets.take('d', 1500, once)).toBe(0)
    expect(buckets.size).toBe(3)
  })

  it('cost little, however many names come', () => {
    const buckets = new Buckets()
    for (let n = 0; n < 200_000; n++) buckets.take(`key ${n}`, 0, once)
    expect(buckets.size).toBeLessThanOrEqual(10_000)
  })
})
