import { describe, expect, it } from 'vitest'
import type { Body } from '../../../jsonrpc/index.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { translate, V06, V11 } from '../../translate.fixtures.ts'

const UP = [V06, V11] as const
const DOWN = [V11, V06] as const
const hello = ['initialize', 'params'] as const
const question = ['elicitation/create', 'params'] as const
const answer = ['elicitation/create', 'result'] as const
const strict = { profile: 'strict' } as const

const ask = (properties: Body, more: Body = {}) => ({
  message: 'm',
  requestedSchema: { type: 'object', properties, ...more },
})
const link = { mode: 'url', message: 'm', url: 'https://example.com/a', elicitationId: 'e' }

describe(rule('C-10'), () => {
  const declare = (capabilities: Body) => ({
    protocolVersion: 'x',
    capabilities,
    clientInfo: { name: 'c', version: '1' },
  })

  it('up passes: plain elicitation means forms', () => {
    const value = declare({ elicitation: {} })
    expect(translate(UP, hello, value).outcome).toBe(value)
  })

  it.each([{ form: {} }, { form: {}, url: {} }])('down makes plain elicitation of %j', (elicitation) => {
    expect(translate(DOWN, hello, declare({ elicitation }))).toEqual({
      outcome: declare({ elicitation: {} }),
      losses: [],
    })
    expect(translate(DOWN, hello, declare({ elicitation })).outcome).toEqual(declare({ elicitation: {} }))
  })

  it('down withdraws elicitation of a client that shows links only', () => {
    const { outcome, losses } = translate(DOWN, hello, declare({ elicitation: { url: {} }, roots: {} }))
    expect(outcome).toEqual(declare({ roots: {} }))
    expect(losses).toEqual(['C-10 w capabilities.elicitation'])
  })

  it('down leaves plain elicitation, and none, as it is', () => {
    for (const value of [declare({ elicitation: {} }), declare({}), declare({ elicitation: 5 })])
      expect(translate(DOWN, hello, value).outcome).toBe(value)
  })
})

describe(rule('C-11'), () => {
  it('up passes a form without a mode', () => {
    const value = ask({})
    expect(translate(UP, question, value).outcome).toBe(value)
  })

  it('down removes the mode of a form', () => {
    expect(translate(DOWN, question, { mode: 'form', ...ask({}) })).toEqual({ outcome: ask({}), losses: [] })
    expect(translate(DOWN, question, { mode: 'form', ...ask({}) }).outcome).not.toHaveProperty('mode')
  })

  it('down refuses any other mode', () => {
    expect(translate(DOWN, question, { ...ask({}), mode: 'dance' })).toEqual({
      outcome: 'refuse -32602',
      losses: ['C-11 E '],
    })
  })
})

describe(rule('C-12'), () => {
  it('up has nothing to do: older servers send no links', () => {
    expect(translate(UP, question, link).outcome).toBe(link)
  })

  it('down refuses a link and says why', () => {
    const { outcome, reason } = translate(DOWN, question, link)
    expect(outcome).toBe('refuse -32602')
    expect(reason).toContain('"url"')
    expect(reason).toContain('2025-06-18')
  })
})

describe(rule('C-13'), () => {
  const complete = ['notifications/elicitation/complete', 'params'] as const

  it('up has nothing to do', () => {
    const value = { elicitationId: 'e' }
    expect(translate(UP, complete, value).outcome).toBe(value)
  })

  it('down drops the notice', () => {
    expect(translate(DOWN, complete, { elicitationId: 'e' })).toMatchObject({
      outcome: 'drop',
      reason: expect.stringContaining('2025-06-18'),
    })
  })
})

describe(rule('C-14'), () => {
  const error = {
    code: -32042,
    message: 'Visit first',
    data: { elicitations: [link, { ...link, message: '', url: 'https://example.com/b' }] },
  }

  it('up passes', () => {
    expect(translate(UP, ['tools/call', 'error'], error).outcome).toBe(error)
  })

  it('down shows the links in a tool result', () => {
    const { outcome, losses } = translate(DOWN, ['tools/call', 'error'], error)
    const text = 'Visit first\nm: https://example.com/a\nhttps://example.com/b'
    expect(outcome).toBe(`result ${JSON.stringify({ content: [{ type: 'text', text }], isError: true })}`)
    expect(losses).toEqual(['C-14 w '])
  })

  it('down shows the message where links are missing', () => {
    const { outcome } = translate(DOWN, ['tools/call', 'error'], { code: -32042, message: 'Visit first' })
    expect(outcome).toContain('"text":"Visit first"')
  })

  it('down passes the error of other methods and other errors', () => {
    expect(translate(DOWN, ['prompts/get', 'error'], error).outcome).toBe(error)
    const other = { code: -32602, message: 'no' }
    expect(translate(DOWN, ['tools/call', 'error'], other).outcome).toBe(other)
  })
})

