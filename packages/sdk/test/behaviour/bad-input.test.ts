/**
 * Frames a server should never get: each has exactly one clear answer or is counted and ignored, nothing leaks, and the
 * next request works.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { createServer, tool } from '../../src/server.ts'
import { everyVersion, fakeClock, flush, leaks } from '../../src/testing.ts'
import { eraOf, type ProtocolVersion } from '../../src/versions/index.ts'
import { everything } from './everything.ts'
import { envelope, type Frame, initialize, internals, openRaw, type RawClient, rawClient } from './raw-client.ts'

let client: RawClient

afterEach(() => {
  expect(internals(client.texts)).toEqual([])
  expect(leaks(client.session)).toEqual([])
})

/** What asks whether somebody is there, and what a server says to it (D-17). */
const probes = {
  handshake: ['ping', {}],
  stateless: ['server/discover', expect.objectContaining({ supportedVersions: expect.any(Array) })],
} as const

/** A request as a client of a version makes it; parameters that are none stay as they are. */
const requestIn = (
  version: ProtocolVersion,
  id: unknown,
  method: unknown = probes[eraOf(version)][0],
  params?: unknown,
): string => {
  const dresses =
    eraOf(version) === 'stateless' &&
    (params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params)))
  const dressed = dresses ? envelope(version, params as Record<string, unknown> | undefined) : params
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(dressed === undefined ? {} : { params: dressed }) })
}

async function worksIn(version: ProtocolVersion): Promise<void> {
  expect(await client.exchange(requestIn(version, 'next'))).toEqual([
    { jsonrpc: '2.0', id: 'next', result: probes[eraOf(version)][1] },
  ])
}

/** Declares a test only where it means something. */
const when = (holds: boolean): ((title: string, run: () => Promise<void>) => void) => (holds ? it : () => {})

