import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { classify, DEFAULT_LIMITS, type Incoming, type Invalid, isRequestId, parse } from './index.ts'

const REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'x', arguments: { a: [1, { b: null }] } },
}

function invalid(text: string, limits = DEFAULT_LIMITS): Invalid {
  const incoming = parse(text, limits)
  expect(incoming.kind).toBe('invalid')
  return incoming as Invalid
}

describe('M1 messages that are fine', () => {
  it.each([
    ['request', { jsonrpc: '2.0', id: 1, method: 'ping' }],
    ['request', REQUEST],
    ['request', { jsonrpc: '2.0', id: '', method: 'ping', params: {} }],
    ['request', { jsonrpc: '2.0', id: 1, method: 'ping', unknown: 'member' }],
    ['notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['notification', { jsonrpc: '2.0', method: 'x', params: {} }],
    ['result', { jsonrpc: '2.0', id: 1, result: {} }],
    ['result', { jsonrpc: '2.0', id: 'a', result: { deep: [[]] } }],
    ['error', { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no' } }],
    ['error', { jsonrpc: '2.0', id: null, error: { code: -32700, message: '', data: null } }],
    ['error', { jsonrpc: '2.0', error: { code: 1, message: 'no' } }],
  ])('a %s: %j', (kind, message) => {
    expect(parse(JSON.stringify(message))).toEqual({ kind, message })
  })

  it('white space around a message does not matter', () => {
    expect(parse(` \t\r\n${JSON.stringify(REQUEST)}\r\n `)).toEqual({ kind: 'request', message: REQUEST })
  })

  it.each([
    ['zero', '0', 0],
    ['negative', '-7', -7],
    ['negative zero', '-0', -0],
    ['a whole number with a fraction', '1.0', 1],
    ['a whole number with an exponent', '1e3', 1000],
    ['the largest', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['the smallest', '-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['an empty string', '""', ''],
    ['quotes and escapes', '"\\"\\\\\\u0000"', '"\\\u0000'],
    ['a lone surrogate', '"\\ud800"', '\ud800'],
    ['a name of the prototype', '"__proto__"', '__proto__'],
  ])('id: %s', (_, json, id) => {
    expect(parse(`{"jsonrpc":"2.0","id":${json},"method":"ping"}`)).toMatchObject({ kind: 'request', message: { id } })
    expect(isRequestId(id)).toBe(true)
  })
})

describe('M1 text that is not JSON', () => {
  it.each([
    ['nothing', ''],
    ['only white space', ' \n'],
    ['a word', 'hello'],
    ['half a message', '{"jsonrpc":"2.0","id":1'],
    ['two messages', '{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}'],
    ['a byte order mark', `\uFEFF${JSON.stringify(REQUEST)}`],
    ['a NUL after it', `${JSON.stringify(REQUEST)}\u0000`],
    ['a NUL inside a string', '{"jsonrpc":"2.0","method":"a\u0000"}'],
    ['single quotes', "{'jsonrpc':'2.0'}"],
    ['a trailing comma', '{"jsonrpc":"2.0","method":"a",}'],
    ['a comment', '{"jsonrpc":"2.0",/* */"method":"a"}'],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"a"}'],
    ['undefined', 'undefined'],
    ['a bad escape', '{"jsonrpc":"2.0","method":"\\x"}'],
    ['a raw line break in a string', '{"jsonrpc":"2.0","method":"a\nb"}'],
    ['closers only', ']]]]}}}}'],
    ['openers only', '[['],
    ['a header of another protocol', 'Content-Length: 12\r\n\r\n{}'],
  ])('%s', (_, text) => {
    expect(invalid(text)).toEqual({
      kind: 'invalid',
      id: undefined,
      isAnswer: false,
      error: { code: -32700, message: 'The message is not valid JSON' },
    })
  })
})

describe('M1 JSON that is no message', () => {
  it.each(['null', 'true', '0', '-1.5', '"text"', '""'])('%s', (text) => {
    expect(invalid(text)).toMatchObject({
      id: undefined,
      isAnswer: false,
      error: { code: -32600, message: 'A message must be a JSON object' },
    })
  })

  it.each([[undefined], ['1.0'], ['2'], [2], [2.0], [null], [''], ['2.0 '], [['2.0']]])('jsonrpc %j', (jsonrpc) => {
    expect(invalid(JSON.stringify({ ...REQUEST, jsonrpc }))).toMatchObject({
      id: 1,
      isAnswer: false,
      error: { code: -32600 },
    })
    expect(invalid(JSON.stringify({ jsonrpc, id: 5, result: {} }))).toMatchObject({
      id: 5,
      isAnswer: true,
      error: { code: -32600 },
    })
  })

  it.each([
    'null',
    '1.5',
    'true',
    '{}',
    '[]',
    '[1]',
    '9007199254740992',
    '-9007199254740992',
    '1e400',
    '-1e400',
    '1e-7',
  ])('id %s', (id) => {
    expect(invalid(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toMatchObject({
      id: undefined,
      isAnswer: false,
      error: { code: -32600 },
    })
    expect(invalid(`{"jsonrpc":"2.0","id":${id},"result":{}}`)).toMatchObject({
      id: undefined,
      isAnswer: true,
      error: { code: -32600 },
    })
    expect(isRequestId(JSON.parse(id))).toBe(false)
  })

  it.each([[null], [1], [''], [{}], [['tools/call']], [true]])('method %j', (method) => {
    expect(invalid(JSON.stringify({ ...REQUEST, method }))).toMatchObject({
      id: 1,
      isAnswer: false,
      error: { code: -32600 },
    })
    expect(invalid(JSON.stringify({ jsonrpc: '2.0', method }))).toMatchObject({
      id: undefined,
      isAnswer: false,
      error: { code: -32600 },
    })
  })

  it('neither method nor result nor error', () => {
    expect(invalid('{"jsonrpc":"2.0","id":3}')).toMatchObject({ id: 3, isAnswer: false, error: { code: -32600 } })
    expect(invalid('{}')).toMatchObject({ id: undefined, isAnswer: false })
  })

  it.each([[null], [[]], [[1]], ['x'], [1], [true]])(
    'params %j: a request is answered, a notification is not',
    (params) => {
      expect(invalid(JSON.stringify({ ...REQUEST, params }))).toMatchObject({
        id: 1,
        isAnswer: false,
        error: { code: -32602 },
      })
      expect(invalid(JSON.stringify({ jsonrpc: '2.0', method: 'a', params }))).toMatchObject({
        id: undefined,
        isAnswer: true,
        error: { code: -32600 },
      })
    },
  )

  it.each([
    { result: {}, error: { code: 1, message: 'm' } },
    { result: null, error: { code: 1, message: 'm' } },
    { result: {}, error: null },
    { result: null },
    { result: [] },
    { result: 'ok' },
    { result: true },
    { error: null },
    { error: 'no' },
    { error: [] },
    { error: {} },
    { error: { code: '1', message: 'm' } },
    { error: { code: 1.5, message: 'm' } },
    { error: { code: 1 } },
    { error: { code: 1, message: 7 } },
  ])('the answer %j: known to be one, so never answered', (body) => {
    expect(invalid(JSON.stringify({ jsonrpc: '2.0', id: 9, ...body }))).toMatchObject({
      id: 9,
      isAnswer: true,
      error: { code: -32600 },
    })
  })

  it('a result without an id, an error with a bad one', () => {
    expect(invalid('{"jsonrpc":"2.0","result":{}}')).toMatchObject({ id: undefined, isAnswer: true })
    expect(invalid('{"jsonrpc":"2.0","id":null,"result":{}}')).toMatchObject({ id: undefined, isAnswer: true })
    expect(invalid('{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"m"}}')).toMatchObject({
      id: undefined,
      isAnswer: true,
    })
  })
})

describe('M1 batches', () => {
  it('are classified one by one, whatever is in them', () => {
    const incoming = parse(
      JSON.stringify([
        REQUEST,
        { jsonrpc: '2.0', method: 'a' },
        { jsonrpc: '2.0', id: 2, result: {} },
        1,
        [],
        [REQUEST],
        {},
      ]),
    )
    expect(incoming.kind === 'batch' && incoming.items.map(({ kind }) => kind)).toEqual([
      'request',
      'notification',
      'result',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
    ])
  })

  it('empty ones are refused', () => {
    expect(invalid('[]').error).toMatchObject({ code: -32600, message: 'A batch must not be empty' })
  })

  it('the limit itself is allowed, one more is not', () => {
    const batch = (length: number) => JSON.stringify(Array.from({ length }, () => REQUEST))
    expect(parse(batch(3), { ...DEFAULT_LIMITS, maxBatch: 3 })).toMatchObject({ kind: 'batch' })
    expect(invalid(batch(4), { ...DEFAULT_LIMITS, maxBatch: 3 }).error).toMatchObject({
      code: -32600,
      message: 'Batches are limited to 3 messages',
    })
    expect(parse(batch(100)).kind).toBe('batch')
    expect(invalid(batch(101)).error.code).toBe(-32600)
  })
})

describe('limits on bytes', () => {
  const bytes = (text: string) => new TextEncoder().encode(text).length

  it.each(['a', 'é', '€', '😀', '\u0000', '\ud800'])('count UTF-8: %j', (unit) => {
    const text = `{"jsonrpc":"2.0","method":"a","params":{"text":${JSON.stringify(unit.repeat(50))}}}`
    expect(parse(text, { ...DEFAULT_LIMITS, maxBytes: bytes(text) }).kind).toBe('notification')
    expect(invalid(text, { ...DEFAULT_LIMITS, maxBytes: bytes(text) - 1 }).error).toMatchObject({
      code: -32600,
      message: `Messages are limited to ${bytes(text) - 1} bytes`,
      data: { 'parley/kind': 'message_too_large' },
    })
  })

  it('come before everything else: what is too long is not read', () => {
    expect(invalid('not json', { ...DEFAULT_LIMITS, maxBytes: 3 }).error.data).toEqual({
      'parley/kind': 'message_too_large',
    })
  })

  it('leave the sender an answer, even where every character of its id is escaped', () => {
    const id = '\0'.repeat(300)
    const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'a', params: { text: 'x'.repeat(10_000) } })
    expect(invalid(text, { ...DEFAULT_LIMITS, maxBytes: 5000 }).id).toBe(id)
  })

  it('any text, any limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(64), (text, maxBytes) => {
        const incoming = parse(text, { ...DEFAULT_LIMITS, maxBytes })
        const refused =
          incoming.kind === 'invalid' && JSON.stringify(incoming.error.data ?? null).includes('message_too_large')
        return refused === bytes(text) > maxBytes
      }),
    )
  })
})

