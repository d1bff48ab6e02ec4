/** D7, L3: listening for tasks at a server of the stateless era continues when the connection was lost. */
import type { Capabilities } from 'parley-mcp'
import { type Body, type Inbound, type Link, META, TASKS_EXTENSION } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, type ScriptedServer, scripted, until } from '../../addresses/server/peers.fixtures.ts'

const EXTENDED = { extensions: { [TASKS_EXTENSION]: {} } } as Capabilities
const TASK = {
  taskId: 'one',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttlMs: null,
}

let clock: FakeClock
let rig: BridgeRig
let server: ScriptedServer
let client: RawClient
/** What arrives over the link to the server that was opened last. */
let hear: (frame: string) => void
const hearing = (link: Link): Link => ({
  transport: link.transport,
  open: (events) => {
    hear = (frame) => events.frame(frame)
    link.open(events)
  },
  send: (frame, options) => link.send(frame, options),
  close: () => link.close(),
})
beforeEach(async () => {
  clock = fakeClock()
  server = scripted({ version: '2026-07-28', capabilities: { tools: {}, ...EXTENDED } })
  rig = bridgeTo(server, undefined, {}, { clock, wrap: hearing })
  client = new RawClient(rig.address, { clock })
  void client.ask('subscriptions/listen', { notifications: { taskIds: ['one'] } }, EXTENDED)
  await client.next('notifications/subscriptions/acknowledged')
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

/** The streams that listen for the task at the server. */
const listening = (): Inbound[] =>
  [...server.listening].filter(
    ({ params }) => JSON.stringify((params['notifications'] as Body)['taskIds']) === '["one"]',
  )

/** Advances the clock until a stream listens again. */
const listensAgain = (before?: Inbound): Promise<Inbound> =>
  until(async () => {
    await clock.advance(1000)
    const [first, ...others] = listening().filter((each) => each !== before)
    expect(others).toEqual([])
    if (first === undefined) throw new Error('No stream listens')
    return first
  })

async function tells(listener: Inbound, times: number): Promise<void> {
  listener.notify('notifications/tasks', { ...TASK, _meta: { [META.subscription]: listener.id } })
  await client.next('notifications/tasks', times - 1)
  await flush()
  expect(client.of('notifications/tasks')).toHaveLength(times)
}

describe('listening for tasks', () => {
  it('continues each time the connection is back', async () => {
    let [listener] = listening() as [Inbound]
    await tells(listener, 1)
    for (const times of [2, 3]) {
      rig.crash()
      listener = await listensAgain(listener)
      await tells(listener, times)
    }
  })

  it('continues in the same connection after the server has ended it', async () => {
    const { opened } = rig.ways
    let [listener] = listening() as [Inbound]
    for (const times of [1, 2]) {
      server.listening.delete(listener)
      hear(JSON.stringify({ jsonrpc: '2.0', id: listener.id, result: { resultType: 'complete' } }))
      await flush()
      expect(listening()).toEqual([])
      listener = await listensAgain()
      await tells(listener, times)
    }
    expect(rig.ways.opened).toBe(opened)
  })

  it('ends with the client', async () => {
    client.close()
    await until(() => expect(listening()).toEqual([]))
    rig.crash()
    await clock.advance(120_000)
    expect(listening()).toEqual([])
  })
})
