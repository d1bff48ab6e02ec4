import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../errors/index.ts'
import { processorTime } from '../processor-time.fixtures.ts'
import { compileSchema, describeIssues, type SchemaObject, validateJson } from './index.ts'

async function ok(schema: SchemaObject, value: unknown): Promise<boolean> {
  return (await validateJson(schema, value)).ok
}

async function said(schema: SchemaObject, value: unknown): Promise<string> {
  const result = await validateJson(schema, value)
  return result.ok ? 'ok' : describeIssues(result.issues)
}

async function problem(schema: unknown, value: unknown = {}): Promise<string> {
  try {
    await validateJson(schema as SchemaObject, value)
  } catch (error) {
    expect((error as ParleyError).kind).toBe('tool_schema_invalid')
    return (error as ParleyError).message
  }
  return 'no problem'
}

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const point = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }

/** Representative of each keyword: [schema, values that fit, values that do not]. */
const keywords: Record<string, [SchemaObject, unknown[], unknown[]]> = {
  type: [{ type: ['integer', 'null'] }, [1, 1.0, null], [1.5, '1', true, {}, []]],
  enum: [{ enum: ['a', 1, null] }, ['a', 1, null], ['b', '1', false]],
  'enum of objects': [{ enum: [{ a: [1] }] }, [{ a: [1] }], [{ a: [2] }, {}]],
  const: [{ const: false }, [false], [0, null]],
  'string lengths in characters': [
    { type: 'string', minLength: 2, maxLength: 3 },
    ['ab', '👍👍', '👍👍👍'],
    ['👍', 'abcd', ''],
  ],
  pattern: [{ type: 'string', pattern: '^[a-z]+$' }, ['abc'], ['', 'aB']],
  numbers: [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'x'], [0, 3]],
  multipleOf: [{ multipleOf: 0.1 }, [0.3, 1], [0.35]],
  items: [{ items: { type: 'string' }, minItems: 1, maxItems: 2 }, [['a'], 'x'], [[], [1], ['a', 'b', 'c']]],
  prefixItems: [{ prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [[1], ['a', 'b']]],
  uniqueItems: [{ uniqueItems: true }, [[1, '1']], [[{ a: 1 }, { a: 1 }]]],
  contains: [{ contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]]],
  additionalProperties: [
    { properties: { a: true }, additionalProperties: { type: 'number' } },
    [{ a: 'x', b: 1 }],
    [{ b: 'x' }],
  ],
  patternProperties: [{ patternProperties: { '^x': { type: 'number' } } }, [{ x1: 1, y: 'a' }], [{ x1: 'a' }]],
  'properties named like those of every object': [
    { properties: { toString: { type: 'number' }, constructor: { type: 'number' } }, required: ['hasOwnProperty'] },
    [{ hasOwnProperty: 1 }, { hasOwnProperty: 1, toString: 2 }],
    [{}, { hasOwnProperty: 1, toString: 'x' }],
  ],
  dependentRequired: [{ dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 2 }], [{ a: 1 }]],
  'if, then, else': [
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword
    { if: { properties: { k: { const: 1 } } }, then: { required: ['a'] }, else: { required: ['b'] } },
    [
      { k: 1, a: 1 },
      { k: 2, b: 1 },
    ],
    [{ k: 1 }, { k: 2 }],
  ],
  not: [{ not: { type: 'string' } }, [1], ['a']],
  oneOf: [{ oneOf: [{ minimum: 1 }, { maximum: 3 }] }, [0, 4], [2]],
  anyOf: [{ anyOf: [{ type: 'string' }, point] }, ['a', { x: 1 }], [1, {}]],
  unevaluatedProperties: [
    { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
    [{ a: 1, b: 2 }],
    [{ a: 1, c: 3 }],
  ],
  $ref: [{ $defs: { p: point }, properties: { at: { $ref: '#/$defs/p' } } }, [{ at: { x: 1 } }], [{ at: {} }]],
  $anchor: [{ $defs: { p: { $anchor: 'here', ...point } }, $ref: '#here' }, [{ x: 1 }], [{}]],
  'embedded $id': [
    { $id: 'https://a.example/root', $defs: { p: { $id: 'point', ...point } }, $ref: 'point' },
    [{ x: 1 }],
    [{}],
  ],
  $dynamicRef: [
    {
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { next: { $dynamicRef: '#node' } },
      additionalProperties: false,
    },
    [{ next: { next: {} } }],
    [{ next: { other: 1 } }],
  ],
  'recursion through $ref': [
    { type: 'object', properties: { next: { $ref: '#' } }, required: ['v'] },
    [{ v: 1, next: { v: 2 } }],
    [{ v: 1, next: {} }],
  ],
  format: [{ format: 'date-time' }, ['2026-07-28T10:00:00Z', 3], ['yesterday']],
  'the formats of forms': [
    { properties: { mail: { format: 'email' }, uri: { format: 'uri' }, day: { format: 'date' } } },
    [{ mail: 'a@b.example', uri: 'https://a.example/x', day: '2026-02-28' }],
    [{ mail: 'a' }, { uri: 'x y' }, { day: '2026-02-30' }],
  ],
  'an unknown format': [{ format: 'colour' }, ['anything'], []],
  'draft-07 tuples': [
    { $schema: DRAFT_07, items: [{ type: 'string' }], additionalItems: false },
    [['a']],
    [[1], ['a', 'b']],
  ],
  'draft-07 dependencies': [
    { $schema: DRAFT_07, dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{ a: 1, b: 1 }],
    [{ a: 1 }, { c: 1 }],
  ],
  'draft-07 ignores what stands beside $ref': [
    {
      $schema: DRAFT_07,
      definitions: { s: { type: 'string' } },
      properties: { a: { $ref: '#/definitions/s', maxLength: 1 } },
    },
    [{ a: 'long' }],
    [{ a: 1 }],
  ],
  'and 2020-12 does not': [
    { $defs: { s: { type: 'string' } }, properties: { a: { $ref: '#/$defs/s', maxLength: 1 } } },
    [{ a: 'x' }],
    [{ a: 'long' }],
  ],
}

