/** A bag behaves as a set of objects does. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bag, type BagEntry } from './bag.ts'

const entriesOf = (count: number): (BagEntry & { readonly name: number })[] =>
  Array.from({ length: count }, (_, name) => ({ name, bagIndex: undefined }))

describe('a bag', () => {
  it('has the entries that a set has after the same changes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9 }))), (steps) => {
        const entries = entriesOf(10)
        const bag = new Bag<(typeof entries)[number]>()
        const set = new Set<(typeof entries)[number]>()
        for (const [isAdded, index] of steps) {
          const entry = entries[index] as (typeof entries)[number]
          if (isAdded) {
            bag.add(entry)
            set.add(entry)
          } else expect(bag.delete(entry)).toBe(set.delete(entry))
          expect(bag.size).toBe(set.size)
          for (const each of entries) expect(bag.has(each)).toBe(set.has(each))
        }
        expect(new Set(bag.all())).toEqual(set)
      }),
    )
  })

  it('does not have an entry of another bag with the same index', () => {
    const one: BagEntry = { bagIndex: undefined }
    const other: BagEntry = { bagIndex: undefined }
    const first = new Bag<BagEntry>()
    const second = new Bag<BagEntry>()
    first.add(one)
    second.add(other)
    expect([first.has(other), first.delete(other), second.has(other)]).toEqual([false, false, true])
  })

  it('is empty when it is cleared, and takes entries again', () => {
    const bag = new Bag<BagEntry>()
    const one: BagEntry = { bagIndex: undefined }
    const other: BagEntry = { bagIndex: undefined }
    bag.add(one)
    bag.add(other)
    bag.clear()
    bag.add(other)
    expect([bag.has(one), bag.has(other), bag.size]).toEqual([false, true, 1])
  })
})
