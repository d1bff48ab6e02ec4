import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weightOf } from './weight.ts'

describe('L4 the weight of what is kept', () => {
  it('is about that of its text: never less than its characters, and no more than a few dozen times that', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        const weight = weightOf(value)
        // Characters that are escaped in JSON are one in memory.
        expect(weight * 6).toBeGreaterThanOrEqual(text.length)
        expect(weight).toBeLessThanOrEqual(text.length * 64)
      }),
    )
  })

  it('grows with what is added', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, two) => {
        expect(weightOf([one, two])).toBeGreaterThan(weightOf(one) + weightOf(two))
      }),
    )
  })

  it('is not counted further than anybody wants to know', () => {
    const counted: string[] = []
    const watched = new Proxy({} as Record<string, unknown>, {
      ownKeys: () => ['a', 'b'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (_, key) => {
        counted.push(String(key))
        return 'x'.repeat(100)
      },
    })
    expect(weightOf([watched, 'y'.repeat(100)], 50)).toBeGreaterThan(50)
    expect(counted).toEqual([])
  })

  it('is found however deep it is nested', () => {
    let deep: unknown = 'x'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(weightOf(deep)).toBeGreaterThan(100_000)
  })
})
