/** A client whose server is lost: when it comes back, what it does then, and what it says about it. */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../src/client.ts'
import { flush } from '../../src/testing.ts'
import { fleet } from './life.fixtures.ts'
import { begin, OK, outcomeOf, refused, SECOND, SILENT } from './life-reconnect.fixtures.ts'

describe('L6 the schedule', () => {
  it.each([
    [0, [1, 2, 4, 8, 16, 30, 30, 30, 30, 30]],
    [0.5, [1.1, 2.2, 4.4, 8.8, 17.6, 33, 33, 33, 33, 33]],
  ])(
    'is 1, 2, 4, 8, 16, 30 s and a little by chance (%d), ten times, and then the client gives up',
    async (chance, waits) => {
      const tried: number[] = []
      const servers = fleet((index) => {
        if (index > 0) tried.push(clock.now())
        return index === 0 ? OK : refused()
      })
      const { client, clock, states, clean } = await begin(servers, { random: () => chance })
      const lostAt = clock.now()
      servers.last.lose(new Error('cable cut'))
      expect(client.state).toBe('reconnecting')
      const asked = outcomeOf(client.call('anything', {}, { timeout: '1h' }))
      await clock.advance(3600 * SECOND - 1)
      expect(tried.map((at, index) => (at - (tried[index - 1] ?? lostAt)) / SECOND)).toEqual(waits)
      expect(await asked).toBe('connection_closed')
      expect(states).toEqual(['connected → reconnecting', 'reconnecting → closed'])
      await expect(client.tools()).rejects.toMatchObject({
        kind: 'connection_closed',
        message: expect.stringContaining('no program listens there'),
      })
      await clean()
    },
  )

  it('can be another one', async () => {
    const servers = fleet((index) => (index === 0 ? OK : refused()))
    const { client, clock, clean } = await begin(servers, { reconnect: { delays: ['5ms', 7], retries: 3 } })
    servers.last.lose()
    expect(client.health()).toMatchObject({ state: 'reconnecting', attempts: 0, nextAttemptAt: clock.now() + 5 })
    await clock.advance(5 + 7)
    expect(client.health()).toMatchObject({ state: 'reconnecting', attempts: 2, nextAttemptAt: clock.now() + 7 })
    await clock.advance(7)
    expect(client.state).toBe('closed')
    expect(servers.opened).toBe(4)
    await clean()
  })

  it('begins anew after a connection that lasted, and counts one that did not', async () => {
    const servers = fleet(() => OK)
    const { client, clock, clean } = await begin(servers, { reconnect: { retries: 3 } })
    for (const wait of [1, 2, 4]) {
      servers.last.lose()
      await clock.advance(wait * SECOND - 1)
      expect(client.state).toBe('reconnecting')
      await clock.advance(1)
      expect(client.state).toBe('connected')
    }
    await clock.advance(30 * SECOND)
    servers.last.lose()
    await clock.advance(SECOND)
    expect(client.state).toBe('connected')
    for (const wait of [2, 4]) {
      servers.last.lose()
      await clock.advance(wait * SECOND)
    }
    // A server that dies again and again is not worth a fourth attempt.
    servers.last.lose()
    expect(client.state).toBe('closed')
    await clean()
  })

  it('does not knock again at a door that wants other credentials', async () => {
    const servers = fleet((index) => (index === 0 ? OK : new ParleyError('unauthorized')))
    const { client, clock, clean } = await begin(servers)
    servers.last.lose()
    await clock.advance(SECOND)
    expect(client.state).toBe('closed')
    expect(servers.opened).toBe(2)
    await clean()
  })

  it('does not wait when the server is there and has only forgotten the session', async () => {
    const servers = fleet(() => OK)
    const { client, clock, clean } = await begin(servers)
    servers.last.lose(new ParleyError('session_lost'))
    await clock.advance(0)
    expect(client.state).toBe('connected')
    // It forgets too easily.
    servers.last.lose(new ParleyError('session_lost'))
    await clock.advance(0)
    expect(client.state).toBe('reconnecting')
    await clean()
  })

  it('takes a handshake that fails, or a server that goes at once, for a failed attempt', async () => {
    const servers = fleet((index) => {
      if (index === 1) return { answers: { initialize: () => ({ error: { code: -32603, message: 'starting' } }) } }
      if (index === 2) return { answers: { initialize: () => undefined } }
      return OK
    })
    const { client, clock, reports, clean } = await begin(servers)
    servers.last.lose()
    await clock.advance(SECOND)
    await clock.advance(2 * SECOND)
    expect(servers.generations).toHaveLength(3)
    await clock.advance(10 * SECOND)
    await clock.advance(4 * SECOND)
    expect(client.state).toBe('connected')
    expect(reports).toMatchObject([{ attempts: 3, downFor: 17 * SECOND }])
    expect(servers.generations.map(({ closed }) => closed)).toEqual([true, true, true, false])
    await clean()
  })
})

