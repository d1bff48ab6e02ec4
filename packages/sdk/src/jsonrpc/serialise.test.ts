import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Body,
  errorText,
  isObject,
  notificationText,
  parse,
  requestText,
  resultText,
  Serialised,
} from './index.ts'

const anyId = fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger())
const anyBody = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__'),
  fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }),
) as fc.Arbitrary<Body>
const anyMethod = fc.string({ unit: 'binary', minLength: 1 })
/** JSON has no negative zero of its own, and drops a `__proto__` on the way in. */
const asJson = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, inner) => (key === '__proto__' ? undefined : inner))

describe('M1 what is written is what is read', () => {
  it('requests', () => {
    fc.assert(
      fc.property(anyId, anyMethod, fc.option(anyBody, { nil: undefined }), (id, method, params) => {
        const message = asJson({ jsonrpc: '2.0', id, method, params })
        expect(asJson(parse(requestText(id, method, params)))).toEqual({ kind: 'request', message })
      }),
    )
  })

  it('notifications', () => {
    fc.assert(
      fc.property(anyMethod, fc.option(anyBody, { nil: undefined }), (method, params) => {
        expect(asJson(parse(notificationText(method, params)))).toEqual({
          kind: 'notification',
          message: asJson({ jsonrpc: '2.0', method, params }),
        })
      }),
    )
  })

  it('results, plain or already serialised', () => {
    fc.assert(
      fc.property(anyId, anyBody, (id, result) => {
        const text = resultText(id, result)
        expect(asJson(parse(text))).toEqual({ kind: 'result', message: asJson({ jsonrpc: '2.0', id, result }) })
        expect(resultText(id, new Serialised(JSON.stringify(result)))).toBe(text)
      }),
    )
  })

  it('errors', () => {
    const anyError = fc.record(
      { code: fc.maxSafeInteger(), message: fc.string({ unit: 'binary' }), data: fc.jsonValue() },
      { requiredKeys: ['code', 'message'] },
    )
    fc.assert(
      fc.property(fc.oneof(anyId, fc.constant(null), fc.constant(undefined)), anyError, (id, error) => {
        expect(asJson(parse(errorText(id, error)))).toEqual({
          kind: 'error',
          message: asJson({ jsonrpc: '2.0', id, error }),
        })
      }),
    )
  })

  it('is one line: nothing in it can break a frame', () => {
    fc.assert(
      fc.property(anyId, anyMethod, anyBody, (id, method, params) => !/[\r\n]/.test(requestText(id, method, params))),
    )
  })
})

describe('the envelope', () => {
  it.each([
    [requestText(1, 'ping', undefined), '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    [
      requestText('a"\\\u2028é', 'tools/call', { name: 'x' }),
      '{"jsonrpc":"2.0","id":"a\\"\\\\\u2028é","method":"tools/call","params":{"name":"x"}}',
    ],
    [requestText(-0, 'a"b', {}), '{"jsonrpc":"2.0","id":0,"method":"a\\"b","params":{}}'],
    [
      notificationText('notifications/initialized', undefined),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ],
    [resultText('', {}), '{"jsonrpc":"2.0","id":"","result":{}}'],
    [resultText(2, new Serialised('{"tools":[]}')), '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'],
    [
      errorText(null, { code: -32700, message: 'no' }),
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}',
    ],
    [errorText(undefined, { code: 1, message: 'no' }), '{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}'],
    [
      errorText(0, { code: 1, message: 'no', data: {} }),
      '{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no","data":{}}}',
    ],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected)
  })

  it('keeps large whole ids exact', () => {
    expect(requestText(Number.MAX_SAFE_INTEGER, 'a', undefined)).toContain('"id":9007199254740991,')
    expect(requestText(1e21, 'a', undefined)).toContain('"id":1e+21,')
  })
})

describe('E2 bodies that cannot be written', () => {
  const cyclic: Body = {}
  cyclic['self'] = cyclic
  const bodies: [string, Body][] = [
    ['a cycle', cyclic],
    ['a BigInt', { n: 1n }],
    ['a toJSON that returns nothing', { toJSON: () => undefined }],
    [
      'a toJSON that throws',
      {
        toJSON() {
          throw new Error('secret')
        },
      },
    ],
  ]

  it.each(bodies)('%s is one clear error', (_, body) => {
    const message = 'The message cannot be written as JSON'
    expect(() => requestText(1, 'a', body)).toThrowError(expect.objectContaining({ kind: 'invalid_params', message }))
    expect(() => notificationText('a', body)).toThrowError(expect.objectContaining({ kind: 'invalid_params', message }))
    expect(() => resultText(1, body)).toThrowError(expect.objectContaining({ kind: 'internal_error', message }))
  })
})

describe('isObject', () => {
  it('is true for records only', () => {
    expect([{}, Object.create(null), new Map()].every(isObject)).toBe(true)
    expect([null, undefined, [], 'x', 1, true, () => 1].some(isObject)).toBe(false)
  })
})
