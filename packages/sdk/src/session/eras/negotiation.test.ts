import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import { handshakeVersions, versions } from '../../versions/index.ts'
import { everything } from '../session.fixtures.ts'
import { LostInDiscovery, refusedHandshake } from './discovery.ts'
import {
  begun,
  type ClientRig,
  discovery,
  NAMES,
  of,
  openStateless,
  settled,
  shakeHands,
} from './stateless/client/client.fixtures.ts'

describe('V4 a server of the stateless era', () => {
  it('is asked who it is, in the newest version, with the envelope', async () => {
    const { rig, opening } = begun()
    expect(rig.link.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'server/discover',
        params: {
          _meta: {
            [`${NAMES}protocolVersion`]: '2026-07-28',
            [`${NAMES}clientInfo`]: { name: 'c', version: '1' },
            [`${NAMES}clientCapabilities`]: { elicitation: {}, sampling: {}, roots: {} },
          },
        },
      },
    ])
    rig.link.answer(1, discovery({ instructions: 'Be kind', ttlMs: 5000, cacheScope: 'public' }))
    await opening
    expect(rig.session).toMatchObject({ version: '2026-07-28', era: 'stateless', phase: 'initialized', open: true })
    expect(rig.session.peer).toEqual({
      info: { name: 'peer', version: '2' },
      capabilities: everything,
      instructions: 'Be kind',
      ttlMs: 5000,
      cacheScope: 'public',
    })
    expect(Object.isFrozen(rig.session.peer?.capabilities)).toBe(true)
    expect(rig.session.history.map(({ event }) => event)).toEqual(['start', 'initialize', 'accept'])
    expect(rig.events).toContainEqual({ type: 'negotiated', requested: '2026-07-28', version: '2026-07-28' })
  })

  it('hears nothing more: no notification, no pings, and the link is not told a version', async () => {
    const { link, clock } = await openStateless()
    await clock.advance(120_000)
    expect(link.sent).toEqual([])
    expect(link.versions).toEqual([])
    expect(clock.timers).toBe(0)
  })

  it('may introduce itself in the body, or not at all', async () => {
    const inBody = await openStateless({ discovered: { _meta: undefined, serverInfo: { name: 'mock', version: '7' } } })
    expect(inBody.session.peer?.info).toEqual({ name: 'mock', version: '7' })
    const silent = await openStateless({ discovered: { _meta: undefined, capabilities: undefined } })
    expect(silent.session.peer).toMatchObject({ info: { name: 'unknown', version: '0' }, capabilities: {} })
  })

  it('D-41 capabilities of the handshake era mean nothing from it', async () => {
    const { session } = await openStateless({ discovered: { capabilities: { tools: {}, tasks: { list: {} } } } })
    expect(session.peer?.capabilities).toEqual({ tools: {} })
  })

  it('D-40, D-41 extensions that neither side can hear of in this version are reported', async () => {
    const capabilities = { extensions: { mine: {}, odd: true } } as never
    const { session } = await openStateless({
      capabilities,
      discovered: { capabilities: { extensions: { theirs: {}, strange: 'x' } } },
    })
    expect(session.peer?.capabilities).toEqual({ extensions: { theirs: {} } })
    expect(session.losses().map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      'D-41 capabilities.extensions.strange',
      'D-40 capabilities.extensions.odd',
    ])
  })

  it('D-60 is told in headers as well where messages have headers', async () => {
    const { rig } = begun({ mirrors: true })
    expect(rig.link.headers).toEqual([{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }])
  })

  it('that refuses the first request and names the version it was made in is asked once more', async () => {
    const run = begun()
    run.rig.link.refuse(1, -32022, { supported: ['2026-07-28'], requested: '2026-07-28' })
    await settled()
    expect(of(run.rig, 'server/discover')).toHaveLength(2)
    run.rig.link.answer(2, discovery())
    await run.opening
    expect(run.outcome.value).toBe('2026-07-28')
  })

  it('that refuses it twice is not asked a third time', async () => {
    const run = begun()
    run.rig.link.refuse(1, -32022, { supported: ['2026-07-28'] })
    await settled()
    run.rig.link.refuse(2, -32022, { supported: ['2026-07-28'] })
    await run.opening
    expect(of(run.rig, 'initialize')).toEqual([])
    expect(run.outcome.error).toMatchObject({
      kind: 'unsupported_protocol_version',
      data: { server: ['2026-07-28'], client: [...versions] },
    })
  })

  it.each([-32020, -32021])('error %i is its last word: there is no falling back from it', async (code) => {
    const run = begun()
    run.rig.link.refuse(1, code, undefined, 'because')
    await run.opening
    expect(run.outcome.error).toMatchObject({ code, message: 'because' })
    expect(of(run.rig, 'initialize')).toEqual([])
    expect(run.rig.link.closed).toBe(true)
  })
})

