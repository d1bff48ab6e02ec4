/** A crowd behaves as a set of objects does. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Crowd, type Member } from './crowd.ts'

const people = (count: number): (Member & { readonly name: number })[] => Array.from({ length: count }, (_, name) => ({ name, seat: undefined }))

describe('a crowd', () => {
  it('has whom a set has, whoever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9 }))), (steps) => {
        const everyone = people(10)
        const crowd = new Crowd<(typeof everyone)[number]>()
        const set = new Set<(typeof everyone)[number]>()
        for (const [comes, which] of steps) {
          const person = everyone[which] as (typeof everyone)[number]
          if (comes) {
            crowd.add(person)
            set.add(person)
          } else expect(crowd.delete(person)).toBe(set.delete(person))
          expect(crowd.size).toBe(set.size)
          for (const each of everyone) expect(crowd.has(each)).toBe(set.has(each))
        }
        expect(new Set(crowd.all())).toEqual(set)
      }),
    )
  })

  it('is not taken in by a seat in another crowd', () => {
    const one: Member = { seat: undefined }
    const other: Member = { seat: undefined }
    const here = new Crowd<Member>()
    const there = new Crowd<Member>()
    here.add(one)
    there.add(other)
    expect([here.has(other), here.delete(other), there.has(other)]).toEqual([false, false, true])
  })

  it('is empty when it is cleared, and can be joined again', () => {
    const crowd = new Crowd<Member>()
    const one: Member = { seat: undefined }
    const other: Member = { seat: undefined }
    crowd.add(one)
    crowd.add(other)
    crowd.clear()
    crowd.add(other)
    expect([crowd.has(one), crowd.has(other), crowd.size]).toEqual([false, true, 1])
  })
})
