import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../../errors/index.ts'
import { handshakeVersions, versions } from '../../../versions/index.ts'
import type { Endpoint } from '../../endpoint.ts'
import { initializeParams, makeRig, openClient, openServer, settled } from '../../session.fixtures.ts'

describe('V3 a server answers the version it was asked for, else its newest', () => {
  for (const version of handshakeVersions) {
    it(`${version} is answered with itself`, () => {
      const { link, session, events } = makeRig('server')
      link.request(1, 'initialize', initializeParams(version))
      expect(link.take()).toMatchObject([
        { id: 1, result: { protocolVersion: version, serverInfo: { name: 'server' } } },
      ])
      expect(session.version).toBe(version)
      expect(session.phase).toBe('initialized')
      expect(events).toContainEqual({ type: 'negotiated', requested: version, version })
    })
  }

  for (const asked of ['2024-10-07', '2025-07-01', '2026-07-28', '2099-12-31']) {
    it(`${asked}, which no handshake can end with, is answered with the newest handshake version`, () => {
      const { link } = makeRig('server')
      link.request(1, 'initialize', initializeParams(asked))
      expect(link.take()[0].result.protocolVersion).toBe('2025-11-25')
    })
  }

  it('V5 a server restricted to some versions offers only those', () => {
    const { link } = makeRig('server', { versions: ['2024-11-05', '2025-03-26'] })
    link.request(1, 'initialize', initializeParams('2025-11-25'))
    expect(link.take()[0].result.protocolVersion).toBe('2025-03-26')
  })

  for (const absurd of [
    '',
    'latest',
    '2025-13-01',
    '2025-11-25 ',
    '1.0',
    7,
    null,
    ['2025-11-25'],
    { v: 1 },
    'x'.repeat(10_000),
    undefined,
  ]) {
    it(`V5 L3 the malformed version ${JSON.stringify(absurd)?.slice(0, 40)} is refused, changes nothing, and may be retried`, () => {
      const { link, session } = makeRig('server')
      link.request(1, 'initialize', { ...initializeParams(), protocolVersion: absurd })
      const [answer] = link.take()
      expect(answer).toMatchObject({
        id: 1,
        error: { code: -32602, data: { supported: [...versions], 'parley/kind': 'unsupported_protocol_version' } },
      })
      expect(JSON.stringify(answer).length).toBeLessThan(1000)
      expect(session.phase).toBe('initialization')
      expect(session.version).toBeUndefined()
      link.request(2, 'initialize', initializeParams())
      expect(link.take()[0].result.protocolVersion).toBe('2025-11-25')
    })
  }

  for (const broken of [
    undefined,
    {},
    { protocolVersion: '2025-11-25' },
    { protocolVersion: '2025-11-25', capabilities: [], clientInfo: {} },
    { protocolVersion: '2025-11-25', capabilities: {} },
  ]) {
    it(`refuses initialize with ${JSON.stringify(broken)}`, () => {
      const { link, session } = makeRig('server')
      link.request(1, 'initialize', broken)
      expect(link.take()[0].error.code).toBe(-32602)
      expect(session.phase).toBe('initialization')
    })
  }

  it('V3 any requested string and any set of supported versions: one answer, and a version only from the set', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom<string>(...versions)),
        fc.subarray([...versions]),
        (requested, supported) => {
          const { link, session } = makeRig('server', { versions: supported })
          link.request(1, 'initialize', initializeParams(requested))
          const [answer, ...more] = link.take()
          expect(more).toEqual([])
          if (answer.result !== undefined) expect(supported).toContain(answer.result.protocolVersion)
          else expect(session.phase).toBe('initialization')
        },
      ),
    )
  })
})

describe('a client may introduce itself at moderate length', () => {
  it('64 KiB are refused with the id of the request, and it may try again', () => {
    const { link, session } = makeRig('server')
    link.request(1, 'initialize', { ...initializeParams(), clientInfo: { name: 'x'.repeat(70_000), version: '1' } })
    expect(link.take()).toMatchObject([
      { id: 1, error: { code: -32600, data: { 'parley/kind': 'message_too_large' } } },
    ])
    expect(session.phase).toBe('initialization')
    link.request(2, 'initialize', initializeParams())
    expect(link.take()[0].result.protocolVersion).toBe('2025-11-25')
  })
})

