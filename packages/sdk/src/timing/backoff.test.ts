import { describe, expect, it } from 'vitest'
import { Backoff } from './backoff.ts'

const firstDelays = (backoff: Backoff, count: number): number[] =>
  Array.from({ length: count }, (_, attempt) => backoff.delayBefore(attempt))

describe('Backoff', () => {
  it('takes its delays in order and repeats the last one', () => {
    expect(firstDelays(new Backoff([0, 1000, 5000]), 5)).toEqual([0, 1000, 5000, 5000, 5000])
  })

  it('adds up to the given share by chance, in whole milliseconds', () => {
    const backoff = new Backoff([1000, 333], 0.2)
    expect([0, 0.5, 1].map((chance) => backoff.delayBefore(0, chance))).toEqual([1000, 1100, 1200])
    expect(backoff.delayBefore(1, 0.5)).toBe(366)
  })

  it('adds nothing by chance unless it is told to', () => {
    expect(new Backoff([1000]).delayBefore(0, 1)).toBe(1000)
  })

  it('knows its longest delay, wherever that is in the list', () => {
    expect(new Backoff([1000, 30_000, 2000]).longest).toBe(30_000)
  })

  it('doubles delays up to the longest', () => {
    expect(firstDelays(Backoff.growing(250, 5000), 8)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000])
    expect(Backoff.growing(250, 5000).longest).toBe(5000)
    expect(Backoff.growing(1000, 4000, 0.25).delayBefore(1, 1)).toBe(2500)
  })

  it('never exceeds the longest delay, even with the first one', () => {
    expect(firstDelays(Backoff.growing(500, 100), 2)).toEqual([100, 100])
  })

  it.each([0, Number.NaN, Number.POSITIVE_INFINITY])('comes to an end when the first delay is %s', (first) => {
    expect(Backoff.growing(first, 1000).delayBefore(3)).toBe(Math.min(first, 1000))
    expect(Backoff.growing(1, Number.POSITIVE_INFINITY).delayBefore(3)).toBe(8)
  })
})