describe('F1 C-22 JSON Schema keywords', () => {
  it.each(Object.entries(keywords))('%s', async (_name, [schema, good, bad]) => {
    for (const value of good) expect([value, await ok(schema, value)]).toEqual([value, true])
    for (const value of bad) expect([value, await ok(schema, value)]).toEqual([value, false])
  })

  it('works on frozen schemas and leaves them as they were', async () => {
    const schema = Object.freeze({ $defs: Object.freeze({ p: Object.freeze({ type: 'string' }) }), $ref: '#/$defs/p' })
    expect(await ok(schema, 'a')).toBe(true)
    expect(Reflect.ownKeys(schema)).toEqual(['$defs', '$ref'])
  })

  it('is synchronous for common schemas at once, and for all once the library is loaded', async () => {
    expect(validateJson({ type: 'string' }, 'a')).toEqual({ ok: true, value: 'a' })
    await validateJson({ not: {} }, 'a')
    expect(validateJson({ not: { type: 'number' } }, 'a')).toEqual({ ok: true, value: 'a' })
  })
})

describe('F1 messages a model can act on', () => {
  it.each<[SchemaObject, unknown, string]>([
    [
      { type: 'object', properties: { city: { type: 'string' } }, required: ['city', 'when'] },
      { city: 1 },
      'when: is required; city: expected string, got number',
    ],
    [
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      'b: is not known here; expected a',
    ],
    [{ properties: { unit: { enum: ['c', 'f'] } } }, { unit: 'k' }, 'unit: must be one of "c", "f"'],
    [
      { properties: { tags: { items: { type: 'string' } } } },
      { tags: ['a', 2] },
      'tags[1]: expected string, got number',
    ],
    [{ properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }, { a: 1 }, 'a: expected string or null'],
    [{ properties: { days: { minimum: 1, maximum: 5 } } }, { days: 0 }, 'days: must be ≥ 1'],
    [{ $ref: '#/$defs/p', $defs: { p: point } }, {}, 'x: is required'],
    [
      { properties: { at: { $ref: '#/$defs/p' } }, $defs: { p: point } },
      { at: { x: 'a' } },
      'at.x: expected number, got string',
    ],
    [{ properties: { mail: { format: 'email' } } }, { mail: 'x' }, 'mail: must be a valid email'],
    [
      { properties: { a: { oneOf: [{ type: 'object', additionalProperties: false }, { type: 'string' }] } } },
      { a: { b: 1 } },
      'a: fits none of the allowed forms',
    ],
    [{ allOf: [{ properties: { a: { enum: ['x', 'y'] } } }] }, { a: 'z' }, 'a: must be one of "x","y"'],
    [{ unevaluatedProperties: false }, { 'a/b~c é': 1 }, 'a/b~c é: is not allowed'],
    [
      { uniqueItems: true, items: { properties: { n: { type: 'number' } } } },
      [{ n: 'a' }],
      '[0].n: expected number, got string',
    ],
  ])('%j', async (schema, value, message) => {
    expect(await said(schema, value)).toBe(message)
  })
})

