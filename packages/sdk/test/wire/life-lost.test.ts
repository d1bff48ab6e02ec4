/** What happens while a connection is gone, silent, used up, or stays lost. */
import { describe, expect, it } from 'vitest'
import type { RawServerOptions } from '../../src/client/raw-server.fixtures.ts'
import { connect, type Link, ParleyError, type ReconnectReport } from '../../src/client.ts'
import { createServer, tool } from '../../src/server.ts'
import { fakeClock, flush, leaks } from '../../src/testing.ts'
import { fleet } from './life.fixtures.ts'
import { begin, OK, outcomeOf, refused, SECOND, SILENT } from './life-reconnect.fixtures.ts'

describe('L4 requests while there is no connection', () => {
  it('wait, and are sent in order', async () => {
    const servers = fleet(() => OK)
    const { client, clock, clean } = await begin(servers)
    servers.last.lose()
    const asked = ['one', 'two', 'three'].map((name) => client.call(name))
    expect(client.health().waiting).toBe(3)
    expect(client.notify('notifications/roots/list_changed')).toBe(false)
    await clock.advance(SECOND)
    expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    expect(servers.last.of('tools/call').map(({ params }) => params?.['name'])).toEqual(['one', 'two', 'three'])
    await clean()
  })

  it('are bounded in number, in time, and by their caller', async () => {
    const servers = fleet((index) => (index === 0 ? OK : refused()))
    const { client, clock, clean } = await begin(servers, { reconnect: { maxWaiting: 3 } })
    servers.last.lose()
    const abort = new AbortController()
    const outcomes = [
      client.call('patient', {}, { timeout: '10s' }),
      client.call('hasty', {}, { timeout: '2s' }),
      client.call('given up', {}, { signal: abort.signal }),
      client.call('one too many'),
      client.call('never wanted', {}, { signal: AbortSignal.abort() }),
    ].map(outcomeOf)
    abort.abort()
    await clock.advance(2 * SECOND)
    expect(client.health().waiting).toBe(1)
    await clock.advance(8 * SECOND)
    expect(await Promise.all(outcomes)).toEqual([
      'request_timeout',
      'request_timeout',
      'request_cancelled',
      'too_many_requests',
      'request_cancelled',
    ])
    await expect(client.call('nonsense', {}, { timeout: 'soon' as never })).rejects.toThrow(/Not a duration/)
    await clean()
  })

  it('can subscribe, once', async () => {
    const servers = fleet(() => OK)
    const { client, clock, clean } = await begin(servers)
    servers.last.lose()
    const subscribing = client.subscribe('a://x', () => {})
    await clock.advance(SECOND)
    await subscribing
    expect(servers.last.of('resources/subscribe')).toHaveLength(1)
    await clean()
  })

  it('fail when the client is closed meanwhile, and nothing is left behind', async () => {
    let arrive: (options: RawServerOptions) => void = () => {}
    const late = new Promise<RawServerOptions>((resolve) => {
      arrive = resolve
    })
    const servers = fleet((index) => (index === 0 ? OK : late))
    const { client, clock, clean } = await begin(servers)
    servers.last.lose()
    const asked = outcomeOf(client.call('x'))
    await clock.advance(SECOND)
    expect(servers.opened).toBe(2)
    await clean()
    expect(await asked).toBe('session_closed')
    expect(client.state).toBe('closed')
    // The link that was being opened comes too late, and is hung up on.
    arrive(OK)
    await flush()
    expect(servers.last.closed).toBe(true)
    expect(servers.last.received).toEqual([])
  })

  it('an observer may close the client', async () => {
    const servers = fleet(() => OK)
    const { client, clock } = await begin(servers)
    client.onState(({ to }) => void (to === 'reconnecting' && client.close()))
    servers.last.lose()
    await clock.advance(3600 * SECOND)
    expect(servers.opened).toBe(1)
    expect(leaks(client, clock)).toEqual([])
  })
})

