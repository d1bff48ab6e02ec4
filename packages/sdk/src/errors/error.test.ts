import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue, codeOf, errorKinds, fromWire, KIND_KEY, ParleyError, ToolError, toParleyError } from './index.ts'

const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const PLAIN = ['parse_error', 'invalid_request', 'method_not_found', 'invalid_params', 'internal_error']
const anyKind = fc.constantFrom(...errorKinds)
const anyVersion = fc.constantFrom(...versions)

describe('E1 ParleyError', () => {
  it.each(errorKinds)('%s carries its entry', (kind) => {
    const error = new ParleyError(kind)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'ParleyError', kind, message: catalogue[kind].message, code: codeOf(kind) })
    expect([error.recoverable, error.advice, error.httpStatus]).toEqual([
      catalogue[kind].recoverable,
      catalogue[kind].advice,
      catalogue[kind].httpStatus,
    ])
  })

  it('keeps a cause for the local log, even a falsy one', () => {
    expect(new ParleyError('internal_error', { cause: 0 }).cause).toBe(0)
    expect('cause' in new ParleyError('internal_error')).toBe(false)
  })

  it.each(errorKinds)('%s travels and comes back in every version', (kind) => {
    for (const version of versions) {
      const wire = new ParleyError(kind, { message: 'what happened', data: { uri: 'x://y' } }).toWire(version)
      expect(wire.code).toBe(codeOf(kind, version))
      const named = PLAIN.includes(kind) ? {} : { [KIND_KEY]: kind }
      expect(wire.data).toEqual({ uri: 'x://y', ...named })
      const back = fromWire(JSON.parse(JSON.stringify(wire)))
      expect(back).toMatchObject({ kind, message: 'what happened', code: wire.code, receivedCode: wire.code })
      expect(back.toWire(version)).toEqual(wire)
    }
  })

  it('sends no data where there is nothing to say', () => {
    expect(new ParleyError('invalid_params').toWire()).toEqual({ code: -32602, message: 'Invalid params' })
    expect(new ParleyError('tool_not_found').toWire()).toEqual({
      code: -32602,
      message: 'Unknown tool',
      data: { [KIND_KEY]: 'tool_not_found' },
    })
  })

  it('does not let data claim another kind', () => {
    expect(new ParleyError('tool_not_found', { data: { [KIND_KEY]: 'rate_limited' } }).toWire().data).toEqual({
      [KIND_KEY]: 'tool_not_found',
    })
  })

  it('does not change the data it was given', () => {
    const data = Object.freeze({ uri: 'x://y' })
    new ParleyError('resource_not_found', { data }).toWire('2025-11-25')
    expect(data).toEqual({ uri: 'x://y' })
  })
})

describe('E2 data that cannot be written as JSON', () => {
  const cyclic: Record<string, unknown> = { name: 'loop' }
  cyclic['self'] = cyclic
  const hostile = {
    'a cycle': { fine: 1, bad: cyclic },
    'a BigInt': { fine: 1, bad: 10n },
    'a toJSON that throws': {
      fine: 1,
      bad: {
        toJSON() {
          throw new Error('/secret/path')
        },
      },
    },
    'a getter that throws': Object.defineProperty({ fine: 1 }, 'bad', {
      enumerable: true,
      get() {
        throw new Error('/secret/path')
      },
    }),
  }

  it.each(Object.entries(hostile))('%s: the rest still arrives', (_, data) => {
    for (const version of versions) {
      const text = JSON.stringify(new ParleyError('tool_execution_failed', { data }).toWire(version))
      expect(JSON.parse(text).data).toEqual({ fine: 1, bad: '[not serialisable]', [KIND_KEY]: 'tool_execution_failed' })
      expect(text).not.toContain('/secret')
    }
  })

  it('data that is itself cyclic, or whose toJSON throws', () => {
    expect(JSON.parse(JSON.stringify(new ParleyError('internal_error', { data: cyclic }).toWire())).data).toEqual({
      name: 'loop',
      self: '[not serialisable]',
    })
    const odd = {
      kept: true,
      toJSON(): never {
        throw new Error('no')
      },
    }
    expect(new ParleyError('internal_error', { data: odd }).toWire().data).toEqual({ kept: true })
    const sly = { kept: true, toJSON: () => ({ shown: 1 }) }
    expect(new ParleyError('rate_limited', { data: sly }).toWire().data).toEqual({
      shown: 1,
      [KIND_KEY]: 'rate_limited',
    })
  })

  it('any data, kind and version', () => {
    fc.assert(
      fc.property(
        anyKind,
        anyVersion,
        fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withMap: true, withSparseArray: true })),
        (kind, version, data) => {
          const wire = JSON.parse(JSON.stringify(new ParleyError(kind, { data }).toWire(version)))
          return wire.code === codeOf(kind, version) && wire.message === catalogue[kind].message
        },
      ),
    )
  })
})

