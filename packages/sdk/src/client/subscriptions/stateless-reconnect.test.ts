/** What a client listens to when its session is replaced by another, perhaps of the other era. */
import { describe, expect, it } from 'vitest'
import { fakeClock, flush, leaks } from '../../testing/index.ts'
import { connect } from '../connect.ts'
import type { ReconnectReport } from '../connection/reconnect.ts'
import type { ConnectOptions } from '../options.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import { type RawStateless, rawStateless } from '../raw-stateless.fixtures.ts'

const SECOND = 1000
const updated = 'notifications/resources/updated'

async function begin(servers: readonly { readonly link: RawStateless['link'] }[], options: ConnectOptions = {}) {
  const clock = fakeClock()
  const left = [...servers]
  const reports: ReconnectReport[] = []
  const open = () => left.shift()?.link ?? rawStateless().link
  const client = await connect(open, { clock, random: () => 0, keepAlive: false, ...options })
  client.onReconnect((report) => reports.push(report))
  return { client, clock, reports }
}

describe('L6 a new session of the same era', () => {
  it('is asked for everything at once, first of all, without requests of the handshake era', async () => {
    const [one, two] = [rawStateless(), rawStateless()] as const
    const { client, clock, reports } = await begin([one, two])
    const heard: string[] = []
    await client.setLogLevel('warning')
    await client.subscribe('a://x', (uri) => heard.push(uri))
    client.onListChanged('tools', () => heard.push('tools'))
    await flush()
    one.lose()
    await flush()
    await clock.advance(SECOND)
    expect(two.received.map(({ method }) => method)).toEqual(['server/discover', 'subscriptions/listen'])
    expect(two.filters).toEqual([{ toolsListChanged: true, resourceSubscriptions: ['a://x'] }])
    expect(heard).toEqual(['tools', 'a://x'])
    expect(reports).toMatchObject([
      {
        cause: 'lost',
        failed: [],
        retried: [],
        notRestored: [],
        logLevelError: undefined,
        presumed: [{ method: 'notifications/tools/list_changed' }, { method: updated, uri: 'a://x' }],
      },
    ])
    two.tell(updated, { uri: 'a://x' })
    await flush()
    expect(heard).toEqual(['tools', 'a://x', 'a://x'])
    await client.close()
    expect(leaks(client, clock)).toEqual([])
  })

  it('may refuse some of it; that is reported, and tried again on the next', async () => {
    const [one, two, three] = [
      rawStateless(),
      rawStateless({ agree: () => ({ resourceSubscriptions: ['a://y'] }) }),
      rawStateless(),
    ] as const
    const { client, clock, reports } = await begin([one, two, three])
    await Promise.all(['a://x', 'a://y'].map((uri) => client.subscribe(uri, () => {})))
    one.lose()
    await flush()
    await clock.advance(SECOND)
    expect(reports[0]?.notRestored).toMatchObject([{ uri: 'a://x', error: { kind: 'subscription_failed' } }])
    expect(two.filters).toHaveLength(1)
    expect(client.subscriptions()).toEqual(['a://x', 'a://y'])
    two.lose()
    await flush()
    await clock.advance(2 * SECOND)
    expect(three.filters).toEqual([{ resourceSubscriptions: ['a://x', 'a://y'] }])
    expect(reports[1]?.notRestored).toEqual([])
  })

  it('may not offer subscriptions any more', async () => {
    const [one, two] = [rawStateless(), rawStateless({ capabilities: { resources: {} } })] as const
    const { client, clock, reports } = await begin([one, two])
    await client.setLogLevel('info')
    await client.subscribe('a://x', () => {})
    one.lose()
    await flush()
    await clock.advance(SECOND)
    expect(reports[0]).toMatchObject({
      notRestored: [{ uri: 'a://x', error: { kind: 'capability_not_supported' } }],
      logLevelError: { kind: 'capability_not_supported' },
    })
    expect(two.filters).toEqual([])
  })

  it('takes subscriptions that were asked for when there was none, or when the old one broke', async () => {
    const [one, two] = [rawStateless({ agree: () => undefined }), rawStateless()] as const
    const { client, clock } = await begin([one, two])
    const before = client.subscribe('a://x', () => {})
    await flush()
    one.lose()
    await flush()
    expect(client.state).toBe('reconnecting')
    const meanwhile = client.subscribe('a://y', () => {})
    await clock.advance(SECOND)
    await Promise.all([before, meanwhile])
    expect(client.subscriptions()).toEqual(['a://x', 'a://y'])
    expect(two.filters.at(-1)).toEqual({ resourceSubscriptions: ['a://x', 'a://y'] })
    expect(two.listening).toHaveLength(1)
  })

  it('does not take them when nothing may be asked for twice', async () => {
    const one = rawStateless({ agree: () => undefined })
    const { client } = await begin([one], { reconnect: { retry: false } })
    const outcome = client.subscribe('a://x', () => {}).catch((error) => error.kind)
    await flush()
    one.lose()
    expect(await outcome).toBe('connection_closed')
    expect(client.subscriptions()).toEqual([])
    await client.close()
  })

  it('M3 takes over from one whose ids run out: nothing is missed, and the old one ends', async () => {
    const [one, two] = [rawStateless(), rawStateless()] as const
    const { client, clock, reports } = await begin([one, two], { maxRequestId: 25 })
    const heard: string[] = []
    await client.subscribe('a://x', (uri) => heard.push(uri))
    for (let count = 0; count < 23; count++) await client.ping()
    await clock.advance(0)
    expect(reports).toMatchObject([{ cause: 'renewed', presumed: [], notRestored: [] }])
    expect(two.listening).toHaveLength(1)
    expect(one.closed).toBe(true)
    two.tell(updated, { uri: 'a://x' })
    await flush()
    expect(heard).toEqual(['a://x'])
    await client.close()
    expect(leaks(client, clock)).toEqual([])
  })
})