everyVersion((version) => {
  const era = eraOf(version)
  const alive = probes[era][1]
  const request = (id: unknown, method?: unknown, params?: unknown): string => requestIn(version, id, method, params)
  const stillWorks = (): Promise<void> => worksIn(version)
  // C-27: before, JSON-RPC alone says how an error is written that answers no request.
  const unnamed = version >= '2025-11-25' ? {} : { id: null }

  describe(`M1 frames that are no messages (${version})`, () => {
    /** Frame, code of the one answer, whether the answer can name the request. */
    const cases: [string, string, number, (string | number)?][] = [
      ['malformed JSON', '{"jsonrpc":"2.0",', -32700],
      ['nothing', '', -32700],
      ['a NUL', '\u0000', -32700],
      ['a number', '7', -32600],
      ['null', 'null', -32600],
      ['a string', '"initialize"', -32600],
      ['no jsonrpc', '{"id":5,"method":"ping"}', -32600, 5],
      ['wrong jsonrpc', '{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5],
      ['jsonrpc as a number', '{"jsonrpc":2.0,"id":5,"method":"ping"}', -32600, 5],
      ['id null', request(null), -32600],
      ['id a fraction', request(1.5), -32600],
      ['id an object', request({ a: 1 }), -32600],
      ['id a list', request([1]), -32600],
      ['id true', request(true), -32600],
      ['id beyond 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600],
      ['id infinite', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600],
      ['method a number', request(5, 7), -32600, 5],
      ['method empty', request(5, ''), -32600, 5],
      ['method missing', '{"jsonrpc":"2.0","id":5}', -32600, 5],
      ['params a string', request(5, 'ping', 'x'), -32602, 5],
      ['params a list', request(5, 'tools/list', []), -32602, 5],
      ['params null', '{"jsonrpc":"2.0","id":5,"method":"tools/list","params":null}', -32602, 5],
      ['too deep', request(5, 'ping', JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`)), -32600, 5],
      ['an empty batch', '[]', -32600],
    ]

    it.each(cases)('%s', async (_, frame, code, id) => {
      client = await openRaw(everything(), version)
      const answers = await client.exchange(frame)
      const error = expect.objectContaining({ code, message: expect.stringMatching(/\w{4}/) })
      expect(answers).toEqual([{ jsonrpc: '2.0', ...(id === undefined ? unnamed : { id }), error }])
      expect(client.session.stats().ignored['invalid message']).toBe(1)
      await stillWorks()
    })

    it('too large', async () => {
      client = await openRaw(everything(), version, { limits: { maxBytes: 2000 } })
      const answers = await client.exchange(request(5, 'ping', { pad: 'ä'.repeat(1500) }))
      const error = expect.objectContaining({ code: -32600, message: expect.stringContaining('2000 bytes') })
      expect(answers).toEqual([{ jsonrpc: '2.0', id: 5, error }])
      await stillWorks()
    })

    it('large ids and strange ones come back as they were', async () => {
      client = await openRaw(everything(), version)
      for (const id of [0, -1, Number.MAX_SAFE_INTEGER, '', ' ', 'ü"\\\n', 'x'.repeat(10_000), '1']) {
        expect(await client.exchange(request(id))).toEqual([{ jsonrpc: '2.0', id, result: alive }])
      }
    })

    it('notifications are never answered, however wrong', async () => {
      client = await openRaw(everything(), version)
      for (const frame of [
        { jsonrpc: '2.0', method: 'nope' },
        { jsonrpc: '2.0', method: 'tools/call', params: { name: 'forecast' } },
        { jsonrpc: '2.0', method: 'notifications/nope', params: { a: 1 } },
        { jsonrpc: '2.0', method: 'notifications/cancelled' },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'x', progress: 'fast' } },
        { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } },
        { jsonrpc: '2.0', method: 'notifications/initialized', params: [] },
      ]) {
        expect(await client.exchange(frame)).toEqual([])
      }
      await stillWorks()
    })

    it('answers nobody asked for are counted and ignored', async () => {
      client = await openRaw(everything(), version)
      for (const frame of [
        { jsonrpc: '2.0', id: 99, result: {} },
        { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'no' } },
        { jsonrpc: '2.0', id: null, error: { code: 1, message: 'no' } },
        { jsonrpc: '2.0', id: 99, result: 7 },
        { jsonrpc: '2.0', id: 99, result: {}, error: { code: 1, message: 'both' } },
        { jsonrpc: '2.0', id: 99, error: 'text' },
        { jsonrpc: '2.0', result: {} },
      ]) {
        expect(await client.exchange(frame)).toEqual([])
      }
      const ignored = Object.values(client.session.stats().ignored).reduce((sum, count) => sum + count, 0)
      expect(ignored).toBe(7)
      await stillWorks()
    })

    it('__proto__ reaches nobody', async () => {
      client = await openRaw(everything(), version)
      const call = request(5, 'tools/call', { name: 'forecast', arguments: { city: 'Oslo' } })
      await client.exchange(call.replaceAll(/"(?=name"|city")/g, '"__proto__":{"polluted":1},"'))
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
      await stillWorks()
    })

    it('A-01 B-01 batches work in 2025-03-26 and are refused elsewhere', async () => {
      client = await openRaw(everything(), version)
      const batch = [
        JSON.parse(request(1)),
        JSON.parse(request(2, 'nope')),
        { jsonrpc: '2.0', method: 'notifications/x' },
        7,
        JSON.parse(request(3, 'initialize')),
      ]
      const answers = await client.exchange(batch)
      const outcomes = new Map(answers.map((answer) => [answer.id ?? null, answer.error?.code]))
      const requests = [1, 2, 3]
      expect(requests.map((id) => outcomes.get(id))).toEqual(
        version === '2025-03-26' ? [undefined, -32601, -32600] : [-32600, -32600, -32600],
      )
      expect(requests.filter((id) => answers.filter((answer) => answer.id === id).length !== 1)).toEqual([])
      const kinds = new Set(answers.map(({ error }) => error?.data?.['parley/kind']))
      if (version !== '2025-03-26') expect(kinds).toEqual(new Set(['batch_not_supported']))
      await stillWorks()
    })
  })

  describe(`L3 out of turn (${version})`, () => {
    when(era === 'handshake')('before initialize only ping and initialize are answered', async () => {
      client = rawClient(everything())
      await stillWorks()
      for (const method of ['tools/list', 'tools/call', 'resources/read', 'nope']) {
        const { error } = await client.ask(method, {})
        expect(error).toMatchObject({ code: -32600, data: { 'parley/kind': 'not_initialized' } })
      }
      expect(await client.exchange({ jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual([])
      expect((await client.exchange(initialize(version)))[0]?.result).toMatchObject({ protocolVersion: version })
    })

    when(era === 'handshake')('a second initialize is refused and changes nothing', async () => {
      client = await openRaw(everything(), version)
      const { error } = await client.ask('initialize', initialize('2024-11-05').params)
      expect(error).toMatchObject({ code: -32600, data: { 'parley/kind': 'already_initialized' } })
      expect(client.session.version).toBe(version)
      expect((await client.ask('tools/list')).result).toBeDefined()
    })

    when(era === 'handshake')('a failed initialize changes nothing and may be tried again', async () => {
      client = rawClient(everything())
      for (const params of [
        undefined,
        {},
        { protocolVersion: version },
        { protocolVersion: version, capabilities: {} },
        { protocolVersion: version, capabilities: [], clientInfo: {} },
      ]) {
        expect((await client.ask('initialize', params)).error?.code).toBe(-32602)
        expect(client.session.phase).toBe('initialization')
      }
      expect((await client.exchange(initialize(version)))[0]?.result).toMatchObject({ protocolVersion: version })
    })

    when(era === 'stateless')(
      'D-01 a request that does not say what it is made in is told so, and so is one that says too little',
      async () => {
        client = await openRaw(everything(), version)
        const name = (key: string) => `io.modelcontextprotocol/${key}`
        const bare = async (params?: object) =>
          (await client.exchange({ jsonrpc: '2.0', id: 5, method: 'tools/list', ...(params && { params }) }))[0]
        for (const params of [undefined, {}, { _meta: {} }, { _meta: { [name('clientCapabilities')]: {} } }]) {
          expect(await bare(params)).toMatchObject({
            id: 5,
            error: { code: -32602, data: { missing: name('protocolVersion') } },
          })
        }
        for (const capabilities of [undefined, null, [], 'all']) {
          const refused = await bare({
            _meta: { [name('protocolVersion')]: version, [name('clientCapabilities')]: capabilities },
          })
          expect(refused).toMatchObject({
            id: 5,
            error: { code: -32602, data: { missing: name('clientCapabilities') } },
          })
        }
        for (const wrong of ['2025-11-25', '1999-01-01', '', 'x'.repeat(1000)]) {
          const refused = await bare(envelope(wrong))
          expect(refused).toMatchObject({
            id: 5,
            error: { code: -32022, data: { supported: expect.arrayContaining([version]) } },
          })
          expect(JSON.stringify(refused).length).toBeLessThan(1000)
        }
        await stillWorks()
      },
    )

    when(era === 'stateless')('D-65 who has asked without a handshake may still make one', async () => {
      client = await openRaw(everything(), version)
      expect((await client.exchange(initialize('2025-06-18')))[0]?.result).toMatchObject({
        protocolVersion: '2025-06-18',
      })
      await client.exchange({ jsonrpc: '2.0', method: 'notifications/initialized' })
      expect((await client.exchange({ jsonrpc: '2.0', id: 6, method: 'tools/list' }))[0]?.result).not.toHaveProperty(
        'resultType',
      )
    })

    it('duplicate ids in flight are refused, and the first is still answered', async () => {
      let finish: ((said: string) => void) | undefined
      const held = tool('held', {}, () => new Promise<string>((resolve) => (finish = resolve)))
      client = await openRaw(createServer({ name: 's', version: '1' }).add(held), version)
      const call = request(7, 'tools/call', { name: 'held', arguments: {} })
      expect(await client.exchange(call)).toEqual([])
      const [refusal] = await client.exchange(call)
      expect(refusal).toMatchObject({ id: 7, error: { code: -32600, data: { 'parley/kind': 'duplicate_request_id' } } })
      const before = client.texts.length
      finish?.('done')
      await flush()
      expect(client.texts.slice(before).map((text) => JSON.parse(text) as Frame)).toEqual([
        { jsonrpc: '2.0', id: 7, result: expect.objectContaining({ content: [{ type: 'text', text: 'done' }] }) },
      ])
      expect(await client.exchange(request(7))).toEqual([{ jsonrpc: '2.0', id: 7, result: alive }])
    })

    it('after close nothing is answered and nothing breaks', async () => {
      client = await openRaw(everything(), version)
      await client.session.close()
      await flush()
      expect(client.closed).toBe(true)
      await expect(client.exchange(request('next'))).rejects.toMatchObject({ kind: 'transport_error' })
    })

    it('cancelling what is finished, unknown or absurd is counted and ignored', async () => {
      client = await openRaw(everything(), version)
      await client.exchange(request(5, 'tools/call', { name: 'slow', arguments: {} }))
      for (const requestId of [5, 6, 'x', null])
        expect(
          await client.exchange({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
        ).toEqual([])
      expect(Object.values(client.session.stats().ignored).reduce((sum, count) => sum + count, 0)).toBe(4)
      await stillWorks()
    })
  })

  describe(`C3 E3 things that do not exist (${version})`, () => {
    /** D-18, D-19: methods of sessions. */
    const gone = era === 'handshake' ? -32602 : -32601
    const missing: [string, string, Record<string, unknown> | undefined, number][] = [
      ['a method', 'nope/nope', {}, -32601],
      ['a method of servers', 'sampling/createMessage', {}, -32601],
      ['a method of the other era', era === 'handshake' ? 'server/discover' : 'ping', {}, -32601],
      ['a method called constructor', 'constructor', {}, -32601],
      ['a tool', 'tools/call', { name: 'nope' }, -32602],
      ['a tool called __proto__', 'tools/call', { name: '__proto__' }, -32602],
      ['a tool called constructor', 'tools/call', { name: 'constructor' }, -32602],
      ['a tool without a name', 'tools/call', {}, -32602],
      ['a tool whose name is a number', 'tools/call', { name: 7 }, -32602],
      ['a prompt', 'prompts/get', { name: 'nope' }, -32602],
      ['a prompt without a name', 'prompts/get', undefined, -32602],
      ['a resource', 'resources/read', { uri: 'notes://nope' }, era === 'handshake' ? -32002 : -32602],
      ['a resource without a uri', 'resources/read', {}, -32602],
      ['a resource with a list for a uri', 'resources/read', { uri: [] }, -32602],
      ['a cursor', 'tools/list', { cursor: 'nope' }, -32602],
      ['a cursor that is a number', 'resources/list', { cursor: 7 }, -32602],
      ['a level', 'logging/setLevel', { level: 'shout' }, gone],
      ['no level', 'logging/setLevel', {}, gone],
      ['a reference', 'completion/complete', { ref: { type: 'ref/x' }, argument: { name: 'a', value: 'b' } }, -32602],
      [
        'a completion without an argument',
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'greet' } },
        -32602,
      ],
      ['a subscription to nothing', 'resources/subscribe', {}, gone],
      ['something to listen for', 'subscriptions/listen', {}, era === 'handshake' ? -32601 : -32602],
    ]

    it.each(missing)('%s', async (_, method, params, code) => {
      client = await openRaw(everything(), version)
      const { error, result } = await client.ask(method, params)
      expect(result).toBeUndefined()
      expect(error).toMatchObject({ code, message: expect.stringMatching(/\w{4}/) })
      await stillWorks()
    })

    it.each([['a string'], [7], [null], [[1, 2]]])('arguments that are %j', async (args) => {
      client = await openRaw(everything(), version)
      const answer = await client.ask('tools/call', { name: 'forecast', arguments: args as never })
      expect(answer.error?.code === -32602 || answer.result?.['isError'] === true).toBe(true)
      await stillWorks()
    })
  })
})

describe('V3 V5 versions', () => {
  const versionIn = async (requested: unknown): Promise<Frame> => {
    client = rawClient(everything())
    const [answer] = await client.exchange(initialize(requested))
    return answer as Frame
  }

  it.each(['2024-10-07', '2025-06-19', '2026-07-28', '1999-01-01', '9999-12-31'])(
    '%s gets the newest there is',
    async (requested) => {
      expect((await versionIn(requested)).result).toMatchObject({ protocolVersion: '2025-11-25' })
    },
  )

  it.each(['', 'latest', '2025-13-01', '1.0.0', 'x'.repeat(100), 7, null, {}, [], true])(
    '%j is refused with the list of what there is',
    async (requested) => {
      const { error } = await versionIn(requested)
      expect(error).toMatchObject({ code: -32602, data: { supported: expect.arrayContaining(['2025-11-25']) } })
      expect(JSON.stringify(error).length).toBeLessThan(1000)
    },
  )
})

describe('L2 M2 floods and silence', () => {
  it('a client that never initialises is hung up on after 30 s', async () => {
    const clock = fakeClock()
    client = rawClient(everything(), { clock })
    await clock.advance(29_999)
    expect(client.closed).toBe(false)
    await clock.advance(1)
    expect(client.closed).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'more requests at once than allowed are refused, not dropped (%s)',
    async (version) => {
      client = await openRaw(everything(), version, { maxInFlight: 3 })
      for (let id = 0; id < 5; id++)
        await client.exchange(requestIn(version, id, 'tools/call', { name: 'wait', arguments: { tag: 'flood' } }))
      const refused = client.texts.map((text) => JSON.parse(text) as Frame).filter((frame) => frame.error !== undefined)
      expect(refused.map((frame) => [frame.id, frame.error?.data?.['parley/kind']])).toEqual([
        [3, 'too_many_requests'],
        [4, 'too_many_requests'],
      ])
      await client.session.close({ drain: 0 })
    },
  )

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'a flood of nonsense is answered frame by frame (%s)',
    async (version) => {
      client = await openRaw(everything(), version)
      const before = client.texts.length
      for (let n = 0; n < 1000; n++) void client.exchange('{')
      await flush()
      expect(client.texts.length - before).toBe(1000)
      await worksIn(version)
    },
  )
})
