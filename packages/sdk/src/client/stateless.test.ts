/** A client in the stateless era: the same to its user as in any other. */
import { describe, expect, it } from 'vitest'
import { fakeClock, flush } from '../testing/index.ts'
import { META } from '../versions/index.ts'
import { connect } from './connect.ts'
import type { ConnectOptions } from './options.ts'
import { type RawMessage, rawServer } from './raw-server.fixtures.ts'
import { type RawStatelessOptions, rawStateless } from './raw-stateless.fixtures.ts'

const levelIn = (message: RawMessage | undefined) =>
  (message?.params?.['_meta'] as Record<string, unknown> | undefined)?.[META.logLevel]

async function begin(options: RawStatelessOptions = {}, more: ConnectOptions = {}) {
  const server = rawStateless({ ...options, answers: { 'tools/list': () => ({ tools: [] }), ...options.answers } })
  const client = await connect(server.link, { version: '2026-07-28', ...more })
  const levels = () => server.of('tools/list').map(levelIn)
  return { server, client, levels }
}

describe('F9 V4 what a client says of its server', () => {
  it('is what discovery told', async () => {
    const { client } = await begin({ instructions: 'Be kind' })
    expect(client.version).toBe('2026-07-28')
    expect(client.server).toEqual({ name: 'raw', version: '26' })
    expect(client.capabilities).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } })
    expect(client.instructions).toBe('Be kind')
    expect(client.health()).toMatchObject({ state: 'connected', alive: true, pending: 0, reconnects: 0 })
  })
})

describe('D-17 D-25 what the era does not have', () => {
  it('ping is a question every server answers', async () => {
    const { client, server } = await begin()
    await client.ping()
    expect(await client.request('ping')).toEqual({})
    expect(server.of('server/discover')).toHaveLength(3)
    expect(server.of('ping')).toEqual([])
  })

  it('the server is not told that the roots have changed', async () => {
    const { client, server } = await begin({}, { roots: ['file:///a'] })
    expect(client.rootsChanged()).toBe(false)
    await flush()
    expect(server.received.map(({ method }) => method)).toEqual(['server/discover'])
  })
})

describe('D-18 F6 log levels', () => {
  it('go with every request once they are set', async () => {
    const { client, server, levels } = await begin()
    await client.tools()
    await client.setLogLevel('warning')
    await client.tools()
    await client.setLogLevel('error')
    await client.tools()
    expect(levels()).toEqual([undefined, 'warning', 'error'])
    expect(server.of('logging/setLevel')).toEqual([])
  })

  it('are debug for who listens without having set one, by option', async () => {
    const logged: unknown[] = []
    const { client, server, levels } = await begin({}, { onLog: ({ data }) => logged.push(data) })
    await client.tools()
    expect(levels()).toEqual(['debug'])
    server.send({ method: 'notifications/message', params: { level: 'info', data: 'hello' } })
    await flush()
    expect(logged).toEqual(['hello'])
    await client.setLogLevel('alert')
    await client.tools()
    expect(levels()).toEqual(['debug', 'alert'])
  })

  it('are debug for who listens without having set one, for as long as they do', async () => {
    const { client, levels } = await begin()
    const stop = client.onLog(() => {})
    await client.tools()
    stop()
    await client.tools()
    client.onNotification('*', () => {})
    await client.tools()
    expect(levels()).toEqual(['debug', undefined, 'debug'])
  })

  it('are refused as in the handshake era where the server does not log', async () => {
    const capabilities = { tools: {} }
    const { client, levels } = await begin({ capabilities }, { onLog: () => {} })
    const handshake = await connect(rawServer({ capabilities }).link, { version: '2025-11-25' })
    const failure = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        ({ kind, message, data }) => ({ kind, message, data }),
      )
    const refused = await failure(client.setLogLevel('info'))
    expect(refused).toMatchObject({ kind: 'capability_not_supported' })
    expect(refused).toEqual(await failure(handshake.setLogLevel('info')))
    await client.tools()
    expect(levels()).toEqual([undefined])
  })

  it('that do not exist harm no request', async () => {
    const { client, levels } = await begin()
    await expect(client.setLogLevel('loud' as never)).rejects.toMatchObject({ kind: 'invalid_log_level' })
    await client.tools()
    expect(levels()).toEqual([undefined])
  })

  it('are the same on the next session', async () => {
    const servers = [rawStateless(), rawStateless({ answers: { 'tools/list': () => ({ tools: [] }) } })] as const
    const left = [...servers]
    const clock = fakeClock()
    const client = await connect(() => (left.shift() ?? rawStateless()).link, { clock, random: () => 0 })
    await client.setLogLevel('notice')
    servers[0].lose()
    await flush()
    const asked = client.tools()
    await clock.advance(1000)
    await asked
    expect(levelIn(servers[1].of('tools/list')[0])).toBe('notice')
    await client.close()
  })
})