describe('C1 C2 capabilities are taken once, restricted to the version, and frozen', () => {
  it('clients that introduce themselves in the same words share one frozen introduction, others do not', () => {
    const peerOf = (params: ReturnType<typeof initializeParams>) => {
      const { link, session } = makeRig('server')
      link.request(1, 'initialize', params)
      return session.peer
    }
    const asked = initializeParams('2025-11-25')
    expect(peerOf(structuredClone(asked))).toBe(peerOf(structuredClone(asked)))
    const other = { ...asked, clientInfo: { name: 'another', version: '2' } }
    expect(peerOf(other)).toMatchObject({ info: { name: 'another', version: '2' } })
    for (let each = 0; each < 300; each++) peerOf({ ...asked, clientInfo: { name: `client ${each}`, version: '1' } })
    expect(peerOf(asked)).toMatchObject({ info: asked.clientInfo })
  })

  it('the peer cannot be changed afterwards', () => {
    const { session } = openServer()
    expect(Object.isFrozen(session.peer?.capabilities)).toBe(true)
    expect(Object.isFrozen(session.peer?.capabilities['roots'])).toBe(true)
    expect(session.hasPeerCapability('roots.listChanged')).toBe(true)
    expect(session.hasPeerCapability('sampling.tools')).toBe(false)
    expect(session.hasPeerCapability('constructor')).toBe(false)
  })

  it('C5 an older version is shown only capabilities it has', () => {
    const rig = makeRig('server', {
      capabilities: {
        tools: {},
        completions: {},
        tasks: { list: {} },
        extensions: { 'io.example/x': {} },
        experimental: { mine: {} },
      },
    })
    rig.link.request(1, 'initialize', initializeParams('2025-06-18'))
    const { capabilities } = rig.link.take()[0].result
    expect(capabilities.tasks).toBeUndefined()
    expect(capabilities.experimental).toEqual({ mine: {} })
  })

  it.each([
    [
      '2024-11-05',
      { roots: { listChanged: true }, sampling: { context: {} } },
      ['sampling.tools', 'elicitation', 'tasks'],
    ],
    [
      '2025-03-26',
      { roots: { listChanged: true }, sampling: { context: {} } },
      ['sampling.tools', 'elicitation', 'tasks'],
    ],
    [
      '2025-06-18',
      { roots: { listChanged: true }, sampling: { context: {} }, elicitation: {} },
      ['sampling.tools', 'elicitation.form', 'elicitation.url', 'tasks'],
    ],
    [
      '2025-11-25',
      {
        roots: { listChanged: true },
        sampling: { tools: {} },
        elicitation: { form: {}, url: {} },
        tasks: { list: {} },
      },
      [],
    ],
  ])(
    'a client of %s is only believed to have what its version has, and the rest is reported (X2)',
    (version, believed, lost) => {
      const declared = {
        roots: { listChanged: true },
        sampling: { tools: {} },
        elicitation: { form: {}, url: {} },
        tasks: { list: {} },
        extensions: { 'io.example/x': {} },
        experimental: { mine: {} },
        nobodys: { own: 1 },
      }
      const { link, session, events } = makeRig('server')
      link.request(1, 'initialize', { ...initializeParams(version), capabilities: declared })
      expect(session.peer?.capabilities).toEqual({
        ...believed,
        extensions: declared.extensions,
        experimental: declared.experimental,
        nobodys: { own: 1 },
      })
      const losses = lost.map((path) => ({
        rule: 'B-13',
        method: 'initialize',
        path: `capabilities.${path}`,
        severity: 'i',
        detail: expect.stringContaining(version),
      }))
      expect(session.losses()).toEqual(losses)
      expect(events.flatMap((event) => (event.type === 'loss' ? [event.loss] : []))).toEqual(losses)
    },
  )

  it('X2 what a client declared in vain is reported once, with the handshake that was taken', () => {
    let isReady = false
    const endpoint: Endpoint = {
      introduce: () => ({ info: { name: 's', version: '1' }, capabilities: {} }),
      answer: () => ({}),
      prepare: () => {
        if (!isReady) throw new ParleyError('refusal_unavailable')
        return undefined
      },
    }
    const { link, session } = makeRig('server', { endpoint })
    const params = initializeParams('2025-03-26', { elicitation: {} })
    link.request(1, 'initialize', params)
    expect(session.losses()).toEqual([])
    isReady = true
    link.request(2, 'initialize', params)
    expect(session.losses()).toHaveLength(1)
  })

  it('a client declares only what the version it asks for has', () => {
    const { link, session } = makeRig('client', {
      versions: ['2025-03-26'],
      capabilities: { elicitation: { form: {} }, roots: { listChanged: true } },
    })
    session.initialise().catch(() => {})
    const [{ params }] = link.take()
    expect(params.protocolVersion).toBe('2025-03-26')
    expect(params.capabilities.elicitation).toBeUndefined()
    expect(params.capabilities.roots).toEqual({ listChanged: true })
  })
})