describe(rule('C-15'), () => {
  const titledOne = {
    type: 'string',
    title: 'Size',
    oneOf: [
      { const: 's', title: 'Small' },
      { const: 'l', title: 'Large' },
    ],
  }
  const untitled = {
    type: 'array',
    items: { type: 'string', enum: ['a.b', 'c'] },
    minItems: 1,
    maxItems: 1,
    default: ['c'],
  }
  const titled = {
    type: 'array',
    title: 'Colours',
    description: 'all you like',
    items: {
      anyOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    },
  }

  it('down gives a titled choice values and names', () => {
    const { outcome, losses } = translate(DOWN, question, ask({ size: titledOne }))
    expect(outcome).toEqual(
      ask({ size: { type: 'string', title: 'Size', enum: ['s', 'l'], enumNames: ['Small', 'Large'] } }),
    )
    expect(losses).toEqual([])
  })

  it('down asks a multiple choice as one boolean per option, which is not required', () => {
    const { outcome, losses } = translate(
      DOWN,
      question,
      ask({ first: { type: 'string' }, 'x.y': untitled, col: titled }, { required: ['first', 'col'] }),
    )
    expect(outcome).toEqual(
      ask(
        {
          first: { type: 'string' },
          'x\\.y.a\\.b': {
            type: 'boolean',
            title: 'a.b',
            description: 'x.y (choose at least 1, at most 1)',
            default: false,
          },
          'x\\.y.c': { type: 'boolean', title: 'c', description: 'x.y (choose at least 1, at most 1)', default: true },
          'col.r': { type: 'boolean', title: 'Red', description: 'Colours: all you like' },
          'col.g': { type: 'boolean', title: 'Green', description: 'Colours: all you like' },
        },
        { required: ['first'] },
      ),
    )
    expect(losses).toEqual(['C-15 i requestedSchema.properties.x.y', 'C-15 i requestedSchema.properties.col'])
  })

  it('down finds a free name where a field has the name of an option, and up reads it back', () => {
    const request = ask({ col: titled, 'col.r': { type: 'string' } })
    expect(translate(DOWN, question, request).outcome).toEqual(
      ask({
        'col.r_': { type: 'boolean', title: 'Red', description: 'Colours: all you like' },
        'col.g': { type: 'boolean', title: 'Green', description: 'Colours: all you like' },
        'col.r': { type: 'string' },
      }),
    )
    const result = translate(
      UP,
      answer,
      { action: 'accept', content: { 'col.r_': true, 'col.g': false, 'col.r': 'x' } },
      { request },
    )
    expect(result.outcome).toEqual({ action: 'accept', content: { col: ['r'], 'col.r': 'x' } })
  })

  it('down leaves forms without such choices as they are', () => {
    const plain = { type: 'string', enum: ['a'], enumNames: ['A'] }
    for (const value of [
      ask({ plain, n: { type: 'integer' } }),
      ask({ odd: { type: 'array' } }),
      { message: 'm', requestedSchema: 5 },
      { requestedSchema: {} },
    ]) {
      expect(translate(DOWN, question, value as Body).outcome).toBe(value)
    }
  })

  it('down skips options that are none', () => {
    const items = { anyOf: [{ const: 'r' }, { const: 5 }, null] }
    expect(translate(DOWN, question, ask({ col: { type: 'array', items } })).outcome).toEqual(
      ask({ 'col.r': { type: 'boolean', title: 'r', description: 'col' } }),
    )
  })

  it('up rebuilds the lists from the booleans', () => {
    const request = ask({ 'x.y': untitled, col: titled })
    const content = { 'x\\.y.a\\.b': false, 'x\\.y.c': true, 'col.r': true, 'col.g': true, other: 1 }
    expect(translate(UP, answer, { action: 'accept', content, _meta: {} }, { request })).toEqual({
      outcome: { action: 'accept', content: { 'x.y': ['c'], col: ['r', 'g'], other: 1 }, _meta: {} },
      losses: [],
    })
  })

  it.each([
    ['too many', { 'm.a': true, 'm.b': true }, []],
    ['too few', { 'm.a': false }, ['m']],
    ['none where one is required', {}, ['m']],
  ])('up takes %s chosen options as cancelled', (_, content, required) => {
    const request = ask({ m: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 1 } }, { required })
    expect(translate(UP, answer, { action: 'accept', content }, { request })).toEqual({
      outcome: { action: 'cancel' },
      losses: ['C-15 w content.m'],
    })
    expect(translate(UP, answer, { action: 'accept', content }, { request }).outcome).toEqual({ action: 'cancel' })
  })

  it('up tells an answer of no options from no answer', () => {
    const request = ask({
      m: { type: 'array', items: { enum: ['a'] } },
      n: { type: 'array', items: { enum: ['a'] }, minItems: 1 },
    })
    expect(
      translate(UP, answer, { action: 'accept', content: { 'm.a': false, 'n.a': false } }, { request }).outcome,
    ).toEqual({
      action: 'accept',
      content: { m: [] },
    })
    expect(translate(UP, answer, { action: 'accept', content: {} }, { request }).outcome).toEqual({
      action: 'accept',
      content: {},
    })
  })

  it('up passes other answers, and any where the question is not known', () => {
    const request = ask({ m: titled })
    const plain = ask({ a: { type: 'string' } })
    const values: [Body, Body | undefined][] = [
      [{ action: 'decline' }, request],
      [{ action: 'accept' }, request],
      [{ action: 'accept', content: { m: ['r'] } }, request],
      [{ action: 'accept', content: { a: 'x' } }, plain],
      [{ action: 'accept', content: { 'm.r': true } }, undefined],
      [{ action: 'accept', content: { 'm.r': true } }, { requestedSchema: { properties: [] } }],
    ]
    for (const [value, known] of values)
      expect(translate(UP, answer, value, known === undefined ? {} : { request: known }).outcome).toBe(value)
  })
})

