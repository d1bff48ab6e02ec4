import type { Capabilities } from 'parley-mcp'
import type { Body, Link } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo, collectingLog } from '../../addresses/server/bridge.fixtures.ts'
import { EVERYTHING, RawClient, type ScriptedServer, scripted } from '../../addresses/server/peers.fixtures.ts'

const MINUTE = 60_000
const LISTEN = { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } }

let clock: FakeClock
let rig: BridgeRig
let items: Record<string, string[]>
let said: string[]
/** Whether the server has a stream for notifications. */
let hears: boolean
beforeEach(() => {
  clock = fakeClock()
  items = { tools: ['one'], prompts: ['one'], resources: ['one'], resourceTemplates: [] }
  said = []
  hears = false
})
afterEach(() => rig.close())

const FIELDS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}

/** Lists with one item in each page. */
function answer(method: string, { cursor = 0 }: Body): Body {
  const field = FIELDS[method] as string
  const all = (items[field] ?? []).map((name) => ({
    name,
    uri: `a:${name}`,
    uriTemplate: `a:${name}/{x}`,
    inputSchema: { type: 'object' },
  }))
  const at = Number(cursor)
  return { [field]: all.slice(at, at + 1), ...(at + 1 < all.length && { nextCursor: String(at + 1) }) }
}

const http = (link: Link): Link => ({
  transport: 'http',
  get hears() {
    return hears
  },
  open: (events) => link.open(events),
  send: (frame) => link.send(frame),
  close: () => link.close(),
})

function serverOf(capabilities: Capabilities = EVERYTHING): ScriptedServer {
  return scripted({ version: '2025-06-18', capabilities, answer: ({ method, params }) => answer(method, params) })
}

function clientOf(server: ScriptedServer): RawClient {
  const log = collectingLog(said)
  rig = bridgeTo(server, undefined, { poll: MINUTE }, { clock, log, wrap: http })
  return new RawClient(rig.address, { clock })
}

const news = (client: RawClient): string[] =>
  client.received.flatMap(({ method = '' }) => (method.endsWith('list_changed') ? [method] : []))

describe('a remote server without a stream for notifications', () => {
  it('is polled while a client of 2026-07-28 listens, and differences are reported', async () => {
    const server = serverOf()
    const client = clientOf(server)
    const id = client.nextId
    void client.ask('subscriptions/listen', LISTEN)
    await client.next('notifications/subscriptions/acknowledged')
    await clock.advance(2500)
    expect(news(client)).toEqual([])
    const { length } = server.asked
    expect(length).toBe(4)
    items['tools']?.push('two')
    await clock.advance(MINUTE)
    expect(news(client)).toEqual(['notifications/tools/list_changed'])
    // Every page is part of the list.
    ;(items['tools'] as string[])[1] = 'three'
    items['resourceTemplates']?.push('more')
    await clock.advance(MINUTE)
    expect(news(client).sort()).toEqual([
      'notifications/resources/list_changed',
      'notifications/tools/list_changed',
      'notifications/tools/list_changed',
    ])
    await clock.advance(10 * MINUTE)
    expect(news(client)).toHaveLength(3)
    expect(said.filter((line) => line.includes('has no stream for notifications'))).toHaveLength(1)
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await flush()
    const before = server.asked.length
    await clock.advance(10 * MINUTE)
    expect(server.asked).toHaveLength(before)
  })

  it.each(['2024-11-05', '2025-11-25'])('is polled while a client of %s has a session', async (version) => {
    const server = serverOf()
    const client = clientOf(server)
    await client.shakeHands(version)
    await clock.advance(2500)
    items['prompts'] = []
    await clock.advance(MINUTE + 10_000)
    expect(news(client)).toEqual(['notifications/prompts/list_changed'])
    client.close()
    await flush()
    const before = server.asked.length
    await clock.advance(10 * MINUTE)
    expect(server.asked).toHaveLength(before)
  })

  it('whose list always differs is reported a few times, and then only when names come or go', async () => {
    const server = scripted({
      version: '2025-06-18',
      answer: ({ method }) => ({
        [FIELDS[method] as string]:
          method === 'tools/list'
            ? (items['tools'] ?? []).map((name) => ({
                name,
                inputSchema: { type: 'object', default: { now: clock.now() } },
              }))
            : [],
      }),
    })
    const client = clientOf(server)
    void client.ask('subscriptions/listen', LISTEN)
    await client.next('notifications/subscriptions/acknowledged')
    await clock.advance(2500)
    await clock.advance(20 * MINUTE)
    expect(news(client)).toHaveLength(3)
    expect(said.filter((line) => line.includes('different each time'))).toEqual([
      'rig: its tools are different each time they are read; from now on clients are told only when tools come or go',
    ])
    items['tools']?.push('two')
    await clock.advance(10 * MINUTE)
    expect(news(client)).toHaveLength(4)
  })

  it('is not polled for lists whose changes it does not declare', async () => {
    const server = serverOf({ tools: { listChanged: true }, prompts: {} })
    const client = clientOf(server)
    void client.ask('subscriptions/listen', LISTEN)
    expect((await client.next('notifications/subscriptions/acknowledged')).params?.['notifications']).toEqual({
      toolsListChanged: true,
    })
    await clock.advance(5 * MINUTE)
    expect(new Set(server.asked.map(({ method }) => method))).toEqual(new Set(['tools/list']))
  })

  it('is not polled when it has a stream, and each notification is reported once', async () => {
    hears = true
    const server = serverOf()
    const client = clientOf(server)
    void client.ask('subscriptions/listen', LISTEN)
    await client.next('notifications/subscriptions/acknowledged')
    await clock.advance(5 * MINUTE)
    expect(server.asked).toEqual([])
    for (const session of server.sessions) session.notify('notifications/tools/list_changed')
    await flush()
    expect(news(client)).toEqual(['notifications/tools/list_changed'])
    expect(said).toEqual([])
  })

  it('that cannot be polled now is polled later', async () => {
    let broken = false
    const server = scripted({
      version: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      answer: ({ method, params }) => {
        if (broken) throw new Error('not now')
        return answer(method, params)
      },
    })
    const client = clientOf(server)
    void client.ask('subscriptions/listen', LISTEN)
    await client.next('notifications/subscriptions/acknowledged')
    await clock.advance(2500)
    broken = true
    items['tools']?.push('two')
    await clock.advance(5 * MINUTE)
    expect(news(client)).toEqual([])
    broken = false
    await clock.advance(MINUTE)
    expect(news(client)).toEqual(['notifications/tools/list_changed'])
  })
})