describe('V4 a new session of the other era', () => {
  const handshake = () =>
    rawServer({
      version: '2025-11-25',
      answers: {
        'server/discover': () => ({ error: { code: -32601, message: 'no' } }),
        'resources/subscribe': () => ({}),
        'resources/unsubscribe': () => ({}),
        'logging/setLevel': () => ({}),
      },
    })

  it('is told in its own way, there and back', async () => {
    const [one, two, three] = [rawStateless(), handshake(), rawStateless()] as const
    // The era that was remembered is tried first, over a link of its own.
    const { client, clock, reports } = await begin([one, two, rawStateless(), three])
    const heard: string[] = []
    await client.setLogLevel('warning')
    const x = await client.subscribe('a://x', (uri) => heard.push(uri))
    await client.subscribe('a://y', (uri) => heard.push(uri))
    client.onListChanged('tools', () => heard.push('tools'))
    await flush()

    one.lose()

    await flush()
    await clock.advance(SECOND)
    expect(client.version).toBe('2025-11-25')
    expect(two.of('resources/subscribe').map(({ params }) => params?.['uri'])).toEqual(['a://x', 'a://y'])
    expect(two.of('logging/setLevel').map(({ params }) => params)).toEqual([{ level: 'warning' }])
    expect(heard.splice(0)).toEqual(['tools', 'a://x', 'a://y'])
    two.notify(updated, { uri: 'a://x' })
    await flush()
    expect(heard.splice(0)).toEqual(['a://x'])
    await x.unsubscribe()
    expect(two.of('resources/unsubscribe')).toHaveLength(1)

    two.link.close()
    await flush()
    await clock.advance(2 * SECOND)
    expect(client.version).toBe('2026-07-28')
    expect(three.filters).toEqual([{ toolsListChanged: true, resourceSubscriptions: ['a://y'] }])
    expect(heard).toEqual(['tools', 'a://y'])
    expect(reports.map(({ version, notRestored, logLevelError }) => [version, notRestored, logLevelError])).toEqual([
      [{ before: '2026-07-28', after: '2025-11-25' }, [], undefined],
      [{ before: '2025-11-25', after: '2026-07-28' }, [], undefined],
    ])
    await client.close()
    expect(leaks(client, clock)).toEqual([])
  })
})
