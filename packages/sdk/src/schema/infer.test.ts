import { type } from 'arktype'
import { expectTypeOf } from 'expect-type'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, it } from 'vitest'
import { z } from 'zod'
import type { InputOf, OutputOf, SchemaLike, SchemaObject } from './index.ts'

/** The compiler is what fails here: every expectation is about types. */
function both<const S extends SchemaLike>(_schema: S): { input: InputOf<S>; output: OutputOf<S> } {
  return undefined as never
}

describe('F1 types are inferred from any schema', () => {
  it('zod: defaults are optional to the caller and present for the handler', () => {
    const schema = () =>
      both(z.object({ city: z.string(), days: z.number().default(3), at: z.string().transform(Number) }))
    expectTypeOf<ReturnType<typeof schema>['input']>().toEqualTypeOf<{
      city: string
      at: string
      days?: number | undefined
    }>()
    expectTypeOf<ReturnType<typeof schema>['output']>().toEqualTypeOf<{ city: string; days: number; at: number }>()
  })

  it('valibot', () => {
    const schema = () => both(v.object({ city: v.string(), days: v.optional(v.number(), 3) }))
    expectTypeOf<ReturnType<typeof schema>['input']>().toEqualTypeOf<{ city: string; days?: number | undefined }>()
    expectTypeOf<ReturnType<typeof schema>['output']>().toEqualTypeOf<{ city: string; days: number }>()
  })

  it('arktype', () => {
    const schema = () => both(type({ city: 'string', 'days?': 'number', n: 'string.numeric.parse' }))
    expectTypeOf<ReturnType<typeof schema>['input']>().toEqualTypeOf<{ city: string; days?: number; n: string }>()
    expectTypeOf<ReturnType<typeof schema>['output']>().toEqualTypeOf<{ city: string; days?: number; n: number }>()
  })

  it('typebox', () => {
    const schema = () =>
      both(
        Type.Object({
          city: Type.String(),
          days: Type.Optional(Type.Integer()),
          unit: Type.Union([Type.Literal('c'), Type.Literal('f')]),
          tags: Type.Array(Type.String()),
          pair: Type.Tuple([Type.String(), Type.Number()]),
          any: Type.Unsafe<Date>({ type: 'string' }),
          scores: Type.Record(Type.String(), Type.Number()),
        }),
      )
    expectTypeOf<ReturnType<typeof schema>['output']>().toEqualTypeOf<{
      city: string
      days?: number
      unit: 'c' | 'f'
      tags: string[]
      pair: [string, number]
      any: Date
      scores: Record<string, number>
    }>()
    both(Type.Unknown())
  })

  it('plain JSON Schema, literal', () => {
    const schema = () =>
      both({
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: { type: 'integer', default: 3 },
          unit: { enum: ['c', 'f'] },
          kind: { const: 'a' },
          tags: { type: 'array', items: { type: 'string' } },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
          either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          many: { type: ['string', 'null'] },
          at: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
          map: { type: 'object', additionalProperties: { type: 'number' } },
          free: {},
        },
        required: ['city', 'kind'],
      })
    expectTypeOf<ReturnType<typeof schema>['output']>().toEqualTypeOf<{
      city: string
      days: number
      kind: 'a'
      unit?: 'c' | 'f'
      tags?: string[]
      pair?: [string, number]
      either?: string | null
      many?: string | null
      at?: { lat: number }
      map?: Record<string, number>
      free?: unknown
    }>()
    expectTypeOf<ReturnType<typeof schema>['input']['days']>().toEqualTypeOf<number | undefined>()
  })

  it('plain JSON Schema, combined', () => {
    const all = () =>
      both({
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'number' } } },
        ],
      })
    expectTypeOf<ReturnType<typeof all>['output']['a']>().toEqualTypeOf<string>()
    expectTypeOf<ReturnType<typeof all>['output']['b']>().toEqualTypeOf<number | undefined>()
    const one = () =>
      both({ oneOf: [{ type: 'object', properties: { a: { const: 1 } }, required: ['a'] }, { type: 'string' }] })
    expectTypeOf<ReturnType<typeof one>['output']>().toEqualTypeOf<{ a: 1 } | string>()
  })

  it('a schema known only at run time', () => {
    const schema = () => both({} as SchemaObject)
    expectTypeOf<ReturnType<typeof schema>['output']>().toEqualTypeOf<Record<string, unknown>>()
    expectTypeOf<ReturnType<typeof schema>['input']>().toEqualTypeOf<unknown>()
    const widened = { type: 'object', properties: { a: { type: 'string' } } }
    const wide = () => both(widened)
    expectTypeOf<ReturnType<typeof wide>['output']>().toEqualTypeOf<Record<string, unknown>>()
  })

  it('what is no schema is refused', () => {
    const refused = () => {
      // @ts-expect-error a number describes nothing
      both(3)
      // @ts-expect-error neither does an unrelated object
      both({ colour: 'red' })
    }
    expectTypeOf(refused).toBeFunction()
  })
})
