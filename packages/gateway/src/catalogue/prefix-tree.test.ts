import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PrefixTree } from './prefix-tree.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1f600}', '/'), maxLength: 6 })

describe('values along a text', () => {
  it('law: finds what a look at every beginning finds, whatever came and went', () => {
    const step = fc.record({ text, remove: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(text), (steps, asked) => {
        const tree = new PrefixTree<string>()
        const known = new Set<string>()
        for (const given of steps) {
          if (given.remove) {
            tree.delete(given.text)
            known.delete(given.text)
          } else {
            expect(tree.entry(given.text, () => given.text)).toBe(given.text)
            known.add(given.text)
          }
        }
        for (const each of [...asked, ...known]) {
          const expected = [...known].filter((key) => each.startsWith(key)).sort((a, b) => b.length - a.length)
          expect(tree.along(each)).toEqual(expected)
          expect(tree.get(each)).toBe(known.has(each) ? each : undefined)
        }
      }),
    )
  })
})
