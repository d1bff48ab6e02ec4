import type { PrimitiveSchema } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { promptFor, readField } from './form-field.ts'

const titled = {
  type: 'string',
  oneOf: [
    { const: 'r', title: 'Red' },
    { const: 'b', title: 'Blue' },
  ],
} as unknown as PrimitiveSchema
const several = {
  type: 'array',
  items: {
    anyOf: [
      { const: 'r', title: 'Red' },
      { const: 'b', title: 'Blue' },
    ],
  },
} as unknown as PrimitiveSchema
const digits = { type: 'string', enum: ['2', '1'] } as unknown as PrimitiveSchema

describe('F6 one field of a form', () => {
  it.each<[PrimitiveSchema, string, unknown]>([
    [{ type: 'string' }, ' as it is ', ' as it is '],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'integer' }, '-2', -2],
    [{ type: 'boolean' }, 'Yes', true],
    [{ type: 'boolean' }, '0', false],
    [titled, 'r', 'r'],
    [titled, 'blue', 'b'],
    [titled, '2', 'b'],
    [several, 'Red, 2', ['r', 'b']],
    [several, '', []],
    [digits, '1', '1'],
  ])('%j reads %j', (schema, text, value) => {
    expect(readField(schema, text)).toEqual({ value })
  })

  it.each<[PrimitiveSchema, string, RegExp]>([
    [{ type: 'number' }, 'many', /a number/],
    [{ type: 'number' }, ' ', /a number/],
    [{ type: 'integer' }, '1.5', /whole number/],
    [{ type: 'integer', minimum: 3 }, '2', /3 or more/],
    [{ type: 'boolean' }, 'constructor', /yes or no/],
    [{ type: 'string', minLength: 2 }, 'a', /at least 2 characters/],
    [{ type: 'string', maxLength: 2 }, 'abc', /at most 2 characters/],
    [titled, '3', /choose one of r, b/],
    [several, 'r, x', /choose one of r, b/],
  ])('%j refuses %j', (schema, text, problem) => {
    expect(readField(schema, text)).toEqual({ problem: expect.stringMatching(problem) })
  })

  it('is shown with its kind, its limits, its choices and what an empty answer means', () => {
    expect(
      promptFor('days', { type: 'integer', minimum: 1, maximum: 14, default: 3, description: 'How far ahead' }, true),
    ).toBe('  How far ahead\n  days (integer, 1 to 14) [3]: ')
    expect(promptFor('note', { type: 'string', title: 'A note', maxLength: 5 }, false)).toBe(
      '  A note (string, up to 5 characters) [leave empty]: ',
    )
    expect(promptFor('colour', titled, true)).toBe('  1. Red (r)\n  2. Blue (b)\n  colour (one of these): ')
  })
})
