/** L4: nothing remains of a client that leaves while its conversation is being opened. */
import type { Link } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ServerConfig } from '../../config/index.ts'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { RawClient, type ScriptedServer, scripted, textOf, until } from './peers.fixtures.ts'

const PEER = { info: { name: 'leaving', version: '1' }, capabilities: {} }

let clock: FakeClock
let rig: BridgeRig
/** Set while the handshakes of servers are delayed. */
let held: (() => void)[] | undefined
beforeEach(() => {
  clock = fakeClock()
  held = undefined
})
afterEach(() => rig.close())

/** A server elsewhere that does not speak unless it is asked; the handshake waits while `held`. */
function silent(link: Link): Link {
  return {
    transport: 'http',
    hears: false,
    open: (events) => link.open(events),
    send: (frame) => {
      if (held !== undefined && frame.includes('"initialize"')) held.push(() => link.send(frame))
      else link.send(frame)
    },
    close: () => link.close(),
  }
}

const lists = ({ asked }: ScriptedServer): number => asked.filter(({ method }) => method === 'tools/list').length

function rigOf(server: ScriptedServer, more: Partial<ServerConfig> = {}): void {
  rig = bridgeTo(server, '2025-06-18', { poll: 1000, ...more }, { clock, wrap: silent })
}

it('the server is not polled for it', async () => {
  const server = scripted({
    version: '2025-06-18',
    answer: ({ method }) => (method === 'tools/list' ? { tools: [] } : {}),
  })
  rigOf(server)
  const session = new RawClient(rig.address, { clock }).session
  await rig.upstream.gatewayConversation()
  const endpoint = rig.address.endpoint()
  held = []
  const prepared = endpoint.prepare(PEER)
  await until(() => expect(held).toHaveLength(1))
  endpoint.closed(session)
  for (const go of held) go()
  held = undefined
  await prepared
  endpoint.opened(session)
  await clock.advance(10_000)
  expect(lists(server)).toBe(0)
  expect(rig.ways.open).toBe(1)
  const { opened } = rig.ways
  await expect(endpoint.answer(inboundLike('tools/list'))).rejects.toMatchObject({ kind: 'session_closed' })
  expect(rig.ways.opened).toBe(opened)
  // It would be seen here: one that stays is polled for.
  const staying = rig.address.endpoint()
  await staying.prepare(PEER)
  staying.opened(session)
  await clock.advance(10_000)
  expect(lists(server)).toBeGreaterThan(5)
  staying.closed(session)
})

it('neither when the server was away and it left meanwhile', async () => {
  const server = scripted({
    version: '2025-06-18',
    answer: ({ method }) => (method === 'tools/list' ? { tools: [] } : {}),
  })
  rigOf(server)
  const client = new RawClient(rig.address, { clock })
  await client.shakeHands('2025-06-18')
  const own = rig.upstream.anyConversation
  // By which the server could be polled.
  await rig.upstream.gatewayConversation()
  await own?.close()
  expect(rig.ways.open).toBe(1)
  held = []
  void client.request('tools/call', { name: 'any', arguments: {} })
  await until(() => expect(held).toHaveLength(1))
  client.close()
  await until(() => expect(rig.address.sessions).toBe(0))
  const before = lists(server)
  for (const go of held) go()
  held = undefined
  await until(() => expect(rig.ways.open).toBe(1))
  await flush()
  await clock.advance(30_000)
  expect(lists(server)).toBe(before)
})

it('a conversation that it shared stays open for the others, and is nobody’s when the last has left', async () => {
  const server = scripted({ version: '2025-06-18' })
  rigOf(server, { session: 'shared' })
  const [ann, bea] = [new RawClient(rig.address, { clock }), new RawClient(rig.address, { clock })]
  for (const client of [ann, bea]) await client.shakeHands('2025-06-18')
  expect(textOf(await ann.request('tools/call', { name: 'any', arguments: {} }))).toBe('done')
  ann.close()
  await until(() => expect(rig.address.sessions).toBe(1))
  expect(rig.upstream.pool.busy).toBe(true)
  expect(textOf(await bea.request('tools/call', { name: 'any', arguments: {} }))).toBe('done')
  bea.close()
  await until(() => expect(rig.address.sessions).toBe(0))
  expect(rig.upstream.pool.busy).toBe(false)
})

/** All that is looked at before the request is refused. */
function inboundLike(method: string): never {
  return { method, params: {}, caller: { version: '2025-06-18' } } as never
}
