/** The lists that principals without a session see, at the address of all servers. */
import { type Body, META, type Session } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionPolicy } from '../../config/index.ts'
import { HANDLE_KEY } from '../../upstream/index.ts'
import { RawClient, type ScriptedServer, scripted, text } from '../server/peers.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'

const CHANGED = 'notifications/tools/list_changed'
const MINUTE = 60_000

let clock: FakeClock
let rig: AggregateRig
/** Clients without sessions that share one way in. */
let client: RawClient
let vault: ScriptedServer
beforeEach(() => {
  clock = fakeClock()
})
afterEach(async () => {
  client.close()
  await rig.close()
})

/** Shows more to a client that has logged in, in that session. `tells`: it reports the change. */
function vaultServer(tells: boolean): ScriptedServer {
  const inside = new Set<Session>()
  return scripted({
    version: '2025-06-18',
    capabilities: { tools: { listChanged: tells } },
    answer: ({ method, params, session }) => {
      const names = ['login', ...(inside.has(session) ? ['treasure'] : [])]
      if (method === 'tools/list') return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }
      if (params['name'] === 'login') {
        inside.add(session)
        if (tells) session.notify(CHANGED)
      }
      return text(`${String(params['name'])} done`)
    },
  })
}

function begin(
  session: SessionPolicy,
  { tells = true, members = {} as ConstructorParameters<typeof AggregateRig>[0] } = {},
): void {
  vault = vaultServer(tells)
  rig = new AggregateRig({ vault: { server: vault, config: { session } }, ...members }, { clock })
  client = new RawClient(rig.aggregate, { clock, sharedLink: true })
}

async function names(meta: Body = {}): Promise<string[]> {
  const { result = {} } = await client.ask('tools/list', { _meta: meta })
  return (result['tools'] as { name: string }[]).map(({ name }) => name)
}

async function login(meta: Body = {}): Promise<Body> {
  const { result } = await client.ask('tools/call', { name: 'vault__login', arguments: {}, _meta: meta })
  return (result?.['_meta'] ?? {}) as Body
}

async function listen(meta: Body = {}): Promise<number> {
  const id = client.nextId
  const before = client.of('notifications/subscriptions/acknowledged').length
  void client.ask('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: meta })
  await client.next('notifications/subscriptions/acknowledged', before)
  return id
}

/** Which listeners were told, each by its request. */
function told(): unknown[] {
  return client.of(CHANGED).map(({ params = {} }) => (params['_meta'] as Body)[META.subscription])
}

async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await flush()
  await clock.advance(200)
}

const BEFORE = ['vault__login']
const INSIDE = ['vault__login', 'vault__treasure']