describe('F1 malformed schemas are one clear error', () => {
  it.each<[string, unknown, string]>([
    [
      'an unknown type',
      { properties: { a: { type: 'strnig' } } },
      'Invalid schema at /properties/a: type must be one or more of string',
    ],
    [
      'required as a flag',
      { properties: { a: { required: true } } },
      'at /properties/a: required must be a list of strings',
    ],
    ['properties as a list', { properties: [] }, 'properties must be a map from names to schemas'],
    ['anyOf as an object', { anyOf: {} }, 'anyOf must be a list of schemas'],
    ['a number for a schema', { items: 3 }, 'at /items: must be a schema'],
    ['a negative length', { minLength: -1 }, 'minLength must be a whole number of at least 0'],
    ['a pattern that is none', { pattern: '(' }, 'the pattern "(" is not a regular expression'],
    [
      'a pattern that never ends',
      { patternProperties: { '(a+)+$': true } },
      'the pattern "(a+)+$" can take exponential time',
    ],
    [
      'a dialect nobody knows',
      { $schema: 'https://example.com/my-dialect' },
      'the dialect "https://example.com/my-dialect" is not supported',
    ],
    ['a reference to nowhere', { $ref: '#/$defs/missing' }, '$ref "#/$defs/missing" leads nowhere'],
    [
      'a reference to the network',
      { $ref: 'http://127.0.0.1:9/schema.json' },
      'references to other documents are not fetched',
    ],
    ['an address that is none', { $id: 'http://[', not: {} }, 'Invalid'],
    [
      'dynamic references across documents',
      { $dynamicAnchor: 'a', not: { $id: 'x', $dynamicRef: '#a' } },
      'is not supported',
    ],
    ['a list', [], 'expected a JSON Schema object'],
    ['nothing', undefined, 'expected a JSON Schema object'],
  ])('%s', async (_name, schema, message) => {
    expect(await problem(schema)).toContain(message)
    expect(await problem(schema)).toContain(message)
  })

  it('schemas that contain themselves or are endless', async () => {
    const loop: SchemaObject = { type: 'object' }
    loop['properties'] = { loop }
    expect(await problem(loop)).toContain('contains itself')
    expect(await problem({ anyOf: Array.from({ length: 30_000 }, () => ({})) })).toContain('too large')
  })

  it('is found out when the schema is shown, not only when it is used', () => {
    expect(() =>
      compileSchema({ type: 'object', properties: { a: { type: 'text' } } }, 'input').toJsonSchema(),
    ).toThrow(ParleyError)
  })
})