describe('L6 coming back', () => {
  it('restores log level, subscriptions and handlers, and has everything read again', async () => {
    const servers = fleet(() => OK)
    const logged: unknown[] = []
    const { client, clock, states, reports, clean } = await begin(servers, { onLog: ({ data }) => logged.push(data) })
    const heard: string[] = []
    await client.setLogLevel('warning')
    const kept = await client.subscribe('a://x', (uri) => heard.push(uri))
    const given = await client.subscribe('a://y', (uri) => heard.push(uri))
    await given.unsubscribe()
    client.onListChanged('tools', () => heard.push('tools'))
    const stop = client.onListChanged('prompts', () => heard.push('prompts'))
    stop()

    const before = client.session
    servers.last.lose(new Error('cable cut'))
    await clock.advance(SECOND)
    expect(states).toEqual(['connected → reconnecting', 'reconnecting → connected'])
    expect(client.session).not.toBe(before)
    const now = servers.last
    expect(now.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'resources/subscribe',
      'logging/setLevel',
    ])
    expect(now.of('resources/subscribe')[0]?.params).toEqual({ uri: 'a://x' })
    expect(now.of('logging/setLevel')[0]?.params).toEqual({ level: 'warning' })
    expect(heard).toEqual(['tools', 'a://x'])
    expect(reports).toEqual([
      {
        cause: 'lost',
        reason: expect.objectContaining({ message: 'cable cut' }),
        attempts: 1,
        downFor: SECOND,
        failed: [],
        retried: [],
        notRestored: [],
        logLevelError: undefined,
        presumed: [
          { method: 'notifications/tools/list_changed' },
          // The client itself follows these on behalf of its subscriptions.
          { method: 'notifications/resources/updated', uri: 'a://x' },
        ],
        version: { before: '2025-11-25', after: '2025-11-25' },
      },
    ])

    now.notify('notifications/resources/updated', { uri: 'a://x' })
    now.notify('notifications/message', { level: 'error', data: 'still here' })
    now.notify('notifications/prompts/list_changed')
    await client.ping()
    expect(heard).toEqual(['tools', 'a://x', 'a://x'])
    expect(logged).toEqual(['still here'])
    expect(client.health()).toMatchObject({ state: 'connected', alive: true, reconnects: 1, waiting: 0, attempts: 0 })
    await kept.unsubscribe()
    expect(now.of('resources/unsubscribe')).toHaveLength(1)
    await clean()
  })

  it('says what the server did not give back', async () => {
    const gone = { error: { code: -32002, message: 'no such thing' } }
    const servers = fleet((index) =>
      index === 1
        ? { answers: { ...OK.answers, 'resources/subscribe': () => gone, 'logging/setLevel': () => gone } }
        : OK,
    )
    const { client, clock, reports, clean } = await begin(servers)
    await client.setLogLevel('debug')
    const subscription = await client.subscribe('a://x', () => {})
    servers.last.lose()
    await clock.advance(SECOND)
    expect(reports).toMatchObject([
      {
        notRestored: [{ uri: 'a://x', error: { message: 'no such thing' } }],
        logLevelError: { message: 'no such thing' },
      },
    ])
    // It is wanted all the same, and tried again.
    servers.last.lose()
    await clock.advance(2 * SECOND)
    expect(reports[1]).toMatchObject({ notRestored: [], logLevelError: undefined })
    expect(servers.last.of('resources/subscribe')).toHaveLength(1)
    await subscription.unsubscribe()
    expect(servers.last.of('resources/unsubscribe')).toHaveLength(1)
    await clean()
  })

  it('does not unsubscribe from what the server never took again', async () => {
    const servers = fleet((index) => (index === 0 ? OK : { capabilities: { tools: {} } }))
    const { client, clock, reports, clean } = await begin(servers)
    const subscription = await client.subscribe('a://x', () => {})
    servers.last.lose()
    await clock.advance(SECOND)
    expect(reports[0]?.notRestored).toMatchObject([{ uri: 'a://x', error: { kind: 'capability_not_supported' } }])
    await subscription.unsubscribe()
    expect(servers.last.of('resources/unsubscribe')).toEqual([])
    await clean()
  })

  it('speaks another version from then on when the server does', async () => {
    const servers = fleet((index) => ({
      ...OK,
      version: index === 0 ? '2025-11-25' : '2024-11-05',
      answers: { ...OK.answers, 'completion/complete': () => ({ completion: { values: [] } }) },
    }))
    const { client, clock, reports, clean } = await begin(servers)
    servers.last.lose()
    await clock.advance(SECOND)
    expect(client.version).toBe('2024-11-05')
    expect(reports[0]?.version).toEqual({ before: '2025-11-25', after: '2024-11-05' })
    // B-11: the older version has no place for what was filled in already, and translation says so.
    await client.complete({ prompt: 'p' }, { name: 'a', value: '' }, { b: '1' })
    expect(servers.last.of('completion/complete')[0]?.params).not.toHaveProperty('context')
    expect(client.losses().length).toBeGreaterThan(0)
    await clean()
  })

  it('forgets what the tools promised, because another server may stand there', async () => {
    const strict = {
      name: 't',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } },
    }
    const servers = fleet(() => ({ answers: { ...OK.answers, 'tools/list': () => ({ tools: [strict] }) } }))
    const { client, clock, clean } = await begin(servers)
    await client.tools()
    await expect(client.call('t')).rejects.toMatchObject({ kind: 'invalid_answer' })
    servers.last.lose()
    await clock.advance(SECOND)
    expect((await client.call('t')).text).toBe('t')
    await clean()
  })

  it('L7 stays paused', async () => {
    const servers = fleet(() => OK)
    const { client, clock, clean } = await begin(servers)
    const heard: string[] = []
    client.onNotification('notifications/message', ({ level }) => heard.push(level))
    client.pause()
    servers.last.lose()
    await clock.advance(SECOND)
    servers.last.notify('notifications/message', { level: 'info', data: '' })
    await client.ping()
    expect(client.health().paused).toBe(true)
    expect(heard).toEqual([])
    client.resume()
    expect(heard).toEqual(['info'])
    await clean()
  })

  it('observers that throw harm nobody, and are reported', async () => {
    const servers = fleet(() => OK)
    const errors: string[] = []
    const { client, clock, states, reports, clean } = await begin(servers, {
      onError: (_, { during }) => errors.push(during),
    })
    const fail = () => {
      throw new Error('mine')
    }
    for (const observe of [client.onState.bind(client), client.onReconnect.bind(client)]) observe(fail)
    client.onReconnect(async () => fail())
    client.onListChanged('tools', fail)
    client.onListChanged('tools', async () => fail())
    client.onState(({ to }) => states.push(to))
    servers.last.lose()
    await clock.advance(SECOND)
    expect(client.state).toBe('connected')
    expect(states).toEqual(['connected → reconnecting', 'reconnecting', 'reconnecting → connected', 'connected'])
    expect(reports).toHaveLength(1)
    expect(new Set(errors)).toEqual(
      new Set(['state observer', 'reconnect observer', 'handler of notifications/tools/list_changed']),
    )
    await clean()
  })
})