describe('D-65 a server of the handshake era', () => {
  it.each([
    ['an unknown method', -32601, undefined],
    ['bad parameters', -32602, undefined],
    ['no session', -32000, undefined],
    ['an older version', -32602, { supported: ['2025-11-25'], requested: '2026-07-28' }],
    ['a version it does not name', -32022, undefined],
    ['a code of its own', 4711, 'text'],
  ])('that answers with %s is met with the handshake on the same link', async (_, code, data) => {
    const run = begun()
    run.rig.link.refuse(1, code, data)
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
    expect(run.rig.session.era).toBe('handshake')
    expect(run.rig.link.sent.map(({ method }) => method)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ])
    expect(run.rig.link.versions).toEqual(['2025-11-25'])
    expect(run.rig.link.sent[1].params).not.toHaveProperty('_meta')
  })

  it.each([
    ['without versions', { serverInfo: { name: 'x', version: '1' } }],
    ['with versions that are no list', { supportedVersions: '2026-07-28' }],
    ['that is empty', {}],
  ])('may answer it with a result %s', async (_, result) => {
    const run = begun()
    run.rig.link.answer(1, result)
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
  })

  it.each([
    [
      'in its answer',
      (rig: ClientRig) => rig.link.answer(1, discovery({ supportedVersions: ['2025-11-25', '2025-06-18'] })),
    ],
    ['in an error', (rig: ClientRig) => rig.link.refuse(1, -32022, { supported: ['2025-11-25'] })],
    ['in an error of a draft', (rig: ClientRig) => rig.link.refuse(1, -32004, { supported: ['2025-11-25'] })],
  ])('may name its versions %s', async (_, say) => {
    const run = begun()
    say(run.rig)
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
  })

  it.each([400, 404, 405, 406, 410, 415])('may refuse it with HTTP %i', async (status) => {
    const run = begun()
    run.rig.link.fail(1, new ParleyError('transport_error', { message: `answered ${status}`, data: { status } }))
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
  })

  it('may answer it over HTTP with something that is no answer', async () => {
    const run = begun()
    run.rig.link.fail(1, new ParleyError('invalid_answer', { message: 'sent text/html' }))
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
  })

  it('that names only versions nobody here speaks is refused, with both sides named', async () => {
    for (const say of [
      (rig: ClientRig) => rig.link.answer(1, discovery({ supportedVersions: ['2030-01-01', 7] })),
      (rig: ClientRig) => rig.link.refuse(1, -32022, { supported: ['2030-01-01', 7] }),
    ]) {
      const run = begun()
      say(run.rig)
      await run.opening
      expect(run.outcome.error).toMatchObject({
        kind: 'unsupported_protocol_version',
        message: `No common protocol version: the server speaks 2030-01-01, number, this client speaks ${versions.join(', ')}`,
      })
    }
  })
})

describe('V4 what says nothing about the era', () => {
  it.each([
    new ParleyError('unauthorized', { message: '401', data: { status: 401 } }),
    new ParleyError('forbidden', { message: '403', data: { status: 403 } }),
    new ParleyError('rate_limited', { message: '429', data: { status: 429 } }),
    new ParleyError('transport_error', { message: '500', data: { status: 500 } }),
    new ParleyError('transport_error', { message: '503', data: { status: 503 } }),
    new ParleyError('transport_error', { message: 'ECONNREFUSED' }),
  ])('$message ends the attempt', async (error) => {
    const run = begun()
    run.rig.link.fail(1, error)
    await run.opening
    expect(run.outcome.error).toBe(error)
    expect(of(run.rig, 'initialize')).toEqual([])
    expect(run.rig.clock.timers).toBe(0)
  })

  it('a link that ends for a reason that another link would meet as well', async () => {
    for (const kind of ['unauthorized', 'forbidden'] as const) {
      const run = begun()
      const reason = new ParleyError(kind)
      run.rig.link.hangUp(reason)
      await run.opening
      expect(run.outcome.error).toBe(reason)
      expect(run.outcome.error instanceof LostInDiscovery).toBe(false)
    }
  })
})

