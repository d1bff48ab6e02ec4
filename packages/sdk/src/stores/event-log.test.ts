/** The log of events in memory: order, limits, forgetting. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryEventLog } from './event-log.ts'

const event = (stream: number, sequence: number, data = 'x') => ({ stream, sequence, data })

describe('A-11 the event log', () => {
  it('keeps sessions and streams apart, in order', () => {
    const log = new MemoryEventLog()
    log.append('a', event(1, 1))
    log.append('a', event(2, 1))
    log.append('b', event(1, 1, 'other'))
    log.append('a', event(1, 2))
    expect(log.read('a', 1)).toEqual([event(1, 1), event(1, 2)])
    expect(log.read('b', 1)).toEqual([event(1, 1, 'other')])
    expect(log.read('c', 1)).toEqual([])
  })

  it('forgets a session, or all but some of its streams', () => {
    const log = new MemoryEventLog()
    for (const stream of [0, 1, 2]) log.append('a', event(stream, 1, 'abc'))
    log.append('b', event(0, 1, 'abc'))
    log.forget('a', new Set([0, 2]))
    expect([0, 1, 2].map((stream) => log.read('a', stream).length)).toEqual([1, 0, 1])
    log.forget('a')
    log.forget('nobody')
    expect(log.totalLength).toBe(3)
  })

  it('over the total, takes from the sessions that hold most, and leaves the others theirs', () => {
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

  it('no single event costs all the others theirs', () => {
    const log = new MemoryEventLog({ maxTotalLength: 1000 })
    for (let n = 0; n < 10; n++) log.append(`s${n}`, event(1, 1, 'x'.repeat(50)))
    log.append('hog', event(1, 1, 'x'.repeat(5000)))
    expect(log.read('hog', 1)).toEqual([])
    expect(log.totalLength).toBe(500)
  })

  it('never holds more than its limits, keeps the latest, and counts right', () => {
    const step = fc.record({ session: fc.constantFrom('a', 'b'), stream: fc.nat(2), length: fc.nat(30), forget: fc.nat(20) })
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
          if (log.totalLength + length <= 200 && length > 0) expect(log.read(session, stream).at(-1)?.sequence).toBe(sequence)
        }
      }),
    )
  })
})