describe('L5 a server that is there and does not answer', () => {
  it('is given up by keep-alive when a request has had its time, and another connection is made', async () => {
    const servers = fleet(() => OK)
    const { client, clock, reports, clean } = await begin(servers, { keepAlive: {} })
    servers.last.stall()
    const late = outcomeOf(client.call('acts'))
    // Until then it may be busy with it.
    await clock.advance(60 * SECOND)
    expect(await late).toBe('request_timeout')
    const reading = client.read('a://x')
    const acting = outcomeOf(client.call('acts'))
    await clock.advance(10 * SECOND)
    expect(client.state).toBe('connected')
    await clock.advance(10 * SECOND)
    expect(client.state).toBe('reconnecting')
    expect(await acting).toBe('peer_unresponsive')
    await clock.advance(SECOND)
    expect((await reading).contents).toEqual([{ uri: 'a://x', text: 'fresh' }])
    expect(reports).toMatchObject([
      {
        reason: { kind: 'peer_unresponsive' },
        failed: [{ method: 'tools/call' }],
        retried: [{ method: 'resources/read' }],
      },
    ])
    await clean()
  })

  it('is asked at once when a message did not get through, and given up when that fails, too', async () => {
    const servers = fleet((index) => (index === 0 ? SILENT : OK))
    const { client, clock, clean } = await begin(servers)
    const reading = client.read('a://x')
    const acting = outcomeOf(client.call('acts'))
    const [read, act] = client.pending()
    servers.last.stall()
    servers.last.fail(act?.id as number, refused())
    servers.last.fail(read?.id as number, refused())
    expect(await acting).toBe('transport_error')
    expect(client.state).toBe('connected')
    await clock.advance(10 * SECOND)
    expect(client.state).toBe('reconnecting')
    await clock.advance(SECOND)
    expect((await reading).contents).toEqual([{ uri: 'a://x', text: 'fresh' }])
    await clean()
  })

  it('is kept when it answers: what can be made twice is, on the same session', async () => {
    let asked = 0
    const flaky = { answers: { ...OK.answers, 'resources/read': () => (asked++ === 0 ? undefined : { contents: [] }) } }
    const servers = fleet(() => flaky)
    const { client, states, clean } = await begin(servers)
    const reading = client.read('a://x')
    servers.last.fail(client.pending()[0]?.id as number, refused())
    expect((await reading).contents).toEqual([])
    expect(states).toEqual([])
    expect(servers.opened).toBe(1)
    await clean()
  })

  it('is asked at once when it says that the session has ended, and what can be made twice is made again on another', async () => {
    const servers = fleet((index) => (index === 0 ? SILENT : OK))
    const { client, clock, reports, clean } = await begin(servers)
    const reading = client.read('a://x')
    const acting = outcomeOf(client.call('acts'))
    const requests = client.pending()
    const { last } = servers
    last.stall()
    for (const { id } of requests)
      last.tell({ id, error: { code: -32600, message: 'It ended', data: { 'parley/kind': 'session_closed' } } })
    expect(await acting).toBe('connection_closed')
    last.lose(new ParleyError('session_lost'))
    await clock.advance(0)
    expect((await reading).contents).toEqual([{ uri: 'a://x', text: 'fresh' }])
    expect(reports).toMatchObject([{ failed: [{ method: 'tools/call' }], retried: [{ method: 'resources/read' }] }])
    await clean()
  })

  it("what concerns one request alone is that request's affair", async () => {
    const servers = fleet(() => SILENT)
    const { client, clean } = await begin(servers)
    const reading = outcomeOf(client.read('a://x'))
    servers.last.fail(client.pending()[0]?.id as number, new ParleyError('forbidden'))
    expect(await reading).toBe('forbidden')
    expect(servers.last.of('ping')).toEqual([])
    await clean()
  })
})

