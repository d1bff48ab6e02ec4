import { describe, expect, it } from 'vitest'
import type { Body } from '../../../jsonrpc/index.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { down, type Outcome, up, withLosses } from './stateless.fixtures.ts'

describe(rule('D-45'), () => {
  const list = (schema: Body): Body => ({ tools: [{ name: 't', inputSchema: schema, outputSchema: schema }] })
  it('up passes', () => {
    expect(up('tools/list', 'result', list({ type: 'object', properties: { a: {} } }))).toMatchObject(
      list({ type: 'object', properties: { a: {} } }),
    )
  })
  it('down writes boolean properties as objects and keeps every other keyword', () => {
    const before = {
      type: 'object',
      properties: { yes: true, no: false, deep: { properties: { x: true } } },
      oneOf: [true],
      additionalProperties: false,
    }
    expect(down('tools/list', 'result', list(before))).toEqual(
      list({
        type: 'object',
        properties: { yes: {}, no: { not: {} }, deep: { properties: { x: true } } },
        oneOf: [true],
        additionalProperties: false,
      }),
    )
  })
  it('down repairs what is no schema at all, and says so', () => {
    const { outcome, losses } = withLosses((context) =>
      down(
        'tools/list',
        'result',
        { tools: [{ name: 't', inputSchema: { type: 'object', properties: { a: 5 }, required: 'a' } }] },
        context,
      ),
    )
    expect(outcome).toEqual({ tools: [{ name: 't', inputSchema: { type: 'object', properties: { a: {} } } }] })
    expect(losses).toEqual(['D-45 w tools[0].inputSchema.properties.a', 'D-45 w tools[0].inputSchema.required'])
    expect(down('tools/list', 'result', list({ type: 'object', properties: [] }))).toEqual(list({ type: 'object' }))
  })
})

describe(rule('D-46'), () => {
  const list = (properties: Body, more: Body = {}): Body => ({
    tools: [{ name: 't', inputSchema: { type: 'object', properties, ...more } }],
  })
  const schemaOf = (outcome: Outcome): unknown => (outcome as { tools: Body[] }).tools[0]?.['inputSchema']
  const header = (name: unknown, type: unknown = 'string'): Body => ({ type, 'x-mcp-header': name })

  it('up keeps valid names, also of nested properties', () => {
    const good = list({
      a: header('Region'),
      b: { type: 'object', properties: { c: header('X-2', 'integer'), d: header('d', 'boolean') } },
    })
    expect(up('tools/list', 'result', good)).toMatchObject(good)
  })
  it.each([
    ['', 'string'],
    ['a b', 'string'],
    ['a\r\nb', 'string'],
    [5, 'string'],
    ['N', 'number'],
    ['N', 'object'],
    ['N', ['string', 'null']],
  ])('up removes the name %j of a property of type %j', (name, type) => {
    const { outcome, losses } = withLosses((context) =>
      up('tools/list', 'result', list({ a: header(name, type) }), context),
    )
    expect(schemaOf(outcome)).toEqual({ type: 'object', properties: { a: { type } } })
    expect(losses).toEqual(['D-46 w tools[0].inputSchema.properties.a.x-mcp-header'])
  })
  it('up keeps the first of two names that differ in case only', () => {
    expect(schemaOf(up('tools/list', 'result', list({ a: header('Id'), b: header('ID') })))).toEqual({
      type: 'object',
      properties: { a: header('Id'), b: { type: 'string' } },
    })
  })
  it('up removes names where no single value is', () => {
    const outcome = up(
      'tools/list',
      'result',
      list(
        { a: { type: 'array', items: header('A') } },
        { anyOf: [{ properties: { b: header('B') } }], 'x-mcp-header': 'Root' },
      ),
    )
    expect(JSON.stringify(schemaOf(outcome))).not.toContain('x-mcp-header')
  })
  it('up takes neither data nor a property of that name for an annotation', () => {
    const kept = list({ 'x-mcp-header': { type: 'string' }, a: { type: 'object', default: header('') } })
    expect(up('tools/list', 'result', kept)).toMatchObject(kept)
  })
  it('down passes', () => {
    const any = list({ a: header('not valid') })
    expect(down('tools/list', 'result', any)).toBe(any)
  })
})

describe(rule('D-47'), () => {
  const tool = { name: 't', inputSchema: { type: 'object' } }
  it.each([
    ['required', ['D-47 w tools[0].execution']],
    ['optional', ['D-47 i tools[0].execution']],
    ['forbidden', []],
  ])('up removes %s task support', (taskSupport, expected) => {
    const { outcome, losses } = withLosses((context) =>
      up('tools/list', 'result', { tools: [{ ...tool, execution: { taskSupport } }] }, context),
    )
    expect((outcome as Body)['tools']).toEqual([tool])
    expect(losses).toEqual(expected)
  })
  it('up removes it from tools offered to a model', () => {
    expect(
      up('sampling/createMessage', 'params', { maxTokens: 1, messages: [], tools: [{ ...tool, execution: {} }] }),
    ).toEqual({
      maxTokens: 1,
      messages: [],
      tools: [tool],
    })
  })
  it('down adds nothing', () => {
    const list = { tools: [tool] }
    expect(down('tools/list', 'result', list)).toBe(list)
  })
})
