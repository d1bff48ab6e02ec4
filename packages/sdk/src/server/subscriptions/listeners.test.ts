/** `subscriptions/listen`: where listening begins and where it ends (D-19, D-29, D-31). */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { fakeClock, flush } from '../../testing/clock.ts'
import { RawClient } from '../raw-client.fixtures.ts'
import { resource } from '../resources/resource.ts'
import { createServer } from '../server.ts'
import { tool } from '../tools/tool.ts'

const NAMES = 'io.modelcontextprotocol/'
const _meta: Body = { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: {} }
const LISTEN = 'subscriptions/listen'

function start() {
  const clock = fakeClock()
  let go = (): void => {}
  const waiting = new Promise<void>((resolve) => {
    go = resolve
  })
  const wait = tool('wait', {}, () => waiting)
  const server = createServer({ name: 'test', version: '1.0.0' }, { clock }).add(wait)
  return { clock, server, client: new RawClient(server, {}), go: () => go() }
}

describe('D-31 the end of listening', () => {
  it('is told by notifications/cancelled only where it had begun', async () => {
    const { client, server } = start()
    await client.error(LISTEN, { _meta, notifications: null })
    await flush()
    expect(client.of('notifications/cancelled')).toEqual([])
    const listening = client.request(LISTEN, { _meta, notifications: { toolsListChanged: true } })
    await flush()
    await server.close()
    expect(await listening).toMatchObject({ id: 2, result: { resultType: 'complete' } })
    expect(client.of('notifications/cancelled')).toMatchObject([{ params: { requestId: 2 } }])
  })

  it('comes at once where the session was already ending', async () => {
    const { client, server } = start()
    const listening = client.request(LISTEN, { _meta, notifications: { toolsListChanged: true } })
    await Promise.resolve()
    // Nobody moves the clock: a shutdown that waited for the listener would wait for ever.
    await server.close()
    expect(await listening).toMatchObject({ result: { resultType: 'complete' } })
  })
})

it('M7 all listeners together have a limit, too', async () => {
  const server = createServer({ name: 'test', version: '1.0.0' }, { maxSubscriptions: 2 }).add(
    resource('memo://{id}', { subscribe: true }, () => 'text'),
  )
  const client = new RawClient(server, {})
  const listen = (at: number) =>
    client.request(LISTEN, { _meta, notifications: { resourceSubscriptions: [`memo://${at}`, 'memo://all'] } })
  for (let at = 0; at < 100; at++) void listen(at)
  await flush()
  expect(server.subscriptions).toBe(200)
  expect(await listen(100)).toMatchObject({ error: { data: { 'parley/kind': 'too_many_requests' } } })
  client.notify('notifications/cancelled', { requestId: 1 })
  void listen(101)
  await flush()
  expect(server.subscriptions).toBe(200)
  await client.close()
  expect(server.subscriptions).toBe(0)
})

it('L7 who listens is not the oldest work', async () => {
  const { client, server, clock, go } = start()
  void client.request(LISTEN, { _meta, notifications: { toolsListChanged: true } })
  await flush()
  await clock.advance(1000)
  const waiting = client.request('tools/call', { _meta, name: 'wait' })
  await flush()
  await clock.advance(10)
  expect(server.health()).toMatchObject({ inFlight: 2, oldest: { method: 'tools/call', ageMs: 10 } })
  go()
  await waiting
  expect(server.health()).toMatchObject({ inFlight: 1, oldest: undefined })
  await client.close()
})

it('D-28 log messages below the level of a request are not sent, however they are made', async () => {
  const server = createServer({ name: 'test', version: '1.0.0' }).add(
    tool('say', {}, (_, ctx) => {
      for (const level of ['debug', 'warning', 'error', 'loud'])
        ctx.notify('notifications/message', { level, data: level })
    }),
  )
  const client = new RawClient(server, {})
  await client.result('tools/call', { name: 'say', _meta: { ..._meta, [`${NAMES}logLevel`]: 'warning' } })
  expect(client.of('notifications/message').map(({ params }) => params?.['level'])).toEqual(['warning', 'error'])
  await client.close()
})