describe('M3 a session whose request ids run out', () => {
  it('is replaced before, without a gap: what waits on the old one is answered there', async () => {
    const servers = fleet((index) =>
      index === 0
        ? {
            answers: {
              ...OK.answers,
              'tools/call': ({ name }) => (name === 'slow' ? undefined : OK.answers?.['tools/call']?.({ name }, {})),
            },
          }
        : OK,
    )
    const { client, clock, states, reports, clean } = await begin(servers, { maxRequestId: 50 })
    const heard: string[] = []
    await client.subscribe('a://x', (uri) => heard.push(uri))
    const slow = client.call('slow')
    const [old] = servers.generations
    for (let count = 3; count < 48; count++) await client.call('fast')
    expect(servers.opened).toBe(1)
    await client.call('the 48th')
    await clock.advance(0)
    expect(servers.opened).toBe(2)
    expect(states).toEqual([])
    await client.call('after')
    expect(servers.last.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'resources/subscribe',
      'tools/call',
    ])
    expect(reports).toMatchObject([
      { cause: 'renewed', failed: [], retried: [], notRestored: [], presumed: [], downFor: 0 },
    ])
    expect(heard).toEqual([])

    expect(old?.closed).toBe(false)
    old?.notify('notifications/resources/updated', { uri: 'a://x' })
    const asked = old?.of('tools/call').find(({ params }) => params?.['name'] === 'slow')
    old?.send({ id: asked?.id as number, result: { content: [{ type: 'text', text: 'at last' }] } })
    expect((await slow).text).toBe('at last')
    await flush()
    expect(old?.closed).toBe(true)
    expect(heard).toEqual(['a://x'])
    expect(client.state).toBe('connected')
    await clean()
  })

  it('also in this process, where a lost connection stays lost', async () => {
    const server = createServer({ name: 's', version: '1' }).add(tool('t', {}, () => 'yes'))
    const reports: ReconnectReport[] = []
    const client = await connect(server, { maxRequestId: 20, version: '2025-11-25' })
    client.onReconnect((report) => reports.push(report))
    for (let count = 0; count < 100; count++) {
      expect((await client.call('t')).text).toBe('yes')
      await flush()
    }
    expect(reports.map(({ cause }) => cause)).toEqual(['renewed', 'renewed', 'renewed', 'renewed', 'renewed'])
    expect(server.sessions).toHaveLength(1)
    await client.close()
    await flush()
    expect(server.sessions).toHaveLength(0)
  })

  it('is tried again when the successor does not come, for as long as ids last', async () => {
    const servers = fleet((index) => (index === 1 ? refused() : OK))
    const { client, clock, reports, clean } = await begin(servers, { maxRequestId: 50 })
    for (let count = 2; count <= 48; count++) await client.call('x')
    await clock.advance(0)
    expect(servers.opened).toBe(2)
    await client.call('the 49th')
    await clock.advance(2 * SECOND)
    expect(reports).toMatchObject([{ cause: 'renewed' }])
    for (let count = 0; count < 10; count++) await client.call('x')
    await clean()
  })

  it('an old session that dies before its last answer is one that was lost', async () => {
    const servers = fleet((index) =>
      index === 0
        ? { answers: { ...OK.answers, 'tools/call': () => undefined, 'resources/read': () => undefined } }
        : OK,
    )
    const { client, clock, clean } = await begin(servers, { maxRequestId: 50 })
    const acting = outcomeOf(client.call('acts'))
    const reading = client.read('a://x')
    for (let count = 4; count <= 48; count++) await client.ping()
    await clock.advance(0)
    expect(servers.opened).toBe(2)
    servers.generations[0]?.lose(new Error('cable cut'))
    expect(await acting).toBe('connection_closed')
    expect((await reading).contents).toEqual([{ uri: 'a://x', text: 'fresh' }])
    expect(client.state).toBe('connected')
    await clean()
  })
})

describe('where a lost connection stays lost', () => {
  it('over a link, which can be used once', async () => {
    const servers = fleet(() => OK)
    const link: Link = await servers.open()
    await expect(connect(link, { reconnect: true })).rejects.toThrow(/function that opens a new one/)
    const client = await connect(link)
    const states: unknown[] = []
    client.onState((change) => states.push(change))
    const reason = new Error('cable cut')
    servers.last.lose(reason)
    expect(states).toEqual([{ from: 'connected', to: 'closed', reason }])
    await expect(client.call('x')).rejects.toMatchObject({ kind: 'session_closed' })
    await client.close()
  })

  it('to a server value, unless wanted', async () => {
    const server = createServer({ name: 's', version: '1' }).add(tool('t', {}, () => 'yes'))
    const clock = fakeClock()
    const [plain, lasting] = [await connect(server), await connect(server, { reconnect: true, clock, random: () => 0 })]
    await server.close()
    await flush()
    expect([plain.state, lasting.state]).toEqual(['closed', 'reconnecting'])
    await clock.advance(SECOND)
    expect((await lasting.call('t')).text).toBe('yes')
    await lasting.close()
    expect(clock.pending).toBe(0)
  })

  it.each([{ retries: 0 }, { delays: [] }, { delays: ['soon' as never] }])(
    'and %j is no way to reconnect',
    async (reconnect) => {
      await expect(connect(fleet(() => OK).open, { reconnect })).rejects.toThrow(RangeError)
    },
  )
})