describe('a tool that a server adds for one principal', () => {
  it.each([true, false])(
    'is shown to that principal only, also if the server does not report it (%s)',
    async (tells) => {
      begin('principal', { tells, members: { other: { server: vaultServer(true) } } })
      const both = (own: string[]): string[] => [...own, 'other__login']
      for (const principal of ['ann', 'bea', undefined]) {
        client.principal = principal
        expect(await names()).toEqual(both(BEFORE))
      }
      client.principal = 'ann'
      await login()
      expect(await names()).toEqual(both(INSIDE))
      for (const principal of ['bea', undefined]) {
        client.principal = principal
        expect(await names()).toEqual(both(BEFORE))
      }
      client.principal = 'bea'
      await client.ask('tools/call', { name: 'vault__any', arguments: {} })
      expect(await names()).toEqual(both(BEFORE))
    },
  )

  it('begins no conversation for a principal that only reads lists', async () => {
    begin('principal')
    client.principal = 'ann'
    await names()
    await listen()
    await names()
    await settle()
    expect(vault.sessions).toHaveLength(1)
  })

  it.each(['before', 'after'])(
    'is told to listeners of that principal only, when the conversation began %s',
    async (when) => {
      begin('principal')
      await rig.upstream('vault').gatewayConversation()
      client.principal = 'ann'
      if (when === 'before') await client.ask('tools/call', { name: 'vault__any', arguments: {} })
      const id = await listen()
      client.principal = 'bea'
      await listen()
      await settle()
      expect(told()).toEqual([])
      client.principal = 'ann'
      await login()
      await settle()
      expect(told()).toEqual([id])
    },
  )

  it('stays as long as a client listens; its end is told', async () => {
    begin('principal')
    // Over a way that is its alone it can say that it has heard enough.
    client = new RawClient(rig.aggregate, { clock })
    await login()
    const id = await listen()
    await clock.advance(30 * MINUTE)
    expect([await names(), told()]).toEqual([INSIDE, []])
    await vault.sessions.at(-1)?.close()
    await settle()
    expect(told()).toContain(id)
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await login()
    expect(await names()).toEqual(INSIDE)
    await settle()
    await clock.advance(12 * MINUTE)
    expect(await names()).toEqual(BEFORE)
  })

  it('is shown and told of a server that is added while a client listens', async () => {
    begin('principal')
    client.principal = 'ann'
    const id = await listen()
    rig.replace({ late: { server: vaultServer(true), config: { session: 'principal' } } })
    await rig.upstream('late').gatewayConversation()
    await settle()
    const before = told().length
    await client.ask('tools/call', { name: 'late__login', arguments: {} })
    await settle()
    expect(told().slice(before)).toEqual([id])
    expect(await names()).toEqual(['vault__login', 'late__login', 'late__treasure'])
  })
})

describe('L4 conversations of principals that listen, where there are as many as there may be', () => {
  const calledAs = async (principal: string, name = 'vault__any'): Promise<unknown> => {
    client.principal = principal
    return (await client.ask('tools/call', { name, arguments: {} })).error?.message
  }

  it('make room for another, the one unused longest first, and its listener is told', async () => {
    vault = vaultServer(true)
    rig = new AggregateRig({ vault: { server: vault, config: { session: 'principal', maxSessions: 2 } } }, { clock })
    client = new RawClient(rig.aggregate, { clock, sharedLink: true })
    const ids: number[] = []
    for (const principal of ['ann', 'bea']) {
      expect(await calledAs(principal, 'vault__login')).toBeUndefined()
      ids.push(await listen())
      await settle()
    }
    await clock.advance(30 * MINUTE)
    expect(await calledAs('ann')).toBeUndefined()
    await settle()
    const before = told().length
    expect(await calledAs('cam')).toBeUndefined()
    await settle()
    expect(told().slice(before)).toEqual([ids[1]])
    const shown: string[][] = []
    for (const principal of ['ann', 'bea']) {
      client.principal = principal
      shown.push(await names())
    }
    expect(shown).toEqual([INSIDE, BEFORE])
  })

  it('do not make room while a call is under way', async () => {
    let finish: (() => void) | undefined
    const slow = scripted({
      version: '2025-06-18',
      answer: ({ method }) =>
        method === 'tools/list'
          ? { tools: [] }
          : new Promise((resolve) => {
              finish = () => resolve(text('done'))
            }),
    })
    rig = new AggregateRig({ vault: { server: slow, config: { session: 'principal', maxSessions: 1 } } }, { clock })
    client = new RawClient(rig.aggregate, { clock, sharedLink: true })
    client.principal = 'ann'
    await listen()
    const call = calledAs('ann')
    await settle()
    expect(await calledAs('bea')).toMatch('has 1 sessions already, and all are in use')
    finish?.()
    expect(await call).toBeUndefined()
  })
})

describe('a tool that a server adds for one handle', () => {
  it('is shown and told to who brings the handle, and to nobody else', async () => {
    begin('handle', { members: { second: { server: vaultServer(true), config: { session: 'handle' } } } })
    const handle = { [HANDLE_KEY]: (await login())[HANDLE_KEY] }
    expect(await names()).toEqual([...BEFORE, 'second__login'])
    expect(await names(handle)).toEqual([...INSIDE, 'second__login'])
    const id = await listen(handle)
    await listen()
    await login(handle)
    await settle()
    expect(told()).toEqual([id])
  })
})
