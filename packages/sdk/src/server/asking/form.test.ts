import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { compileSchema, type SchemaLike } from '../../schema/index.ts'
import { toForm, withDefaults } from './form.ts'

const form = async (schema: SchemaLike) => toForm(await compileSchema(schema, 'input').toJsonSchema())
const field = async (property: object) => (await form({ type: 'object', properties: { x: property } })).properties['x']

describe('F6 C-15 choices in every way a schema can say so', () => {
  it.each<[string, object, object]>([
    ['enum', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [
      'typed enum with default',
      { type: 'string', enum: ['a', 'b'], default: 'b' },
      { type: 'string', enum: ['a', 'b'], default: 'b' },
    ],
    [
      'named enum',
      { type: 'string', enum: ['a'], enumNames: ['A'] },
      { type: 'string', enum: ['a'], enumNames: ['A'] },
    ],
    ['const', { const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'oneOf with titles',
      { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
    ],
    [
      'anyOf with a title',
      { anyOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
      {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'b', title: 'b' },
        ],
      },
    ],
    ['anyOf without titles', { anyOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'string', enum: ['a', 'b'] }],
    [
      'list of choices',
      { type: 'array', items: { enum: ['a'] }, minItems: 1 },
      { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
    ],
    [
      'list of titled choices',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    ],
  ])('%s', async (_, property, expected) => {
    expect(await field(property)).toEqual(expected)
  })
})

describe('F6 simple fields', () => {
  it.each<[string, object, object]>([
    ['a known format', { type: 'string', format: 'date-time', pattern: '.*' }, { type: 'string', format: 'date-time' }],
    ['an unknown format', { type: 'string', format: 'uuid' }, { type: 'string' }],
    [
      'a title and a description',
      { type: 'boolean', title: 'T', description: 'D' },
      { type: 'boolean', title: 'T', description: 'D' },
    ],
    ['bounds', { type: 'integer', minimum: 1, maximum: 2, multipleOf: 1 }, { type: 'integer', minimum: 1, maximum: 2 }],
  ])('%s', async (_, property, expected) => {
    expect(await field(property)).toEqual(expected)
  })

  it.each<[string, object]>([
    ['an object', { type: 'object' }],
    ['a list of anything', { type: 'array', items: { type: 'string' } }],
    ['a list of lists', { type: 'array', items: { type: 'array' } }],
    ['two types', { type: ['string', 'null'] }],
    ['numbers to choose from', { enum: [1, 2] }],
    ['nothing', {}],
  ])('%s cannot be asked for', async (_, property) => {
    await expect(field(property)).rejects.toThrow('The field "x" cannot be asked for')
  })

  it('needs an object with properties', () => {
    expect(() => toForm({ type: 'object', properties: { x: { type: 'constructor' } } })).toThrow(
      'The field "x" cannot be asked for',
    )
    expect(() => toForm({ type: 'object' })).toThrow('needs an object schema')
    expect(() => toForm({ type: 'string' })).toThrow('needs an object schema')
  })

  it('takes schemas of other libraries', async () => {
    expect(await form(type({ name: 'string', 'colour?': "'red' | 'green'" }))).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, colour: { type: 'string', enum: ['green', 'red'] } },
      required: ['name'],
    })
  })
})

it('defaults fill only what is missing, and are not shared', () => {
  const list = ['a']
  const made = toForm({
    type: 'object',
    properties: { a: { type: 'number', default: 1 }, b: { type: 'array', items: { enum: ['a'] }, default: list } },
  })
  const filled = withDefaults(made, { a: 0 })
  expect(filled).toEqual({ a: 0, b: ['a'] })
  expect(filled['b']).not.toBe(list)
})
