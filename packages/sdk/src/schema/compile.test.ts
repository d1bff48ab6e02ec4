import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ParleyError } from '../errors/index.ts'
import {
  type CompiledSchema,
  compileSchema,
  describeIssues,
  type SchemaLike,
  type Validated,
  validateJson,
} from './index.ts'

const json = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1, default: 3 } },
  required: ['city'],
} as const

const libraries: Record<string, SchemaLike> = {
  zod: z.object({ city: z.string().min(1), days: z.number().int().min(1).default(3) }),
  valibot: v.object({
    city: v.pipe(v.string(), v.minLength(1)),
    days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 3),
  }),
  arktype: type({ city: 'string >= 1', days: 'number.integer >= 1 = 3' }),
  typebox: Type.Object({
    city: Type.String({ minLength: 1 }),
    days: Type.Optional(Type.Integer({ minimum: 1, default: 3 })),
  }),
  'plain JSON Schema': json,
}

async function valid(compiled: CompiledSchema, value: unknown): Promise<unknown> {
  const result = await compiled.validate(value)
  return result.ok ? result.value : describeIssues(result.issues)
}

async function refusal(attempt: () => unknown): Promise<ParleyError> {
  try {
    await attempt()
  } catch (error) {
    expect(error).toBeInstanceOf(ParleyError)
    expect((error as ParleyError).kind).toBe('tool_schema_invalid')
    return error as ParleyError
  }
  throw new Error('nothing was thrown')
}

describe.each(Object.entries(libraries))('F1 a schema in %s', (_name, schema) => {
  it('is shown as JSON Schema with an object at its root, made once', async () => {
    const compiled = compileSchema(schema, 'input')
    const shown = await compiled.toJsonSchema()
    expect(shown).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
    })
    expect(shown).not.toHaveProperty('$schema')
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown)
    expect(compiled.toJsonSchema()).toBe(shown)
  })

  it('accepts what fits, and fills in defaults without touching what was sent', () => {
    const sent = Object.freeze({ city: 'Bern' })
    expect(compileSchema(schema, 'input').validate(sent)).toEqual({ ok: true, value: { city: 'Bern', days: 3 } })
    expect(sent).toEqual({ city: 'Bern' })
  })

  it('tells what does not fit, and where', () => {
    const result = compileSchema(schema, 'input').validate({ city: 3, days: 0 }) as Validated & { ok: false }
    expect(result.ok).toBe(false)
    expect(result.issues.map((issue) => issue.path)).toEqual([['city'], ['days']])
    expect(describeIssues(result.issues)).toMatch(/^city: .*string.*; days: .*1/)
  })

  it.each([[undefined], [null], ['text'], [[]], [7]])('refuses %j', async (value) => {
    expect((await compileSchema(schema, 'input').validate(value)).ok).toBe(false)
  })

  it('is not fooled by __proto__ and other names every object has', async () => {
    const compiled = compileSchema(schema, 'input')
    expect((await compiled.validate(JSON.parse('{"__proto__": {"city": "Bern"}}'))).ok).toBe(false)
    const value = (await valid(
      compiled,
      JSON.parse('{"city": "Bern", "__proto__": {"days": 9}, "constructor": {"prototype": 1}}'),
    )) as { days: number }
    expect(value.days).toBe(3)
    expect(({} as { days?: number }).days).toBeUndefined()
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('copes with large values', async () => {
    const value = {
      city: 'x'.repeat(1_000_000),
      ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])),
    }
    expect((await compileSchema(schema, 'input').validate(value)).ok).toBe(true)
  })

  it('does not hang on a value that contains itself', async () => {
    const value: Record<string, unknown> = { city: 'Bern' }
    value['days'] = value
    expect((await compileSchema(schema, 'input').validate(value)).ok).toBe(false)
  })
})