describe('E2 any thrown value becomes exactly one catalogue error', () => {
  class OwnError extends Error {
    override readonly name = 'OwnError'
    readonly path = '/home/user/secret.key'
  }
  const withStack = new Error('ENOENT: /home/user/secret.key')
  const cyclicError = Object.assign(new Error('loop'), { self: undefined as unknown })
  cyclicError.self = cyclicError
  const thrown: [string, unknown][] = [
    ['a string', 'password=hunter2'],
    ['an empty string', ''],
    ['a number', 42],
    ['NaN', Number.NaN],
    ['null', null],
    ['undefined', undefined],
    ['a boolean', false],
    ['a symbol', Symbol('secret')],
    ['a BigInt', 10n],
    ['a function', () => 'secret'],
    ['an Error', withStack],
    ['an own Error class', new OwnError('secret')],
    ['an AggregateError', new AggregateError([withStack], 'secret')],
    ['a plain object', { message: 'secret', code: -32000, stack: '/home/user' }],
    [
      'an object that looks like a ParleyError',
      { kind: 'rate_limited', message: 'secret', toWire: () => ({ code: 1, message: 'secret' }) },
    ],
    ['a cyclic Error', cyclicError],
    ['a frozen object', Object.freeze({ secret: true })],
    ['an object without prototype', Object.assign(Object.create(null), { secret: true })],
    ['a rejected promise', Promise.resolve('secret')],
    [
      'an Error whose name throws',
      Object.defineProperty(new Error('secret'), 'name', {
        get() {
          throw new Error('secret')
        },
      }),
    ],
    [
      'a proxy that throws on everything',
      new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error('secret')
          },
          get() {
            throw new Error('secret')
          },
        },
      ),
    ],
  ]

  it.each(thrown)('%s is masked', (_, value) => {
    const error = toParleyError(value)
    expect(error.kind).toBe('internal_error')
    for (const version of versions) expect(error.toWire(version)).toEqual({ code: -32603, message: 'Internal error' })
    if (value !== undefined) expect(Object.is(error.cause, value)).toBe(true)
  })

  it('cancellation and time-out are told apart', () => {
    const aborted = new AbortController()
    aborted.abort()
    expect(toParleyError(aborted.signal.reason).kind).toBe('request_cancelled')
    expect(toParleyError(Object.assign(new Error('secret'), { name: 'AbortError' })).toWire().message).toBe(
      'Request cancelled',
    )
    expect(toParleyError(new DOMException('secret', 'TimeoutError')).kind).toBe('request_timeout')
  })

  it('a ParleyError is handed on as it is', () => {
    const error = new ParleyError('rate_limited')
    expect(toParleyError(error)).toBe(error)
  })

  it('stack and cause never travel', () => {
    const error = new ParleyError('tool_execution_failed', { cause: withStack, data: { step: 2 } })
    const text = JSON.stringify(error.toWire('2026-07-28'))
    expect(text).not.toMatch(/ENOENT|secret|stack|cause|\.ts/)
  })

  it('anything thrown', () => {
    fc.assert(
      fc.property(fc.anything(), anyVersion, (value, version) => {
        const wire = toParleyError(value).toWire(version)
        return errorKinds.includes(toParleyError(value).kind) && wire.message === 'Internal error' && !('data' in wire)
      }),
    )
  })
})

