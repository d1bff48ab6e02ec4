import fc from 'fast-check'
import { fakeClock } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { Throttle } from './throttle.ts'

describe('M6 changes at a pace', () => {
  it('the first is told at once, the rest of a burst once more, and nothing is left waiting', async () => {
    const clock = fakeClock()
    let told = 0
    const paced = new Throttle(clock, () => told++)
    for (let change = 0; change < 1000; change++) paced.changed()
    expect(told).toBe(1)
    await clock.advance(100)
    expect(told).toBe(2)
    await clock.advance(100)
    expect([told, clock.pending]).toEqual([2, 0])
  })

  it('nothing is told after the end', async () => {
    const clock = fakeClock()
    let told = 0
    const paced = new Throttle(clock, () => told++)
    paced.changed()
    paced.changed()
    paced.stop()
    await clock.advance(1000)
    expect([told, clock.pending]).toEqual([1, 0])
  })

  it('law: every change is followed by news of it within the pace, and news never come closer than the pace', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 30 }), async (pauses) => {
        const clock = fakeClock()
        const news: number[] = []
        const changes: number[] = []
        const paced = new Throttle(clock, () => news.push(clock.now()))
        for (const pause of pauses) {
          await clock.advance(pause)
          changes.push(clock.now())
          paced.changed()
        }
        await clock.advance(1000)
        for (const change of changes) expect(news.some((time) => time >= change && time <= change + 100)).toBe(true)
        for (const [at, time] of news.entries())
          if (at > 0) expect(time - (news[at - 1] as number)).toBeGreaterThanOrEqual(100)
      }),
      { numRuns: 50 },
    )
  })
})
