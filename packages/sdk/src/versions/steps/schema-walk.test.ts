import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { wrapOutputSchema, wrapsOutput, wrapsValue } from './2026-07-28/structured-wrap.ts'
import { rewriteSchema } from './schema-walk.ts'

const inner = (schema: Body): unknown => (wrapOutputSchema(schema)['properties'] as Body)['result']

describe('D-44 references find their target one level deeper', () => {
  it('moves references to the root and below it', () => {
    expect(inner({ $ref: '#' })).toEqual({ $ref: '#/properties/result' })
    expect(
      inner({ anyOf: [{ $ref: '#/$defs/a' }, { $dynamicRef: '#/x' }], $defs: { a: { items: { $ref: '#' } } } }),
    ).toEqual({
      anyOf: [{ $ref: '#/properties/result/$defs/a' }, { $dynamicRef: '#/properties/result/x' }],
      $defs: { a: { items: { $ref: '#/properties/result' } } },
    })
  })
  it.each([
    ['an anchor', { $ref: '#node', $defs: { a: { $anchor: 'node' } } }],
    ['another document', { $ref: 'https://example.com/a.json#/x' }],
    ['below an own id', { $id: 'https://example.com/root', items: { $ref: '#/$defs/a' } }],
    ['below the id of a definition', { $defs: { a: { $id: 'https://example.com/a', items: { $ref: '#' } } } }],
    ['data', { const: { $ref: '#' }, enum: [{ $ref: '#/x' }], default: { $ref: '#' }, examples: [{ $ref: '#' }] }],
    [
      'a property of that name',
      { type: 'array', items: { properties: { $ref: { type: 'string' } }, required: ['$ref'] } },
    ],
    ['a reference that is none', { $ref: 5 }],
  ])('leaves alone: %s', (_, schema) => {
    expect(inner(schema)).toEqual(schema)
  })
  it('takes properties named like keywords for schemas', () => {
    expect(inner({ properties: { const: { $ref: '#' }, default: { $ref: '#/x' } } })).toEqual({
      properties: { const: { $ref: '#/properties/result' }, default: { $ref: '#/properties/result/x' } },
    })
  })
  it('treats an id that is a mere fragment as an anchor', () => {
    expect(inner({ definitions: { a: { $id: '#a', items: { $ref: '#/definitions/b' } } } })).toMatchObject({
      definitions: { a: { items: { $ref: '#/properties/result/definitions/b' } } },
    })
  })
})

describe('D-43 D-44 wrapping value and schema is the same thing', () => {
  const { schema } = fc.letrec<{ schema: Body }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Body>(
        {},
        { type: 'string' },
        { type: 'integer' },
        { type: 'null' },
        { $ref: '#/$defs/leaf' },
        { const: { $ref: '#' } },
        { enum: [1, 'a', null] },
      ),
      fc.record({ type: fc.constant('array'), items: tie('schema') }, { noNullPrototype: true }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }, { noNullPrototype: true }),
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', '$ref', 'const', 'default'), tie('schema'), {
            noNullPrototype: true,
          }),
        },
        { noNullPrototype: true },
      ),
      fc.record({ type: fc.constant('array'), items: fc.constant({ $ref: '#' }) }, { noNullPrototype: true }),
    ),
  }))
  // Ajv calls the methods of these names on what it compares, and fails where they are something else.
  const comparable = fc
    .jsonValue({ maxDepth: 3 })
    .filter((json) => !/"(?:toString|valueOf)"/.test(JSON.stringify(json)))
  const value = fc.oneof(
    comparable,
    fc.constantFrom<unknown>([], [[]], ['a', 1], { a: 1 }, { $ref: '#' }, { const: 'x', default: null }),
  )

  it('a value fits its schema exactly when the wrapped value fits the wrapped schema', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false })
    fc.assert(
      fc.property(schema, value, (root, candidate) => {
        const original = { ...root, $defs: { leaf: { type: ['string', 'array'], items: { $ref: '#/$defs/leaf' } } } }
        const wrapped = wrapOutputSchema(original)
        expect(ajv.validate(wrapped, { result: candidate })).toBe(ajv.validate(original, candidate))
        ajv.removeSchema()
      }),
      { numRuns: 150 },
    )
  })
  it('says which values are wrapped', () => {
    expect([
      wrapsOutput(undefined),
      wrapsOutput({ type: 'object' }),
      wrapsOutput({ type: ['object'] }),
      wrapsOutput({}),
    ]).toEqual([false, false, true, true])
    expect([
      wrapsValue({}, undefined),
      wrapsValue([], undefined),
      wrapsValue({}, { type: 'object' }),
      wrapsValue({}, {}),
    ]).toEqual([false, true, false, true])
  })
})

describe('rewriteSchema', () => {
  it('gives back the same reference when nothing changes, and never writes to its argument', () => {
    const deep = Object.freeze({
      properties: Object.freeze({
        a: Object.freeze({ anyOf: Object.freeze([Object.freeze({ type: 'string' }), true]) }),
      }),
    })
    expect(rewriteSchema(deep, (schema) => schema)).toBe(deep)
    expect(rewriteSchema(deep, (schema) => (schema['type'] === 'string' ? { type: 'number' } : schema))).toEqual({
      properties: { a: { anyOf: [{ type: 'number' }, true] } },
    })
  })
  it('tells where it is and stops where it is told to', () => {
    const seen: string[] = []
    rewriteSchema({ properties: { a: { items: { type: 'string' } } }, allOf: [{ not: {} }] }, (schema, trail) => {
      seen.push(trail.join('/'))
      return trail[0] === 'allOf' ? undefined : schema
    })
    expect(seen).toEqual(['', 'properties/a', 'properties/a/items', 'allOf/0'])
  })
})