describe('fromWire', () => {
  it('hands an error on as it came, to a peer of the version it came in', () => {
    for (const wire of [
      { code: -32077, message: 'm' },
      { code: -32042, message: 'm', data: 'why' },
      { code: -32050, message: 'm', data: { a: 1 } },
      { code: -32050, message: 'm', data: null },
    ]) {
      expect(fromWire(wire).received).toEqual(wire)
      expect(fromWire(wire, true).toWire('2026-07-28')).toEqual(wire)
    }
    expect(new ParleyError('internal_error').received).toBeUndefined()
  })

  it('is alone in making errors that were received: one that was made of another keeps its code, but nobody has sent it', () => {
    const { kind, data, receivedCode } = fromWire({ code: -32050, message: 'm', data: 'why' })
    const made = new ParleyError(kind, {
      message: 'No session: m',
      code: receivedCode as number,
      data: { ...data, server: 'files' },
    })
    expect(made.received).toBeUndefined()
    expect(made).toMatchObject({ receivedCode: -32050, code: -32050 })
    expect(made.toWire('2025-11-25')).toEqual({
      code: -32050,
      message: 'No session: m',
      data: { value: 'why', server: 'files' },
    })
  })

  it.each([
    [-32700, 'parse_error'],
    [-32600, 'invalid_request'],
    [-32601, 'method_not_found'],
    [-32602, 'invalid_params'],
    [-32603, 'internal_error'],
    [-32002, 'resource_not_found'],
    [-32042, 'url_elicitation_required'],
    [-32020, 'header_mismatch'],
    [-32021, 'missing_client_capability'],
    [-32022, 'unsupported_protocol_version'],
    [-1, 'user_rejected'],
    [-32000, 'internal_error'],
    [-32001, 'internal_error'],
    [12345, 'internal_error'],
  ])('%i is %s', (code, kind) => {
    expect(fromWire({ code, message: 'm' })).toMatchObject({ kind, code, message: 'm', data: undefined })
  })

  it.each([null, 'text', 7, false, [1, 2]])('data %j is kept as it came', (data) => {
    const error = fromWire({ code: -32000, message: 'm', data })
    expect(error.data).toEqual({ value: data })
    expect(error.toWire('2025-11-25')).toEqual({ code: -32000, message: 'm', data })
  })

  it('believes a name it knows and no other', () => {
    expect(fromWire({ code: -32603, message: 'm', data: { [KIND_KEY]: 'rate_limited' } }).kind).toBe('rate_limited')
    for (const name of ['constructor', '__proto__', 'nonsense', 7, null]) {
      expect(fromWire({ code: -32602, message: 'm', data: { [KIND_KEY]: name } }).kind).toBe('invalid_params')
    }
  })

  it('D-57 a received code goes on, except where 2026-07-28 forbids it', () => {
    expect(fromWire({ code: -32001, message: 'm' }).toWire('2026-07-28').code).toBe(-32001)
    expect(fromWire({ code: -32002, message: 'm', data: { uri: 'x://y' } }).toWire('2026-07-28')).toEqual({
      code: -32602,
      message: 'm',
      data: { uri: 'x://y' },
    })
    expect(fromWire({ code: -32042, message: 'm' }).toWire('2026-07-28')).toEqual({
      code: -32603,
      message: 'm',
      data: { originalCode: -32042 },
    })
    expect(fromWire({ code: -32077, message: 'm', data: 'why' }).toWire('2026-07-28')).toEqual({
      code: -32603,
      message: 'm',
      data: { value: 'why', originalCode: -32077 },
    })
    expect(fromWire({ code: -32077, message: 'm' }).toWire('2025-11-25').code).toBe(-32077)
  })
})

describe('ToolError', () => {
  it('is read by the model, with structured details beside the text', () => {
    const error = new ToolError('No such city', { structured: { city: 'Oslx' }, cause: 'lookup' })
    expect(error).toMatchObject({
      name: 'ToolError',
      message: 'No such city',
      structured: { city: 'Oslx' },
      cause: 'lookup',
    })
    expect(new ToolError('x').structured).toBeUndefined()
  })
})