describe('L6 requests that were waiting for their answer', () => {
  it('fail at once, except those that can be made twice', async () => {
    const tools = ['reads', 'repeats', 'acts'].map((name) => ({
      name,
      inputSchema: { type: 'object' },
      ...(name === 'reads'
        ? { annotations: { readOnlyHint: true } }
        : name === 'repeats'
          ? { annotations: { idempotentHint: true } }
          : {}),
    }))
    const servers = fleet((index) =>
      index === 0 ? { answers: { ...SILENT.answers, 'tools/list': () => ({ tools }) } } : OK,
    )
    const { client, clock, reports, clean } = await begin(servers)
    await client.tools()
    const [acts, unknown, vendor] = [
      client.call('acts'),
      client.call('unheard of'),
      client.request('vendor/thing'),
    ].map(outcomeOf)
    const [reads, repeats] = [client.call('reads'), client.call('repeats')]
    const reading = client.read('a://x')
    const since = clock.now()
    servers.last.lose(new Error('cable cut'))
    expect([await acts, await unknown, await vendor]).toEqual([
      'connection_closed',
      'connection_closed',
      'connection_closed',
    ])
    expect(client.health()).toMatchObject({ pending: 0, waiting: 3 })
    await clock.advance(SECOND)
    expect([(await reads).text, (await repeats).text, (await reading).contents]).toEqual([
      'reads',
      'repeats',
      [{ uri: 'a://x', text: 'fresh' }],
    ])
    const listed = (method: string) => ({ id: expect.any(Number), method, startedAt: since })
    expect(reports[0]?.failed).toEqual([listed('tools/call'), listed('tools/call'), listed('vendor/thing')])
    expect(reports[0]?.retried).toEqual([listed('tools/call'), listed('tools/call'), listed('resources/read')])
    await clean()
  })

  it('all fail when nothing may be made twice', async () => {
    const servers = fleet((index) => (index === 0 ? SILENT : OK))
    const { client, clock, reports, clean } = await begin(servers, { reconnect: { retry: false } })
    const reading = outcomeOf(client.read('a://x'))
    servers.last.lose()
    expect(await reading).toBe('connection_closed')
    await clock.advance(SECOND)
    expect(servers.last.of('resources/read')).toEqual([])
    expect(reports[0]).toMatchObject({ failed: [{ method: 'resources/read' }], retried: [] })
    await clean()
  })

  it('are made again once: one that kills the server does so no more than twice', async () => {
    const servers = fleet(() => SILENT)
    const { client, clock, reports, clean } = await begin(servers)
    const reading = outcomeOf(client.read('a://deadly'))
    servers.last.lose()
    await clock.advance(SECOND)
    expect(servers.last.of('resources/read')).toHaveLength(1)
    servers.last.lose()
    expect(await reading).toBe('connection_closed')
    await clock.advance(2 * SECOND)
    expect(servers.last.of('resources/read')).toEqual([])
    expect(reports.map(({ failed, retried }) => [failed.length, retried.length])).toEqual([
      [0, 1],
      [1, 0],
    ])
    await clean()
  })

  it('are made again whatever they do when the server cannot have seen them', async () => {
    const servers = fleet((index) => (index === 0 ? SILENT : OK))
    const { client, clock, reports, clean } = await begin(servers)
    const acting = client.call('acts')
    const [sent] = client.pending()
    const lost = new ParleyError('session_lost')
    servers.last.fail(sent?.id as number, lost)
    servers.last.lose(lost)
    await clock.advance(0)
    expect((await acting).text).toBe('acts')
    expect(reports[0]).toMatchObject({
      failed: [],
      retried: [{ method: 'tools/call' }],
      reason: { kind: 'session_lost' },
    })

    servers.last.refuseFrames(new ParleyError('transport_error', { message: 'The link is closed' }))
    const again = client.call('acts again')
    await flush()
    expect(client.state).toBe('reconnecting')
    await clock.advance(2 * SECOND)
    expect((await again).text).toBe('acts again')
    await clean()
  })

  it('the result is turned into what the caller wanted, also of a call that was made again', async () => {
    const failing = {
      answers: { ...OK.answers, 'tools/call': () => ({ isError: true, content: [{ type: 'text', text: 'sorry' }] }) },
    }
    const listing = {
      answers: {
        ...SILENT.answers,
        'tools/list': () => ({
          tools: [{ name: 't', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
        }),
      },
    }
    const servers = fleet((index) => (index === 0 ? listing : failing))
    const { client, clock, clean } = await begin(servers)
    await client.tools()
    const thrown = client.call('t').catch((error: unknown) => error)
    const given = client.call('t', {}, { throwOnError: false })
    servers.last.lose()
    await clock.advance(SECOND)
    expect(await thrown).toMatchObject({ name: 'ToolError', message: 'sorry' })
    expect(await given).toMatchObject({ isError: true, text: 'sorry' })
    await clean()
  })
})
