import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Line, type Place } from './line.ts'

describe('Line', () => {
  it('G: behaves like an array that is joined at the end and left from anywhere', () => {
    const moves = fc.array(fc.oneof(fc.constant('join' as const), fc.constant('next' as const), fc.nat({ max: 20 })), { maxLength: 100 })
    fc.assert(
      fc.property(moves, (list) => {
        const line = new Line<number>()
        const places: Place<number>[] = []
        let model: number[] = []
        for (const [count, move] of list.entries()) {
          if (move === 'join') {
            places.push(line.join(count))
            model.push(count)
          } else if (move === 'next') {
            expect(line.next()).toBe(model.shift())
          } else {
            const place = places[move]
            if (place !== undefined) {
              // Leaving twice, or after one's turn, does nothing.
              line.leave(place)
              model = model.filter((value) => value !== place.value)
            }
          }
          expect([line.size, line.first]).toEqual([model.length, model[0]])
        }
        for (const value of model) expect(line.next()).toBe(value)
        expect(line.next()).toBeUndefined()
      }),
    )
  })
})