describe('F1 what the libraries can do is kept', () => {
  it('asynchronous checks', async () => {
    const taken = async (name: string): Promise<boolean> => name !== 'taken'
    for (const schema of [
      z.object({ name: z.string().refine(taken, 'is taken') }),
      v.objectAsync({ name: v.pipeAsync(v.string(), v.checkAsync(taken, 'is taken')) }),
    ]) {
      const compiled = compileSchema(schema, 'input')
      expect(compiled.validate({ name: 'free' })).toBeInstanceOf(Promise)
      expect(await valid(compiled, { name: 'free' })).toEqual({ name: 'free' })
      expect(await valid(compiled, { name: 'taken' })).toBe('name: is taken')
    }
  })

  it('transforms: the caller sees the input side, the handler gets the output', async () => {
    const schemas = [
      z.object({ n: z.string().transform(Number) }),
      v.object({ n: v.pipe(v.string(), v.transform(Number)) }),
      type({ n: type('string').pipe((text) => Number(text)) }),
    ]
    for (const schema of schemas) {
      const compiled = compileSchema(schema, 'input')
      expect(await valid(compiled, { n: '42' })).toEqual({ n: 42 })
    }
    expect(await compileSchema(schemas[0] as SchemaLike, 'input').toJsonSchema()).toMatchObject({
      properties: { n: { type: 'string' } },
    })
    expect(await compileSchema(schemas[2] as SchemaLike, 'input').toJsonSchema()).toMatchObject({
      properties: { n: { type: 'string' } },
    })
  })

  it('coercion', async () => {
    expect(await valid(compileSchema(z.object({ n: z.coerce.number() }), 'input'), { n: '42' })).toEqual({ n: 42 })
  })

  it('the output side of a schema with defaults promises them', async () => {
    expect(await compileSchema(libraries['zod'] as SchemaLike, 'output').toJsonSchema()).toMatchObject({
      required: ['city', 'days'],
    })
  })

  it('unions of objects are given the root type they imply', async () => {
    const union = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
    expect(await compileSchema(union, 'input').toJsonSchema()).toMatchObject({ type: 'object', oneOf: [{}, {}] })
    expect(
      await compileSchema(z.object({ a: z.string() }).and(z.object({ b: z.string() })), 'input').toJsonSchema(),
    ).toMatchObject({ type: 'object' })
  })

  it('recursive schemas', async () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree)
      },
    })
    expect(await compileSchema(tree, 'input').toJsonSchema()).toMatchObject({ type: 'object' })
    const node: v.GenericSchema = v.object({ name: v.string(), children: v.array(v.lazy(() => node)) })
    const loop: { name: string; children: unknown[] } = { name: 'a', children: [] }
    loop.children.push(loop)
    expect(await valid(compileSchema(node, 'input'), loop)).toBe('is nested too deeply or contains itself')
    expect((await compileSchema(tree, 'input').validate(loop)).ok).toBeTypeOf('boolean')
  })

  it('a check that throws is the author’s failure, not a bad value', async () => {
    const schema = z.object({
      a: z.string().refine(() => {
        throw new TypeError('broken check')
      }),
    })
    await expect(async () => compileSchema(schema, 'input').validate({ a: '' })).rejects.toThrow('broken check')
  })

  it('messages of arktype do not repeat the path', async () => {
    expect(await valid(compileSchema(type({ at: { lat: 'number' } }), 'input'), { at: { lat: 'x' } })).toBe(
      'at.lat: must be a number (was a string)',
    )
  })

  it('older zod 4 without its own conversion goes through the converter of the package', async () => {
    const { jsonSchema, ...standard } = z.object({ a: z.string() })['~standard']
    expect(jsonSchema).toBeDefined()
    const older = Object.assign(Object.create(z.object({ a: z.string() })) as object, {}) as SchemaLike
    Object.defineProperty(older, '~standard', { value: standard })
    expect(await compileSchema(older, 'input').toJsonSchema()).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' } },
    })
  })
})

describe('F1 what cannot be shown or is no schema is one clear error', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a zod schema JSON cannot express',
      z.object({ at: z.date() }),
      /zod schema has no JSON Schema form: Date cannot be represented/,
    ],
    ['an input that is no object', z.string(), /must describe an object; this one is of type string/],
    [
      'an input that may be something else',
      z.union([z.string(), z.object({})]),
      /can be something other than an object/,
    ],
    ['a plain input that is no object', { type: 'string' }, /must have type: 'object' at its root/],
    ['zod 3', { '~standard': { vendor: 'zod', version: 1, validate: () => ({ value: 1 }) } }, /use zod 4\.2 or later/],
    [
      'a library without conversion',
      { '~standard': { vendor: 'other', version: 1, validate: () => ({ value: 1 }) } },
      /This other schema .* pass a plain JSON Schema/,
    ],
    ['bare fields', { city: z.string() }, /wrap it in an object schema/],
    ['a list', [], /expected a zod/],
    ['nothing', null, /expected a zod/],
    ['a function', () => 1, /expected a zod/],
    [
      'a typebox refinement',
      Type.Object({ a: Type.Refine(Type.String(), (text) => text !== '') }),
      /at \/properties\/a: typebox refinements/,
    ],
  ])('%s', async (_name, schema, message) => {
    expect((await refusal(() => compileSchema(schema as SchemaLike, 'input').toJsonSchema())).message).toMatch(message)
  })

  it('output schemas may be of any type (D-44)', async () => {
    expect(await compileSchema({ type: 'array', items: { type: 'string' } }, 'output').toJsonSchema()).toEqual({
      type: 'array',
      items: { type: 'string' },
    })
    expect(await compileSchema(z.array(z.string()), 'output').toJsonSchema()).toMatchObject({ type: 'array' })
  })

  it('a plain schema is shown as it is, and an older form is named (C-22)', () => {
    expect(compileSchema(json, 'input').toJsonSchema()).toBe(json)
    const pair = { type: 'object', properties: { pair: { items: [{ type: 'string' }, { type: 'number' }] } } }
    expect(compileSchema(pair, 'input').toJsonSchema()).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...pair,
    })
  })

  it('validateJson leaves the value alone', async () => {
    const sent = { city: 'Bern' }
    const result = await validateJson(json, sent)
    expect(result).toEqual({ ok: true, value: { city: 'Bern' } })
  })
})
