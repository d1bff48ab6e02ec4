import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loggedEvent as event, eventLogContract } from './event-log.fixtures.ts'
import { MemoryEventLog } from './memory-event-log.ts'

eventLogContract('MemoryEventLog', () => new MemoryEventLog())

describe('A-11 the limits of the event log in memory', () => {
  it('takes events from the largest sessions over the total, and none from the others', () => {
    const log = new MemoryEventLog({ maxLength: 400, maxTotalLength: 1000 })
    log.append('small', event(1, 1, 'x'.repeat(20)))
    for (const hog of ['a', 'b', 'c']) for (let n = 1; n <= 40; n++) log.append(hog, event(1, n, 'x'.repeat(10)))
    log.append('late', event(1, 1, 'x'.repeat(150)))
    expect(log.totalLength).toBeLessThanOrEqual(1000)
    expect(log.read('small', 1)).toHaveLength(1)
    expect(log.read('late', 1)).toHaveLength(1)
    for (const hog of ['a', 'b', 'c']) {
      expect(log.read(hog, 1).at(-1)?.sequence).toBe(40)
      expect(log.read(hog, 1).length).toBeGreaterThan(15)
    }
  })

  it('a single large event does not displace all others', () => {
    const log = new MemoryEventLog({ maxTotalLength: 1000 })
    for (let n = 0; n < 10; n++) log.append(`s${n}`, event(1, 1, 'x'.repeat(50)))
    log.append('hog', event(1, 1, 'x'.repeat(5000)))
    expect(log.read('hog', 1)).toEqual([])
    expect(log.totalLength).toBe(500)
  })

  it('are never exceeded, and the latest events are kept', () => {
    const step = fc.record({
      session: fc.constantFrom('a', 'b'),
      stream: fc.nat(2),
      length: fc.nat(30),
      forget: fc.nat(20),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const log = new MemoryEventLog({ maxEvents: 40, maxLength: 200, maxTotalLength: 300 })
        const kept = (session: string) => [0, 1, 2].flatMap((stream) => [...log.read(session, stream)])
        const sum = (session: string) => kept(session).reduce((total, { data }) => total + data.length, 0)
        let sequence = 0
        for (const { session, stream, length, forget } of steps) {
          if (forget === 0) log.forget(session, new Set([stream]))
          log.append(session, event(stream, ++sequence, 'x'.repeat(length)))
          expect(kept(session).length).toBeLessThanOrEqual(40)
          expect(sum(session)).toBeLessThanOrEqual(200)
          expect(log.totalLength).toBe(sum('a') + sum('b'))
          expect(log.totalLength).toBeLessThanOrEqual(300)
          if (log.totalLength + length <= 200 && length > 0)
            expect(log.read(session, stream).at(-1)?.sequence).toBe(sequence)
        }
      }),
    )
  })
})