describe('D-65 a link that ends', () => {
  it('can be told from other failures: a new one may do with the handshake', async () => {
    const run = begun()
    run.rig.link.hangUp(new ParleyError('connection_closed', { message: 'exit code 1' }))
    await run.opening
    expect(run.outcome.error).toMatchObject({
      kind: 'connection_closed',
      message: expect.stringContaining('exit code 1'),
    })
    expect(run.outcome.error instanceof LostInDiscovery).toBe(true)
  })

  it('without a reason, too, and while the handshake is tried beside the question', async () => {
    const run = begun()
    await run.rig.clock.advance(2000)
    run.rig.link.hangUp()
    await run.opening
    expect(run.outcome.error instanceof LostInDiscovery).toBe(true)
  })

  it.each([
    ['the server is known to be of the stateless era', {}, 'stateless' as const],
    ['nothing else is spoken', { versions: ['2026-07-28' as const] }, undefined],
  ])('is an ordinary loss when %s', async (_, options, era) => {
    const run = begun(options, era)
    run.rig.link.hangUp()
    await run.opening
    expect(run.outcome.error).toMatchObject({ kind: 'connection_closed' })
    expect(run.outcome.error instanceof LostInDiscovery).toBe(false)
  })

  it('is an ordinary loss after the server has answered the question', async () => {
    const run = begun()
    run.rig.link.refuse(1, -32601)
    await settled()
    run.rig.link.hangUp()
    await run.opening
    expect(run.outcome.error instanceof LostInDiscovery).toBe(false)
  })
})

describe('V4 when there is nothing to find out', () => {
  it('versions of the handshake era only: no question', async () => {
    const run = begun({ versions: handshakeVersions })
    expect(run.rig.link.sent.map(({ method }) => method)).toEqual(['initialize'])
    await shakeHands(run)
  })

  it('a server known to be of the handshake era: no question', async () => {
    const run = begun({}, 'handshake')
    expect(run.rig.link.sent.map(({ method }) => method)).toEqual(['initialize'])
    run.rig.link.refuse(1, -32022, { supported: ['2026-07-28'] })
    await run.opening
    expect(refusedHandshake(run.outcome.error)).toBe(true)
  })

  it('versions of the stateless era only: an older server gets no handshake, and the error names both sides', async () => {
    const run = begun({ versions: ['2026-07-28'] })
    run.rig.link.refuse(1, -32601, undefined, 'Method not found')
    await run.opening
    expect(of(run.rig, 'initialize')).toEqual([])
    expect(run.outcome.error).toMatchObject({
      kind: 'unsupported_protocol_version',
      message:
        'No common protocol version: the server speaks only versions that begin with a handshake ' +
        '(it answered server/discover with the error -32601 "Method not found"), this client speaks 2026-07-28',
    })
  })

  it('versions of the stateless era only: silence is waited out', async () => {
    const run = begun({ versions: ['2026-07-28'] })
    await run.rig.clock.advance(10_000)
    expect(of(run.rig, 'initialize')).toEqual([])
    expect(run.outcome.error).toMatchObject({
      kind: 'initialization_timeout',
      message: 'The server did not answer server/discover within 10000 ms',
    })
  })

  it('a server known to be of the stateless era that has become older is met with the handshake', async () => {
    const run = begun({}, 'stateless')
    run.rig.link.refuse(1, -32601)
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
  })

  it('a session begins once', async () => {
    const { session } = await openStateless()
    await expect(session.begin()).rejects.toMatchObject({ kind: 'already_initialized' })
    await expect(session.initialise()).rejects.toMatchObject({ kind: 'already_initialized' })
    await session.close()
    await expect(session.begin()).rejects.toMatchObject({ kind: 'session_closed' })
  })
})
