import fc from 'fast-check'
import type { Capabilities } from 'parley-mcp'
import { canonicalJson } from 'parley-mcp/engine'
import { describe, expect, it } from 'vitest'
import { abilitiesOf, NO_ABILITIES } from './client-abilities.ts'

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

describe('the abilities of a client', () => {
  it('are their own normal form, and equal exactly when their keys are', () => {
    fc.assert(
      fc.property(capabilities, capabilities, (one, two) => {
        const [first, second] = [abilitiesOf(one), abilitiesOf(two)]
        expect(abilitiesOf(first.capabilities)).toEqual(first)
        expect(canonicalJson(first.capabilities) === canonicalJson(second.capabilities)).toBe(first.key === second.key)
      }),
    )
  })

  it('never hold more than was declared', () => {
    fc.assert(
      fc.property(capabilities, (given) => {
        const profile = abilitiesOf(given).capabilities as Record<string, Record<string, unknown>>
        for (const [name, parts] of Object.entries(profile)) {
          const declared = (given as typeof profile)[name]
          expect(declared).toBeTypeOf('object')
          // A bare declaration means forms. The gateway notifies changes of roots.
          const implied =
            name === 'roots'
              ? ['listChanged']
              : name === 'elicitation' && Object.keys(parts).length === 1
                ? ['form']
                : []
          for (const each of Object.keys(parts))
            if (!implied.includes(each)) expect(declared?.[each]).toBeTypeOf('object')
        }
      }),
    )
  })

  it('depend only on what a server may ask, and on declared extensions', () => {
    expect(abilitiesOf({})).toBe(NO_ABILITIES)
    expect(
      abilitiesOf({
        experimental: { 'dev.parley/via': {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      } as Capabilities),
    ).toBe(NO_ABILITIES)
    expect(abilitiesOf({ experimental: {}, extensions: {}, other: { a: 1 } } as Capabilities)).toBe(NO_ABILITIES)
    expect(abilitiesOf({ elicitation: {} })).toEqual(abilitiesOf({ elicitation: { form: {} } }))
    expect(abilitiesOf({ elicitation: { url: {} } }).key).not.toBe(
      abilitiesOf({ elicitation: { url: {}, form: {} } }).key,
    )
    expect(abilitiesOf({ roots: { listChanged: false } })).toEqual(abilitiesOf({ roots: {} }))
    expect(abilitiesOf({ sampling: { tools: {} } }).key).not.toBe(abilitiesOf({ sampling: {} }).key)
  })

  const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }

  it('hold the declared extensions and experimental capabilities in any order', () => {
    const profile = abilitiesOf({
      elicitation: {},
      experimental: { a: { x: 1, y: 2 } },
      extensions: { ...ui, 'io.modelcontextprotocol/tasks': {} },
    })
    expect(profile.capabilities).toEqual({
      elicitation: { form: {} },
      experimental: { a: { x: 1, y: 2 } },
      extensions: ui,
    })
    expect(abilitiesOf({ extensions: ui, experimental: { a: { y: 2, x: 1 } }, elicitation: { form: {} } }).key).toBe(
      profile.key,
    )
    expect(
      abilitiesOf({ extensions: ui, experimental: { a: { y: 2, x: 2 } }, elicitation: { form: {} } }).key,
    ).not.toBe(profile.key)
    expect(profile.isAskable).toBe(true)
    expect(profile.declaration).toMatchObject({
      isAskable: false,
      capabilities: { experimental: { a: { x: 1, y: 2 } }, extensions: ui },
    })
    expect(profile.declaration.declaration).toBe(profile.declaration)
  })

  it('have a short key however much a client declares', () => {
    const long = (value: string) =>
      abilitiesOf({ extensions: { 'com.example/long': { value: value.repeat(100_000) } } })
    expect(long('x').key.length).toBeLessThan(300)
    expect(long('x').key).not.toBe(long('y').key)
  })
})
