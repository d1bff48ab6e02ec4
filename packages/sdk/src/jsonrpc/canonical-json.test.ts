import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

/** The plain way to do it, which needs a stack as deep as the value. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

describe('D-06 JSON in one spelling', () => {
  it('is the JSON of the value with its keys in order', () => {
    // Keys that look like numbers come first in any object, whatever the order they were put in.
    const key = fc.string().filter((name) => !/^\d+$/.test(name) && name !== '__proto__')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, false),
        fc.string(),
        fc.double(),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
      ),
    }))
    fc.assert(fc.property(value, (given) => void expect(canonicalJson(given)).toBe(JSON.stringify(sorted(given)))))
  })

  it('leaves out what is undefined, and is not stopped by depth', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, -0, Number.NaN] })).toBe('{"a":[null,0,null]}')
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep }
    expect(canonicalJson(deep)).toHaveLength(1 + 100_000 * 2 + 50_000 * 4)
  })
})