describe('limits on depth', () => {
  /** A request whose deepest value is at `depth`. */
  const nested = (depth: number, open = '[', close = ']') =>
    `{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":${open.repeat(depth - 2)}${close.repeat(depth - 2)}}}`
  const limits = (maxDepth: number) => ({ ...DEFAULT_LIMITS, maxDepth })

  it.each([3, 4, 10, 128, 1000])('%i levels are allowed where they are the limit, not where one fewer is', (depth) => {
    expect(parse(nested(depth), limits(depth)).kind).toBe('request')
    expect(invalid(nested(depth), limits(depth - 1)).error).toMatchObject({
      code: -32600,
      message: `Messages are limited to ${depth - 1} levels of nesting`,
      data: { 'parley/kind': 'message_too_deep' },
    })
  })

  it('objects count as arrays do', () => {
    const text = nested(10, '{"a":', '}').replace('{"a":}', '{}')
    expect(parse(text, limits(10)).kind).toBe('request')
    expect(invalid(text, limits(9)).error.code).toBe(-32600)
  })

  it('the sender of a request is told which; an answer is not answered', () => {
    expect(invalid(nested(200))).toMatchObject({ id: 1, isAnswer: false })
    expect(invalid(`{"jsonrpc":"2.0","id":7,"result":{"x":${'['.repeat(200)}${']'.repeat(200)}}}`)).toMatchObject({
      id: 7,
      isAnswer: true,
    })
    expect(invalid(`${'['.repeat(200)}${']'.repeat(200)}`)).toMatchObject({ id: undefined, isAnswer: false })
  })

  it('brackets inside strings do not count', () => {
    for (const text of ['['.repeat(500), '{"'.repeat(500), '\\'.repeat(501), '\\"['.repeat(500), '"]['.repeat(500)]) {
      expect(parse(JSON.stringify({ jsonrpc: '2.0', method: 'a', params: { text, [text]: 1 } }), limits(2)).kind).toBe(
        'notification',
      )
    }
  })

  it('siblings do not add up', () => {
    expect(
      parse(
        JSON.stringify({ jsonrpc: '2.0', method: 'a', params: { list: Array.from({ length: 1000 }, () => [[]]) } }),
        limits(5),
      ).kind,
    ).toBe('notification')
  })

  it('a million levels are refused like a few', () => {
    expect(invalid('['.repeat(1_000_000)).error.code).toBe(-32700)
    expect(invalid(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`).error.data).toEqual({
      'parley/kind': 'message_too_deep',
    })
    expect(parse(nested(100_000), limits(100_000)).kind).toBe('request')
  })
})

describe('E2 keys that reach for the prototype', () => {
  afterEach(() => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each([
    '__proto__',
    '\\u005f_proto__',
    '_\\u005Fproto__',
    '__p\\u0072oto__',
    '\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f',
  ])('%s is removed at every level', (key) => {
    const evil = `"${key}":{"polluted":true}`
    const incoming = parse(
      `{${evil},"jsonrpc":"2.0","id":1,"method":"a","params":{${evil},"list":[{${evil},"kept":1}]}}`,
    )
    expect(incoming).toEqual({
      kind: 'request',
      message: { jsonrpc: '2.0', id: 1, method: 'a', params: { list: [{ kept: 1 }] } },
    })
    expect(JSON.stringify(incoming)).not.toContain('polluted')
    const { params } = (incoming as Extract<Incoming, { kind: 'request' }>).message
    expect(Object.assign({}, params)['polluted']).toBeUndefined()
  })

  it('a message cannot be made of what it inherits', () => {
    expect(invalid('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"a"}}')).toMatchObject({
      id: undefined,
      error: { code: -32600 },
    })
    expect(invalid('{"jsonrpc":"2.0","__proto__":{"result":{}},"id":1}')).toMatchObject({ isAnswer: false })
  })

  it('other odd keys and strings stay', () => {
    const params = { constructor: { prototype: { polluted: true } }, toString: 1, text: '__proto__', '': 0 }
    expect(parse(JSON.stringify({ jsonrpc: '2.0', method: 'a', params }))).toEqual({
      kind: 'notification',
      message: { jsonrpc: '2.0', method: 'a', params },
    })
  })
})

describe('never throws', () => {
  const kinds = new Set(['request', 'notification', 'result', 'error', 'batch', 'invalid'])
  const sound = (incoming: Incoming): boolean => {
    if (incoming.kind === 'batch')
      return incoming.items.length > 0 && incoming.items.every((item) => item.kind !== 'batch' && sound(item))
    if (incoming.kind === 'invalid') return Number.isInteger(incoming.error.code) && incoming.error.message !== ''
    return kinds.has(incoming.kind) && incoming.message.jsonrpc === '2.0'
  }

  it('any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => sound(parse(text))))
  })

  it('any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) =>
        sound(parse(text, { ...DEFAULT_LIMITS, maxBytes: 500, maxDepth: 3, maxBatch: 2 })),
      ),
    )
  })

  it('any value, handed over already parsed', () => {
    fc.assert(fc.property(fc.anything(), (value) => sound(classify(value))))
  })

  it('any message with members exchanged for something else', () => {
    const member = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error')
    const changes = fc.array(fc.tuple(member, fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 })
    fc.assert(fc.property(changes, (list) => sound(parse(JSON.stringify({ ...REQUEST, ...Object.fromEntries(list) })))))
  })

  it('any message with characters cut out, doubled or exchanged', () => {
    const text = JSON.stringify([REQUEST, { jsonrpc: '2.0', id: 'é"', error: { code: 1, message: '\\' } }])
    const edit = fc.record({
      at: fc.nat(text.length),
      cut: fc.nat(3),
      put: fc.constantFrom('', '"', '\\', '{', ']', ',', ':', 'null', '\u0000', '1e999', '__proto__'),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
        const broken = edits.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text)
        return sound(parse(broken))
      }),
      { numRuns: 2000 },
    )
  })
})