describe('F1 hostile schemas and values cost little', () => {
  const quick = async (work: () => unknown): Promise<void> => {
    const start = processorTime()
    await work()
    expect(processorTime() - start).toBeLessThan(5000)
  }

  it('references that multiply', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    )
    await quick(async () =>
      expect(await said({ $defs: { ...$defs, d40: {} }, $ref: '#/$defs/d0' }, 1)).toContain('takes too long'),
    )
  })

  it('a reference to itself', async () => {
    await quick(async () => expect(await said({ $ref: '#' }, 1)).toContain('takes too long'))
  })

  it('values that contain themselves, under a recursive schema', async () => {
    const value: Record<string, unknown> = {}
    value['next'] = value
    expect(await said({ properties: { next: { $ref: '#' } } }, value)).toContain('contains itself')
  })

  it('patterns of polynomial time are kept to lengths they can manage', async () => {
    const schema = { properties: { a: { type: 'string', pattern: '^a*a*a*b$' } } }
    await quick(async () =>
      expect(await said(schema, { a: 'a'.repeat(100_000) })).toMatch(/^a: must have at most 262 characters/),
    )
    await quick(async () => expect(await ok({ ...schema, not: { const: 1 } }, { a: 'a'.repeat(100_000) })).toBe(false))
    expect(await ok(schema, { a: 'aaab' })).toBe(true)
  })

  it('long lists of unique items, one or many, light or heavy', async () => {
    const items = Array.from({ length: 50_000 }, (_, i) => ({ i }))
    await quick(async () => expect(await ok({ uniqueItems: true }, items)).toBe(true))
    await quick(async () =>
      expect(await said({ uniqueItems: true }, [...items, { i: 49_999 }])).toMatch(/takes too long.*have duplicates/),
    )
    const list = Array.from({ length: 3000 }, (_, i) => i)
    await quick(async () => expect(await ok({ items: { uniqueItems: true } }, [list, list, list])).toBe(true))
    const again = {
      $defs: { u: { not: { uniqueItems: true } } },
      allOf: Array.from({ length: 1000 }, () => ({ $ref: '#/$defs/u' })),
    }
    await quick(async () => expect(await said(again, [...list, 2999])).toContain('takes too long'))
  })

  it('unique means unequal as JSON', async () => {
    for (const list of [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      [[1], [1]],
      [0, -0],
      ['x', 'y', 'x'],
    ])
      expect(await ok({ uniqueItems: true }, list)).toBe(false)
    for (const list of [
      [1, '1'],
      [
        [1, 2],
        [2, 1],
      ],
      [{ a: 1 }, { b: 1 }],
      [null, false, 0, ''],
      ['0', 0, [0]],
      [{}, []],
      [],
    ]) {
      expect(await ok({ uniqueItems: true }, list)).toBe(true)
    }
  })

  it('lists of unique items of ordinary size are checked, call after call', async () => {
    const schema = { properties: { rows: { items: { properties: { tags: { uniqueItems: true } } } } } }
    const rows = Array.from({ length: 1000 }, () => ({ tags: ['a', 'b', 'c'] }))
    for (let call = 0; call < 3; call++) {
      expect(await ok(schema, { rows })).toBe(true)
      expect(await ok(schema, { rows: [...rows, { tags: ['a', 'b', 'a'] }] })).toBe(false)
    }
  })

  it('the unofficial url format', async () => {
    await quick(async () => expect(await ok({ format: 'url' }, `http://${'a'.repeat(60)}!`)).toBeTypeOf('boolean'))
  })

  it('what JSON cannot carry', async () => {
    expect(await said({ not: { type: 'null' } }, { a: 1n })).toBe(
      'contains a value of type bigint, which JSON cannot carry',
    )
    expect(await said({ type: 'number' }, Number.NaN)).toBe('contains NaN, which JSON cannot carry')
    expect(await said({ type: 'object' }, () => 1)).toContain('type function')
  })

  it('values are judged as they travel: dates are strings, undefined is absent', async () => {
    for (const more of [{}, { not: { type: 'null' } }]) {
      const schema = {
        type: 'object',
        properties: { at: { type: 'string' }, gone: { type: 'number' } },
        additionalProperties: false,
        ...more,
      }
      expect(await ok(schema, { at: new Date(0), gone: undefined, other: undefined })).toBe(true)
    }
  })
})

