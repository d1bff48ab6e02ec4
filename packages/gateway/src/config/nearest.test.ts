/** Typing mistakes are recognised, other words are not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distance, nearest } from './nearest.ts'

describe('nearest', () => {
  it('finds what was meant', () => {
    const keys = ['command', 'args', 'env', 'url', 'timeout']
    expect(
      ['comand', 'Command', 'agrs', 'envs', 'timeuot', 'quux', 'x'.repeat(100)].map((word) => nearest(word, keys)),
    ).toEqual(['command', 'command', 'args', 'env', 'timeout', undefined, undefined])
  })

  it('the distance is 0 only for the same word, the same both ways, and never more than the longer word', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, (left, right) => {
        const away = distance(left, right)
        expect(away === 0).toBe(left === right)
        expect(distance(right, left)).toBe(away)
        expect(away).toBeLessThanOrEqual(Math.max(left.length, right.length))
        expect(away).toBeGreaterThanOrEqual(Math.abs(left.length - right.length))
      }),
    )
  })
})
