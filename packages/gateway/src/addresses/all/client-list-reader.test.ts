/**
 * What one client alone is shown at the address of all servers changes nothing for the others, and its pages
 * belong together.
 */
import type { Body, Session } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RawClient, type ScriptedServer, scripted, text } from '../server/peers.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'

const MINUTE = 60_000
const CHANGED = 'notifications/resources/list_changed'
const IN_VAULT = 'parley://servers/vault/note%3A%2F%2Fx'

let clock: FakeClock
let rig: AggregateRig
/** Clients without sessions that share one way in. */
let client: RawClient
let vault: ScriptedServer
/** What the vault shows to all clients. */
let common: string[]

/** Shows more to a client that has logged in, in that session. Each text contains the name of the server. */
function vaultServer(): ScriptedServer {
  const inside = new Set<Session>()
  return scripted({
    version: '2025-06-18',
    answer: ({ method, params, session }) => {
      if (method === 'tools/list') return { tools: [{ name: 'login', inputSchema: { type: 'object' } }] }
      if (method === 'resources/templates/list') return { resourceTemplates: [] }
      if (method === 'resources/list')
        return {
          resources: [...common, ...(inside.has(session) ? ['note://x'] : [])].map((uri) => ({ uri, name: 'v' })),
        }
      if (method === 'resources/read')
        return { contents: [{ uri: String(params['uri']), text: inside.has(session) ? 'vault, inside' : 'vault' }] }
      inside.add(session)
      return text('in')
    },
  })
}

const pub = (): ScriptedServer =>
  scripted({
    version: '2025-06-18',
    capabilities: { resources: {} },
    answer: ({ method, params }): Body => {
      if (method === 'resources/read') return { contents: [{ uri: String(params['uri']), text: 'pub' }] }
      return method === 'resources/list' ? { resources: [{ uri: 'note://x', name: 'p' }] } : { resourceTemplates: [] }
    },
  })

beforeEach(() => {
  clock = fakeClock()
  common = ['note://common']
  vault = vaultServer()
  rig = new AggregateRig(
    { vault: { server: vault, config: { session: 'principal' } }, pub: { server: pub() } },
    { clock },
  )
  client = new RawClient(rig.aggregate, { clock, sharedLink: true })
})
afterEach(async () => {
  client.close()
  await rig.close()
})

const TASK = {
  taskId: 't',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: null,
}

async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await flush()
}

const login = (): Promise<unknown> => client.ask('tools/call', { name: 'vault__login', arguments: {} })

async function listed(): Promise<string[]> {
  const { result = {} } = await client.ask('resources/list')
  return (result['resources'] as { uri: string }[]).map(({ uri }) => uri).filter((uri) => uri !== 'parley://status')
}

async function read(uri: string): Promise<unknown> {
  const { result, error } = await client.ask('resources/read', { uri })
  const [contents] = (result?.['contents'] ?? []) as Body[]
  return error?.message ?? [contents?.['uri'], contents?.['text']]
}

describe('G a resource that an earlier server shows to one principal, and a later one to all', () => {
  it('is the later one’s for all others, whatever that principal is shown', async () => {
    client.principal = 'ann'
    await login()
    expect(await listed()).toEqual(['note://common', IN_VAULT, 'note://x'])
    client.principal = 'bea'
    expect(await listed()).toEqual(['note://common', 'note://x'])
    expect(await read('note://x')).toEqual(['note://x', 'pub'])
    client.principal = 'ann'
    expect([await read(IN_VAULT), await read('note://x')]).toEqual([
      [IN_VAULT, 'vault, inside'],
      ['note://x', 'pub'],
    ])
    expect(await listed()).toEqual(['note://common', IN_VAULT, 'note://x'])
  })

  it('keeps its URI after another client has read the list, and so do the resources that all clients see', async () => {
    client.principal = 'ann'
    await login()
    const before = await listed()
    client.principal = undefined
    await listed()
    client.principal = 'ann'
    expect(await listed()).toEqual(before)
    // One more item for all clients, read by her only.
    common.push('note://more')
    for (const session of vault.sessions) session.notify(CHANGED)
    await settle()
    await clock.advance(6000)
    expect(await listed()).toEqual(['note://common', 'note://more', IN_VAULT, 'note://x'])
  })
})