describe('F1 defaults of plain JSON Schema', () => {
  const fill = async (schema: SchemaObject, value: unknown): Promise<unknown> => {
    const result = await compileSchema(schema, 'input').validate(value)
    return result.ok ? result.value : describeIssues(result.issues)
  }

  it('are filled in at any depth, in copies', async () => {
    const schema = {
      properties: {
        at: { default: {}, properties: { zoom: { default: 1 } } },
        list: { items: { properties: { n: { default: [] } } } },
      },
    }
    const value = { list: [{}, { n: [1] }] }
    expect(await fill(schema, value)).toEqual({ at: { zoom: 1 }, list: [{ n: [] }, { n: [1] }] })
    expect(value).toEqual({ list: [{}, { n: [1] }] })
    expect(schema.properties.at.default).toEqual({})
  })

  it('are checked like anything else, and leave complete values alone', async () => {
    expect(await fill({ properties: { n: { type: 'number', default: 'x' } } }, {})).toBe(
      'n: expected number, got string',
    )
    const value = { n: 1 }
    expect(await fill({ properties: { n: { default: 2 } } }, value)).toBe(value)
  })

  it('a property called __proto__ is a property', async () => {
    const filled = (await fill(
      JSON.parse('{"properties": {"__proto__": {"default": {"polluted": true}}}}') as SchemaObject,
      {},
    )) as object
    expect(Object.hasOwn(filled, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype)
  })
})

describe('F1 the quick checks and the library agree', () => {
  const names = fc.constantFrom('a', 'b', 'toString', '__proto__')
  const { schema } = fc.letrec<{ schema: SchemaObject; inner: SchemaObject }>((tie) => ({
    inner: fc.oneof({ maxDepth: 2, depthIdentifier: 'schema' }, fc.constant({}), tie('schema')),
    schema: fc
      .record(
        {
          type: fc.constantFrom(
            'string',
            'number',
            'integer',
            'boolean',
            'null',
            'array',
            'object',
            ['string', 'null'],
            ['object', 'array'],
          ),
          enum: fc.array(fc.constantFrom(1, 'a', null, true, 'ab'), { minLength: 1, maxLength: 3 }),
          const: fc.constantFrom('a', 1, false),
          minLength: fc.nat(2),
          maxLength: fc.nat(3),
          pattern: fc.constantFrom('^a', 'b$', '^[a-c]*$'),
          minimum: fc.integer({ min: -2, max: 2 }),
          exclusiveMaximum: fc.integer({ min: -1, max: 3 }),
          minItems: fc.nat(2),
          maxItems: fc.nat(2),
          items: tie('inner'),
          properties: fc.dictionary(names, fc.oneof(fc.boolean(), tie('inner'))),
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('inner')),
          anyOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }),
        },
        { requiredKeys: [] },
      )
      .chain((made) =>
        fc
          .subarray(Object.entries(made), { maxLength: Math.min(3, Object.keys(made).length) })
          .map((kept): SchemaObject => Object.fromEntries(kept)),
      ),
  }))
  const leaf = fc.constantFrom(0, 1, -1, 2.5, 'a', 'ab', '👍', '', null, true, false)
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3 }),
    ),
  })).value

  it('on generated schemas and values', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(schema, fc.array(value, { minLength: 3, maxLength: 6 }), async (made, values) => {
        // `not: false` constrains nothing, but only the library knows the keyword.
        const full = { ...made, not: false }
        for (const item of values) {
          const quick = await ok(made, item)
          if (quick) accepted++
          expect(quick).toBe(await ok(full, item))
        }
      }),
      { numRuns: 400 },
    )
    expect(accepted).toBeGreaterThan(100)
  })
})