describe(rule('C-16'), () => {
  const properties = {
    a: { type: 'string', default: 'x', description: 'd' },
    n: { type: 'number', default: 5 },
    e: { type: 'string', enum: ['p'], default: 'p' },
    t: { type: 'boolean', default: true },
  }

  it('up passes', () => {
    const value = ask({ t: { type: 'boolean', default: true } })
    expect(translate(UP, question, value).outcome).toBe(value)
  })

  it('down passes leniently', () => {
    const value = ask(properties)
    expect(translate(DOWN, question, value).outcome).toBe(value)
  })

  it('down strictly tells defaults in the description, except of booleans', () => {
    const { outcome, losses } = translate(DOWN, question, ask(properties), strict)
    expect(outcome).toEqual(
      ask({
        a: { type: 'string', description: 'd (default: x)' },
        n: { type: 'number', description: '(default: 5)' },
        e: { type: 'string', enum: ['p'], description: '(default: p)' },
        t: { type: 'boolean', default: true },
      }),
    )
    expect(losses).toEqual(['a', 'n', 'e'].map((name) => `C-16 i requestedSchema.properties.${name}.default`))
  })

  it('down strictly leaves forms without defaults as they are', () => {
    for (const value of [ask({ a: { type: 'string' } }), { requestedSchema: {} }])
      expect(translate(DOWN, question, value, strict).outcome).toBe(value)
  })
})

describe(rule('C-17'), () => {
  it('up passes', () => {
    const value = ask({}, { $schema: 'x' })
    expect(translate(UP, question, value).outcome).toBe(value)
  })

  it('down removes the dialect', () => {
    expect(translate(DOWN, question, ask({}, { $schema: 'x' }))).toEqual({ outcome: ask({}), losses: [] })
    expect(translate(DOWN, question, ask({}, { $schema: 'x' })).outcome).toEqual(ask({}))
  })
})

describe(rule('C-18'), () => {
  it('up passes', () => {
    const value = { action: 'accept', content: { a: ['x'] } }
    expect(translate(UP, answer, value).outcome).toBe(value)
  })

  it('down turns a list of choices into an error', () => {
    expect(translate(DOWN, answer, { action: 'accept', content: { a: ['x'] } })).toEqual({
      outcome: 'refuse -32603',
      losses: ['C-18 E '],
    })
  })

  it('down passes every other answer', () => {
    for (const value of [{ action: 'accept', content: { a: 'x', n: 1, t: true } }, { action: 'cancel' }])
      expect(translate(DOWN, answer, value).outcome).toBe(value)
  })
})
