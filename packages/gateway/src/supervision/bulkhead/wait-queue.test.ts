import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type QueueEntry, WaitQueue } from './wait-queue.ts'

describe('WaitQueue', () => {
  it('G: behaves like an array that is joined at the end and left from anywhere', () => {
    const moves = fc.array(fc.oneof(fc.constant('join' as const), fc.constant('next' as const), fc.nat({ max: 20 })), {
      maxLength: 100,
    })
    fc.assert(
      fc.property(moves, (list) => {
        const queue = new WaitQueue<number>()
        const entries: QueueEntry<number>[] = []
        let model: number[] = []
        for (const [count, move] of list.entries()) {
          if (move === 'join') {
            entries.push(queue.join(count))
            model.push(count)
          } else if (move === 'next') {
            expect(queue.next()).toBe(model.shift())
          } else {
            const entry = entries[move]
            if (entry !== undefined) {
              // Leaving twice, or after its turn, does nothing.
              queue.leave(entry)
              model = model.filter((value) => value !== entry.value)
            }
          }
          expect([queue.size, queue.first]).toEqual([model.length, model[0]])
        }
        for (const value of model) expect(queue.next()).toBe(value)
        expect(queue.next()).toBeUndefined()
      }),
    )
  })
})
