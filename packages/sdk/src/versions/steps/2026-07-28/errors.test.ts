import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../../../jsonrpc/index.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { requestMethods } from './methods.ts'
import { down, up, V26, withLosses } from './stateless.fixtures.ts'

describe(rule('D-54'), () => {
  const missing = { code: -32002, message: 'Resource not found', data: { uri: 'a:b' } }
  it('up changes the code and keeps the data; an empty reading passes', () => {
    expect(up('resources/read', 'error', missing)).toEqual({ ...missing, code: -32602 })
    expect(up('resources/read', 'result', { contents: [] })).toMatchObject({ contents: [] })
  })
  it.each([
    { message: 'gone', data: { uri: 'a:b' } },
    { message: 'Resource NOT FOUND' },
    { message: 'gone', data: { 'parley/kind': 'resource_not_found' } },
  ])('down restores it with proof: %j', (error) => {
    expect(down('resources/read', 'error', { code: -32602, ...error }, { request: { uri: 'a:b' } })).toEqual({
      code: -32002,
      ...error,
    })
  })
  it('down leaves other wrong parameters alone', () => {
    const wrong = { code: -32602, message: 'bad uri', data: { uri: 'other:uri' } }
    expect(down('resources/read', 'error', wrong, { request: { uri: 'a:b' } })).toBe(wrong)
    const unknownTool = { code: -32602, message: 'tool not found' }
    expect(down('tools/call', 'error', unknownTool)).toBe(unknownTool)
  })
})

describe(rule('D-57'), () => {
  it('up never lets the older code through', () => {
    for (const method of requestMethods)
      expect(up(method, 'error', { code: -32002, message: 'm', data: [1] })).toEqual({
        code: -32602,
        message: 'm',
        data: [1],
      })
  })
  it('down passes it, should one come', () => {
    const old = { code: -32002, message: 'm' }
    expect(down('resources/read', 'error', old)).toBe(old)
  })
})

describe(rule('D-58'), () => {
  const demand = {
    code: -32042,
    message: 'Visit first',
    data: { elicitations: [{ mode: 'url', url: 'https://x.example', message: 'm', elicitationId: 'e' }] },
  }
  it('up becomes a missing capability for a client that never said it opens links', () => {
    const { outcome, losses } = withLosses((context) => up('tools/call', 'error', demand, context))
    expect(outcome).toEqual({
      code: -32021,
      message: 'Visit first',
      data: { ...demand.data, requiredCapabilities: { elicitation: { url: {} } } },
    })
    expect(losses).toEqual(['D-58 E code'])
  })
  it('up becomes an internal error for a client that did', () => {
    expect(up('tools/call', 'error', demand, { clientCapabilities: { elicitation: { url: {} } } })).toEqual({
      code: -32603,
      message: 'Visit first',
      data: { ...demand.data, originalCode: -32042 },
    })
  })
  it('down does not bring it back', () => {
    const internal = { code: -32603, message: 'm', data: { originalCode: -32042 } }
    expect(down('tools/call', 'error', internal)).toBe(internal)
  })
})

describe(rule('D-59'), () => {
  it('down hides header trouble, which no older client can mend', () => {
    expect(down('tools/list', 'error', { code: -32020, message: 'm' })).toEqual({
      code: -32603,
      message: 'm',
      data: { originalCode: -32020 },
    })
  })
  it('down tells the model of a tool call what is missing', () => {
    const { outcome, losses } = withLosses((context) =>
      down(
        'tools/call',
        'error',
        { code: -32021, message: 'Needs more', data: { requiredCapabilities: { elicitation: {}, roots: {} } } },
        context,
      ),
    )
    expect(outcome).toMatchObject({
      verdict: 'result',
      result: {
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(/Needs more.*elicitation, roots/) }],
      },
    })
    expect(losses).toEqual(['D-59 E code'])
  })
  it('down says once what the server says itself', () => {
    const message = 'This needs the client capability "elicitation.form", which this client did not declare'
    const data = { requiredCapabilities: { elicitation: { form: {} } } }
    expect(down('prompts/get', 'error', { code: -32021, message, data })).toEqual({ code: -32603, message, data })
  })
  it('down tells other callers with the list', () => {
    const data = { requiredCapabilities: { sampling: {} } }
    expect(down('prompts/get', 'error', { code: -32021, message: 'm', data })).toEqual({
      code: -32603,
      message: expect.stringContaining('sampling'),
      data,
    })
    expect(down('prompts/get', 'error', { code: -32021 })).toMatchObject({
      code: -32603,
      message: expect.stringContaining('more'),
    })
  })
  it('down gives an unsupported version its older code', () => {
    const data = { supported: [V26], requested: '1' }
    expect(down('server/discover', 'error', { code: -32022, message: 'm', data })).toEqual({
      code: -32602,
      message: 'm',
      data,
    })
  })
  it('up an older server means something else by these codes', () => {
    expect(up('tools/call', 'error', { code: -32021, message: 'm' })).toEqual({
      code: -32603,
      message: 'm',
      data: { originalCode: -32021 },
    })
  })
})

describe(rule('D-5A'), () => {
  it('up keeps a private code of the reserved range as data', () => {
    const { outcome, losses } = withLosses((context) =>
      up('tools/call', 'error', { code: -32050, message: 'm', data: { a: 1 } }, context),
    )
    expect(outcome).toEqual({ code: -32603, message: 'm', data: { a: 1, originalCode: -32050 } })
    expect(losses).toEqual(['D-5A i code'])
  })
  it.each([-32000, -32019, -32100, -32601, 1, -1])('up passes code %i', (code) => {
    const error = { code, message: 'm' }
    expect(up('tools/call', 'error', error)).toBe(error)
  })
  it('down shows a code again that was hidden on the way up, with any data', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -32099, max: -32020 }),
        fc.option(fc.jsonValue(), { nil: undefined }),
        (code, data) => {
          fc.pre(code !== -32042)
          const error: Body = data === undefined ? { code, message: 'm' } : { code, message: 'm', data }
          expect(down('tools/list', 'error', up('tools/list', 'error', error) as Body)).toEqual(error)
        },
      ),
    )
  })
  it('down passes other internal errors', () => {
    const internal = { code: -32603, message: 'm', data: { originalCode: 5 } }
    expect(down('tools/list', 'error', internal)).toBe(internal)
  })
})
