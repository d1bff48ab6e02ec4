import { describe, expect, it } from 'vitest'
import { readInputRequired, validResponses } from './question-shapes.ts'

const elicit = { method: 'elicitation/create', params: { message: 'Who?' } }

describe('D-06 reading a result that asks', () => {
  it('gives the questions in their order, and the state as it came', () => {
    const sample = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
    const inputRequests = { who: elicit, said: sample, where: { method: 'roots/list' } }
    const read = readInputRequired({ inputRequests, requestState: ' as it is ' })
    expect(read).toEqual({
      requests: new Map<string, unknown>([...Object.entries(inputRequests)]),
      state: ' as it is ',
    })
  })

  it('needs no state, and no questions where there is one', () => {
    expect(readInputRequired({ inputRequests: { who: elicit } })).toEqual({
      requests: new Map([['who', elicit]]),
      state: undefined,
    })
    expect(readInputRequired({ requestState: '' })).toEqual({ requests: new Map(), state: '' })
  })

  it('takes any key', () => {
    const read = readInputRequired(
      JSON.parse('{"inputRequests":{"__proto__":{"method":"roots/list"},"":{"method":"roots/list"}}}'),
    )
    expect(typeof read === 'string' ? read : [...read.requests.keys()]).toEqual(['__proto__', ''])
  })

  it.each([
    [{}, 'neither inputRequests nor requestState'],
    [{ requestState: 7 }, 'requestState is not a string'],
    [{ requestState: null }, 'requestState is not a string'],
    [{ inputRequests: [elicit] }, 'inputRequests is not an object'],
    [{ inputRequests: null, requestState: 's' }, 'inputRequests is not an object'],
    [{ inputRequests: { who: 'name' } }, 'inputRequests["who"] is not an object'],
    [{ inputRequests: { who: { params: {} } } }, 'inputRequests["who"] asks no method'],
    [
      { inputRequests: { who: { method: 'tools/call', params: {} } } },
      'inputRequests["who"] asks "tools/call", which is none of elicitation/create',
    ],
    [{ inputRequests: { who: { method: 'toString', params: {} } } }, 'asks "toString"'],
    [
      { inputRequests: { who: { method: 'elicitation/create' } } },
      'inputRequests["who"] needs params that are an object',
    ],
    [
      { inputRequests: { who: { method: 'roots/list', params: [] } } },
      'inputRequests["who"] needs params that are an object',
    ],
    [{ inputRequests: { ok: elicit, ['x'.repeat(100)]: 1 } }, `inputRequests["${'x'.repeat(63)}…"]`],
  ])('%j is none', (result, why) => {
    expect(readInputRequired(result)).toContain(why)
  })
})

describe('D-20 answers that can be used', () => {
  const methods = { e: 'elicitation/create', s: 'sampling/createMessage', r: 'roots/list' }
  const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }

  it.each([
    [{ e: { action: 'accept', content: {} }, s: said, r: { roots: [] } }],
    [{ e: { action: 'decline' }, s: { ...said, content: [] } }],
    [{ e: { action: 'cancel', more: 1 } }],
  ])('%j are', (responses) => {
    expect(validResponses(responses, methods)).toEqual(responses)
  })

  it.each([
    [undefined],
    [null],
    [[]],
    ['e'],
    [{ e: null, s: 'hi', r: [] }],
    [{ e: {}, s: {}, r: {} }],
    [{ e: { action: 'yes' }, s: { ...said, role: 1 }, r: { roots: {} } }],
    [{ e: { action: 'accept', content: [] }, s: { ...said, content: 'hi' } }],
    [{ e: { action: 'accept', content: null }, s: { ...said, model: undefined } }],
    [{ other: { action: 'accept' } }],
  ])('%j are not', (responses) => {
    expect(validResponses(responses, methods)).toEqual({})
  })

  it('takes what it can', () => {
    expect(validResponses({ e: { action: 'maybe' }, r: { roots: [] }, z: 1 }, methods)).toEqual({ r: { roots: [] } })
    expect(validResponses({}, { constructor: 'roots/list' })).toEqual({})
  })
})
