import fc from 'fast-check'
import type { Capabilities } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { EMPTY_PROFILE, profileOf } from './profile.ts'

const part = fc.constantFrom(undefined, {}, true, { x: 1 })
const capabilities = fc.record(
  {
    elicitation: fc.option(fc.record({ form: part, url: part, other: part }, { requiredKeys: [] }), { nil: undefined }),
    sampling: fc.option(fc.record({ tools: part, context: part }, { requiredKeys: [] }), { nil: undefined }),
    roots: fc.option(fc.record({ listChanged: fc.boolean() }, { requiredKeys: [] }), { nil: undefined }),
    experimental: fc.option(fc.dictionary(fc.string(), fc.object()), { nil: undefined }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Capabilities>

describe('8.2 what a client can be asked, in a normal form', () => {
  it('is its own normal form, and equal exactly when its key is', () => {
    fc.assert(
      fc.property(capabilities, capabilities, (one, two) => {
        const [first, second] = [profileOf(one), profileOf(two)]
        expect(profileOf(first.capabilities)).toEqual(first)
        expect(JSON.stringify(first.capabilities) === JSON.stringify(second.capabilities)).toBe(first.key === second.key)
      }),
    )
  })

  it('never holds more than was declared', () => {
    fc.assert(
      fc.property(capabilities, (given) => {
        const profile = profileOf(given).capabilities as Record<string, Record<string, unknown>>
        for (const [name, parts] of Object.entries(profile)) {
          const declared = (given as typeof profile)[name]
          expect(declared).toBeTypeOf('object')
          // Forms are what a bare declaration means; the gateway itself says when roots change.
          const implied = name === 'roots' ? ['listChanged'] : name === 'elicitation' && Object.keys(parts).length === 1 ? ['form'] : []
          for (const each of Object.keys(parts)) if (!implied.includes(each)) expect(declared?.[each]).toBeTypeOf('object')
        }
      }),
    )
  })

  it('depends on nothing but what a server may ask', () => {
    expect(profileOf({})).toBe(EMPTY_PROFILE)
    expect(profileOf({ experimental: { a: {} }, extensions: { b: {} } } as Capabilities)).toBe(EMPTY_PROFILE)
    expect(profileOf({ elicitation: {} })).toEqual(profileOf({ elicitation: { form: {} } }))
    expect(profileOf({ elicitation: { url: {} } }).key).not.toBe(profileOf({ elicitation: { url: {}, form: {} } }).key)
    expect(profileOf({ roots: { listChanged: false } })).toEqual(profileOf({ roots: {} }))
    expect(profileOf({ sampling: { tools: {} } }).key).not.toBe(profileOf({ sampling: {} }).key)
  })
})
