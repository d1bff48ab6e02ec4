/** The tests that every `EventLog` must pass: a driver's own test calls `eventLogContract`. */
import { describe, expect, it } from 'vitest'
import type { EventLog, LoggedEvent } from './event-log.ts'

export const loggedEvent = (stream: number, sequence: number, data = 'x'): LoggedEvent => ({ stream, sequence, data })

export function eventLogContract(name: string, create: () => EventLog): void {
  describe(`A-11 ${name} is an event log`, () => {
    it('separates sessions and streams, and keeps the order', async () => {
      const log = create()
      log.append('a', loggedEvent(1, 1))
      log.append('a', loggedEvent(2, 1))
      log.append('b', loggedEvent(1, 1, 'other'))
      log.append('a', loggedEvent(1, 2))
      expect(await log.read('a', 1)).toEqual([loggedEvent(1, 1), loggedEvent(1, 2)])
      expect(await log.read('b', 1)).toEqual([loggedEvent(1, 1, 'other')])
      expect(await log.read('c', 1)).toEqual([])
    })

    it('forgets a session, or all but some of its streams', async () => {
      const log = create()
      const lengths = async (session: string) => {
        const events = await Promise.all([0, 1, 2].map((stream) => log.read(session, stream)))
        return events.map(({ length }) => length)
      }
      for (const stream of [0, 1, 2]) log.append('a', loggedEvent(stream, 1))
      log.append('b', loggedEvent(0, 1))
      log.forget('a', new Set([0, 2]))
      expect(await lengths('a')).toEqual([1, 0, 1])
      log.forget('a')
      log.forget('unknown')
      expect([await lengths('a'), await lengths('b')]).toEqual([
        [0, 0, 0],
        [1, 0, 0],
      ])
    })
  })
}
