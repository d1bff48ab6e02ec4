import fc from 'fast-check'
import { fakeClock } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { Throttle } from './throttle.ts'

describe('M6: throttled changes', () => {
  it('the first is reported at once, and the rest of a burst once more', async () => {
    const clock = fakeClock()
    let reported = 0
    const throttle = new Throttle(clock, () => reported++)
    for (let change = 0; change < 1000; change++) throttle.changed()
    expect(reported).toBe(1)
    await clock.advance(100)
    expect(reported).toBe(2)
    await clock.advance(100)
    expect([reported, clock.pending]).toEqual([2, 0])
  })

  it('nothing is reported after the end', async () => {
    const clock = fakeClock()
    let reported = 0
    const throttle = new Throttle(clock, () => reported++)
    throttle.changed()
    throttle.changed()
    throttle.stop()
    await clock.advance(1000)
    expect([reported, clock.pending]).toEqual([1, 0])
  })

  it('law: every change is reported within the interval, and reports are never closer than the interval', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 30 }), async (pauses) => {
        const clock = fakeClock()
        const reports: number[] = []
        const changes: number[] = []
        const throttle = new Throttle(clock, () => reports.push(clock.now()))
        for (const pause of pauses) {
          await clock.advance(pause)
          changes.push(clock.now())
          throttle.changed()
        }
        await clock.advance(1000)
        for (const change of changes) expect(reports.some((time) => time >= change && time <= change + 100)).toBe(true)
        for (const [at, time] of reports.entries())
          if (at > 0) expect(time - (reports[at - 1] as number)).toBeGreaterThanOrEqual(100)
      }),
      { numRuns: 50 },
    )
  })
})