describe('L1 L3 the client side of the handshake', () => {
  for (const version of handshakeVersions) {
    it(`accepts ${version} and says initialized`, async () => {
      const { session, link } = makeRig('client')
      const opening = session.initialise()
      const [{ id, method }] = link.take()
      expect(method).toBe('initialize')
      link.deliver({
        jsonrpc: '2.0',
        id,
        result: {
          protocolVersion: version,
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
          instructions: 'be kind',
        },
      })
      await opening
      expect(link.take()).toEqual([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
      expect(session.version).toBe(version)
      expect(session.peer).toMatchObject({ info: { name: 's' }, instructions: 'be kind' })
      expect(session.history.map(({ phase }) => phase)).toEqual(['pre_initialization', 'initializing', 'initialized'])
    })
  }

  for (const answered of ['2026-07-28', '2024-10-07', 'nonsense', 5, undefined]) {
    it(`V3 V5 disconnects when the server answers ${answered}, naming both sides`, async () => {
      const { session, link } = makeRig('client', { versions: ['2025-06-18', '2025-11-25'] })
      const opening = session.initialise()
      const [{ id }] = link.take()
      link.deliver({
        jsonrpc: '2.0',
        id,
        result: { protocolVersion: answered, capabilities: {}, serverInfo: { name: 's', version: '1' } },
      })
      await expect(opening).rejects.toMatchObject({
        kind: 'unsupported_protocol_version',
        message: expect.stringContaining('2025-06-18, 2025-11-25'),
      })
      expect(session.phase).toBe('closed')
      expect(session.history.map(({ phase }) => phase)).toContain('error')
      expect(link.closed).toBe(true)
    })
  }

  it.each([undefined, null, 7])('V3 V5 disconnects when the server names no version, but %s', async (answered) => {
    const { session, link } = makeRig('client')
    const opening = session.initialise()
    const [{ id }] = link.take()
    link.deliver({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: answered, capabilities: {}, serverInfo: { name: 's', version: '1' } },
    })
    await expect(opening).rejects.toMatchObject({
      kind: 'unsupported_protocol_version',
      message: expect.stringContaining('the server named no protocol version, this client speaks 2024-11-05'),
      data: { client: handshakeVersions },
    })
  })

  it('what the server sends right behind its answer is heard', async () => {
    const { session, link } = makeRig('client')
    const heard: string[] = []
    session.onNotification('*', (_, method) => heard.push(method))
    const opening = session.initialise()
    const [{ id }] = link.take()
    link.deliver({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2025-11-25', capabilities: { logging: {} }, serverInfo: { name: 's', version: '1' } },
    })
    link.notify('notifications/message', { level: 'info', data: 'hello' })
    await opening
    expect(heard).toEqual(['notifications/message'])
  })

  it('an error answer ends it with that error', async () => {
    const { session, link } = makeRig('client')
    const opening = session.initialise()
    link.deliver({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'Unsupported protocol version', data: { supported: ['2024-11-05'] } },
    })
    await expect(opening).rejects.toMatchObject({ code: -32602, message: 'Unsupported protocol version' })
    expect(session.phase).toBe('closed')
  })

  it('an answer without capabilities is no answer', async () => {
    const { session, link } = makeRig('client')
    const opening = session.initialise()
    link.deliver({ jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-11-25' } })
    await expect(opening).rejects.toMatchObject({ kind: 'invalid_answer' })
  })

  it('a second initialise is refused and leaves the session as it is', async () => {
    const { session } = await openClient()
    await expect(session.initialise()).rejects.toMatchObject({ kind: 'already_initialized' })
    expect(session.open).toBe(true)
  })

  it('a client without any handshake version cannot begin', async () => {
    const { session, link } = makeRig('client', { versions: ['2026-07-28'] })
    await expect(session.initialise()).rejects.toMatchObject({ kind: 'unsupported_protocol_version' })
    expect(link.take()).toEqual([])
  })
})

describe('L2 initialise time-outs', () => {
  it('a server gives a silent client 30 s', async () => {
    const { session, clock, link } = makeRig('server')
    let reason: Error | undefined
    session.onClose((why) => {
      reason = why
    })
    await clock.advance(29_999)
    expect(session.phase).toBe('initialization')
    await clock.advance(1)
    expect(session.phase).toBe('closed')
    expect(link.closed).toBe(true)
    expect(reason).toMatchObject({ kind: 'initialization_timeout', message: expect.stringContaining('30000 ms') })
    expect(clock.timers).toBe(0)
  })

  it('a client that never says initialized is given up, too', async () => {
    const { session, clock, link } = makeRig('server')
    link.request(1, 'initialize', initializeParams())
    await clock.advance(30_000)
    expect(session.phase).toBe('closed')
  })

  it('a completed handshake stops the time-out', async () => {
    const { session, clock } = openServer('2025-11-25', { keepAlive: false })
    await clock.advance(3_600_000)
    expect(session.phase).toBe('ready')
  })

  it('a client gives a silent server 10 s, or what it was told', async () => {
    for (const [initialiseTimeout, ms] of [
      [undefined, 10_000],
      ['3s', 3000],
    ] as const) {
      const { session, clock, link } = makeRig('client', initialiseTimeout === undefined ? {} : { initialiseTimeout })
      const opening = session.initialise()
      const outcome = expect(opening).rejects.toMatchObject({
        kind: 'initialization_timeout',
        message: expect.stringContaining(`${ms} ms`),
      })
      await clock.advance(ms)
      await outcome
      expect(session.phase).toBe('closed')
      // The specification forbids cancelling initialize.
      expect(link.take().map(({ method }) => method)).toEqual(['initialize'])
    }
  })
})

describe('L3 before, during and after the handshake', () => {
  it('everything but initialize and ping is refused before initialize', () => {
    const { link, asked } = makeRig('server')
    link.request(1, 'tools/list')
    link.request(2, 'ping')
    link.request(3, 'vendor/thing')
    link.notify('notifications/roots/list_changed')
    const [first, second, third, ...more] = link.take()
    expect(first).toMatchObject({
      id: 1,
      error: { code: -32600, data: { phase: 'initialization', 'parley/kind': 'not_initialized' } },
    })
    expect(second).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
    expect(third.error.code).toBe(-32600)
    expect(more).toEqual([])
    expect(asked).toEqual([])
  })

  it('a second initialize is refused and the session goes on', () => {
    const { link, session } = openServer()
    link.request(2, 'initialize', initializeParams('2024-11-05'))
    expect(link.take()).toMatchObject([
      { id: 2, error: { code: -32600, data: { 'parley/kind': 'already_initialized' } } },
    ])
    expect(session.version).toBe('2025-11-25')
    link.request(3, 'tools/list')
    expect(link.take()).toMatchObject([{ id: 3, result: { echo: {} } }])
  })

  it('requests of a client that forgot to say initialized are answered', () => {
    const { link } = makeRig('server')
    link.request(1, 'initialize', initializeParams())
    link.request(2, 'tools/list')
    expect(link.take().map(({ id }) => id)).toEqual([1, 2])
  })

  it('initialized before initialize, or twice, is counted and ignored', () => {
    const { link, session } = makeRig('server')
    link.notify('notifications/initialized')
    expect(session.phase).toBe('initialization')
    const opened = openServer()
    opened.link.notify('notifications/initialized')
    expect(opened.session.phase).toBe('ready')
    expect(opened.session.stats().ignored['initialized out of place']).toBe(1)
  })

  it('a client answers ping during the handshake and nothing else', async () => {
    const { link, session } = makeRig('client')
    session.initialise().catch(() => {})
    link.take()
    link.request('a', 'ping')
    link.request('b', 'roots/list')
    expect(link.take()).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', error: { code: -32600 } },
    ])
  })

  it('initialize sent to a client is not answered as a server would', async () => {
    const { link } = await openClient()
    link.request(9, 'initialize', initializeParams())
    expect(link.take()[0].error.code).toBe(-32601)
  })

  it('nothing can be asked before the handshake, and nothing after the end', async () => {
    const { session } = makeRig('client')
    await expect(session.request('tools/list')).rejects.toMatchObject({ kind: 'not_initialized' })
    expect(session.notify('notifications/roots/list_changed')).toBe(false)
    expect(session.can('tools/list')).toBe(false)
    await session.close()
    await expect(session.request('tools/list')).rejects.toMatchObject({ kind: 'session_closed' })
    await expect(session.initialise()).rejects.toMatchObject({ kind: 'session_closed' })
    await settled()
  })
})
