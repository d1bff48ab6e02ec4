/** Polling of remote servers without a notification stream, for clients of all servers. */
import type { Body, Link } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AggregateRig, type RigServer } from '../addresses/all/aggregate.fixtures.ts'
import { type RawClient, type ScriptedServer, scripted } from '../addresses/server/peers.fixtures.ts'

const MINUTE = 60_000

let clock: FakeClock
let rig: AggregateRig
let tools: string[]
beforeEach(() => {
  clock = fakeClock()
  tools = ['one']
})
afterEach(() => rig.close())

const deaf = (link: Link): Link => ({
  transport: 'http',
  hears: false,
  open: (events) => link.open(events),
  send: (frame) => link.send(frame),
  close: () => link.close(),
})

function far(): { member: RigServer; server: ScriptedServer } {
  const server = scripted({
    version: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    answer: (): Body => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  })
  return { server, member: { server, wrap: deaf, config: { poll: MINUTE } } }
}

const news = (client: RawClient): string[] =>
  client.received.flatMap(({ method = '' }) => (method.endsWith('list_changed') ? [method] : []))

async function listen(client: RawClient, notifications: Body): Promise<number> {
  const id = client.nextId
  void client.ask('subscriptions/listen', { notifications }).catch(() => {})
  await client.next('notifications/subscriptions/acknowledged')
  return id
}

describe('a remote server without a notification stream, behind the aggregate', () => {
  it('is asked for the lists that a client of 2026-07-28 listens to, and what is different is told', async () => {
    const { server, member } = far()
    rig = new AggregateRig({ far: member }, { clock })
    await rig.upstream('far').gatewayConversation()
    await clock.advance(10 * MINUTE)
    expect(server.asked).toEqual([])
    const client = rig.raw()
    const id = await listen(client, { toolsListChanged: true })
    await clock.advance(2500)
    expect(server.asked).toHaveLength(1)
    tools.push('two')
    await clock.advance(MINUTE + 10_000)
    expect(news(client)).toEqual(['notifications/tools/list_changed'])
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await flush()
    const { length } = server.asked
    await clock.advance(10 * MINUTE)
    expect(server.asked).toHaveLength(length)
  })

  it('is left alone where only other lists are listened to', async () => {
    const { server, member } = far()
    rig = new AggregateRig({ far: member }, { clock })
    const client = rig.raw()
    await rig.upstream('far').gatewayConversation()
    await listen(client, { promptsListChanged: true })
    await clock.advance(10 * MINUTE)
    expect(server.asked).toEqual([])
  })

  it('is asked while a client with a session is there, also one that has used no tool of it', async () => {
    const { server, member } = far()
    rig = new AggregateRig({ far: member }, { clock })
    await rig.upstream('far').gatewayConversation()
    const client = await rig.connect({ version: '2025-06-18' })
    let told = 0
    client.onListChanged('tools', () => told++)
    await clock.advance(2500)
    tools.push('two')
    await clock.advance(MINUTE + 10_000)
    expect(told).toBe(1)
    await client.close()
    await flush()
    const { length } = server.asked
    await clock.advance(10 * MINUTE)
    expect(server.asked).toHaveLength(length)
  })

  it('is asked from its coming to its going', async () => {
    const { server, member } = far()
    rig = new AggregateRig({}, { clock })
    const client = rig.raw()
    await listen(client, { toolsListChanged: true })
    rig.replace({ far: member })
    await rig.upstream('far').gatewayConversation()
    await clock.advance(2500)
    expect(server.asked).toHaveLength(1)
    rig.replace({}, ['far'])
    await clock.advance(10 * MINUTE)
    expect(server.asked).toHaveLength(1)
  })
})