describe('F7 a cursor of a list that one client alone is shown', () => {
  /** Counts up to 400 in one session, down in any other; 200 on a page. */
  function counting(): ScriptedServer {
    const known = new Set<Session>()
    return scripted({
      version: '2025-06-18',
      capabilities: { tools: {} },
      answer: ({ method, params, session }) => {
        if (method !== 'tools/list') {
          known.add(session)
          return text('known')
        }
        const at = Number(params['cursor'] ?? 0)
        const tools = Array.from({ length: 200 }, (_, index) => ({
          name: `${known.has(session) ? 'own' : 'common'}${at + index}`,
          inputSchema: { type: 'object' },
        }))
        return at === 0 ? { tools, nextCursor: '200' } : { tools }
      },
    })
  }

  const page = async (cursor?: unknown): Promise<{ first?: string; code?: number | undefined; next?: unknown }> => {
    const { result, error } = await client.ask('tools/list', cursor === undefined ? {} : { cursor })
    if (result === undefined) return { code: error?.code }
    return { first: (result['tools'] as { name: string }[])[0]?.name ?? '', next: result['nextCursor'] }
  }

  beforeEach(() => {
    rig.replace({ count: { server: counting(), config: { session: 'principal' } } }, ['vault', 'pub'])
    client.principal = 'ann'
  })

  it('goes on in the same conversation, and is refused when that has ended', async () => {
    await client.ask('tools/call', { name: 'count__know', arguments: {} })
    const { first, next } = await page()
    expect(first).toBe('count__own0')
    expect(await page(next)).toEqual({ first: 'count__own200', next: undefined })
    await clock.advance(12 * MINUTE)
    expect(await page(next)).toEqual({ code: -32602 })
    expect((await page()).first).toBe('count__common0')
    // Another conversation of the same client gave no such cursor either.
    await client.ask('tools/call', { name: 'count__know', arguments: {} })
    expect(await page(next)).toEqual({ code: -32602 })
  })

  it('of the common list goes on there when a conversation has begun meanwhile', async () => {
    await rig.upstream('count').gatewayConversation()
    const { next } = await page()
    await client.ask('tools/call', { name: 'count__know', arguments: {} })
    expect(await page(next)).toEqual({ first: 'count__common200', next: undefined })
    expect((await page()).first).toBe('count__own0')
  })
})

describe('F7 two requests for one list of one client', () => {
  it.each(['tools/list', 'tasks/list'])(
    'do not fail with each other: %s goes on when the one that came first is cancelled',
    async (method) => {
      const asked: (() => void)[] = []
      let isSlow = false
      const slow = scripted({
        version: '2025-11-25',
        capabilities: { tools: { listChanged: true }, tasks: { list: {}, requests: { tools: { call: {} } } } },
        answer: (inbound) => {
          if (inbound.method === 'tools/call') return text('begun')
          const item =
            inbound.method === 'tools/list'
              ? { tools: [{ name: 'own', inputSchema: { type: 'object' } }] }
              : { tasks: [TASK] }
          if (!isSlow) return item
          return new Promise((resolve) => {
            asked.push(() => resolve(item))
            inbound.onCancel(() => resolve({}))
          })
        },
      })
      rig.replace({ slow: { server: slow, config: { session: 'principal' } } }, ['vault', 'pub'])
      await rig.upstream('slow').gatewayConversation()
      // With a session of its own, in which what it has shown is read again.
      const raw = new RawClient(rig.aggregate, { clock })
      await raw.shakeHands('2025-11-25')
      await raw.request('tools/call', { name: 'slow__any', arguments: {} })
      slow.sessions.at(-1)?.notify('notifications/tools/list_changed')
      await settle()
      await clock.advance(200)
      isSlow = true
      const id = raw.nextId
      void raw.request(method)
      await settle()
      const second = raw.request(method)
      await settle()
      expect(asked).toHaveLength(1)
      raw.send({ method: 'notifications/cancelled', params: { requestId: id } })
      await settle()
      asked.at(-1)?.()
      const { result = {} } = await second
      raw.close()
      expect(Object.values(result)[0]).toHaveLength(1)
    },
  )
})
