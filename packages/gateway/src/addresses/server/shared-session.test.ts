/** Clients that share a session with a server do not see each other's messages and tasks. */
import type { Capabilities } from 'parley-mcp'
import { type Body, META } from 'parley-mcp/engine'
import { createServer, type Server, tool } from 'parley-mcp/server'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { EVERYTHING, RawClient, type ScriptedServer, scripted, text, textOf, until } from './peers.fixtures.ts'

const MESSAGE = 'notifications/message'
const TASK = {
  taskId: 'one',
  status: 'working',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: null,
}

let clock: FakeClock
let rig: BridgeRig
beforeEach(() => {
  clock = fakeClock()
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

async function sharing(version: string, capabilities: Capabilities = {}): Promise<RawClient> {
  const client = new RawClient(rig.address, { clock })
  await client.shakeHands(version, capabilities)
  return client
}

const NEWS = 'notifications/vendor/news'

/** What is for all has come, and so has whatever was said before. */
async function settled({ sessions }: ScriptedServer, clients: readonly RawClient[]): Promise<void> {
  const before = clients.map((client) => client.of(NEWS).length)
  for (const session of sessions) session.notify(NEWS, { words: 'for all' })
  await Promise.all(clients.map((client, index) => client.next(NEWS, before[index])))
}

const heardBy = (client: RawClient): unknown[] => client.of(MESSAGE).map(({ params }) => params?.['data'])

describe('log messages of a server that does not say which call they are about', () => {
  let release: () => void
  const log = ({ sessions }: Pick<ScriptedServer, 'sessions'>, data: string): void => {
    for (const session of sessions) session.notify(MESSAGE, { level: 'info', data })
  }

  /** `slow` waits, everything else logs its name. */
  function logging(): ScriptedServer {
    return scripted({
      version: '2025-06-18',
      answer: async (inbound) => {
        const name = String(inbound.params['name'])
        if (name === 'slow')
          await new Promise<void>((resolve) => {
            release = resolve
          })
        else log({ sessions: [inbound.session] }, `${name} runs`)
        return text(name)
      },
    })
  }

  it('go to the client whose call is the only one', async () => {
    const server = logging()
    rig = bridgeTo(server, undefined, { session: 'shared' }, { clock })
    const [ann, bea] = [await sharing('2025-06-18'), await sharing('2025-06-18')]
    expect(textOf(await ann.request('tools/call', { name: 'quick' }))).toBe('quick')
    log(server, 'quick ran')
    await settled(server, [ann, bea])
    expect(heardBy(ann)).toEqual(['quick runs'])
    expect(heardBy(bea)).toEqual([])
    expect(rig.ways.open).toBe(1)
  })

  it('go to no client while several calls run, or none', async () => {
    const server = logging()
    rig = bridgeTo(server, undefined, { session: 'shared' }, { clock })
    const [ann, bea] = [await sharing('2025-06-18'), await sharing('2025-06-18')]
    const modern = new RawClient(rig.address, { clock, sharedLink: true })
    const waiting = bea.request('tools/call', { name: 'slow' })
    await until(() => expect(server.asked).toHaveLength(1))
    const [own, other] = await Promise.all([
      ann.request('tools/call', { name: 'secret of ann' }),
      modern.ask('tools/call', { name: 'secret of modern', _meta: { [META.logLevel]: 'debug' } }),
    ])
    expect([textOf(own), textOf(other)]).toEqual(['secret of ann', 'secret of modern'])
    release()
    expect(textOf(await waiting)).toBe('slow')
    log(server, 'slow ran')
    await settled(server, [ann, bea])
    for (const client of [ann, bea, modern]) expect(heardBy(client)).toEqual([])
  })

  it.each(['notifications/tasks/status', 'notifications/elicitation/complete'])(
    'nor does %s, which names what is one client’s',
    async (method) => {
      const server = scripted({
        version: '2025-11-25',
        capabilities: { ...EVERYTHING, tasks: { requests: { tools: { call: {} } } } },
      })
      rig = bridgeTo(server, undefined, { session: 'shared' }, { clock, transport: 'http' })
      const able: Capabilities = { elicitation: { url: {} } }
      const [ann, bea] = [await sharing('2025-11-25', able), await sharing('2025-11-25', able)]
      for (const session of server.sessions) session.notify(method, { ...TASK, elicitationId: 'one' })
      await settled(server, [ann, bea])
      for (const client of [ann, bea]) expect(client.of(method)).toEqual([])
    },
  )

  it('what a server says in words of its own goes to all, unless it may be about a call', async () => {
    const server = logging()
    rig = bridgeTo(server, undefined, { session: 'shared' }, { clock })
    const [ann, bea] = [await sharing('2025-06-18'), await sharing('2025-06-18')]
    const say = (words: string): void => {
      for (const session of server.sessions) session.notify(NEWS, { words })
    }
    const heard = (client: RawClient): unknown[] => client.of(NEWS).map(({ params }) => params?.['words'])
    say('for all')
    await until(() => expect([heard(ann), heard(bea)]).toEqual([['for all'], ['for all']]))
    for (const client of [ann, bea]) void client.request('tools/call', { name: 'slow' })
    await until(() => expect(server.asked).toHaveLength(2))
    say('for one of them')
    await flush()
    expect([heard(ann), heard(bea)]).toEqual([['for all'], ['for all']])
  })
})

describe('tasks of clients that share a session with a server of 2025-11-25', () => {
  const VERSION = '2025-11-25'
  let finish: (() => void) | undefined
  beforeEach(() => {
    finish = undefined
  })

  function makeServer(taskSupport: 'optional' | 'required'): Server {
    return createServer({ name: 'tasks', version: '1' }, { clock, keepAlive: false }).add(
      tool(
        'slow',
        { execution: { taskSupport } },
        () =>
          new Promise<string>((resolve) => {
            finish = () => resolve('the secret of ann')
          }),
      ),
    ) as never
  }

  it.each(['optional', 'required'] as const)(
    'a tool whose support is %s: only the client of the call sees its task',
    async (taskSupport) => {
      rig = bridgeTo(makeServer(taskSupport), VERSION, { session: 'shared' }, { clock })
      const [ann, bea] = [new RawClient(rig.address, { clock }), new RawClient(rig.address, { clock })]
      for (const client of [ann, bea]) await client.shakeHands(VERSION)
      expect(rig.ways.open).toBe(1)
      const { result } = await ann.request('tools/call', { name: 'slow', arguments: {}, task: {} })
      const { taskId } = (result as { task: { taskId: string } }).task
      await until(() => expect(finish).toBeDefined())
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
        expect((await bea.request(method, { taskId })).error).toMatchObject({ code: -32602 })
      expect((await bea.request('tasks/list')).result).toEqual({ tasks: [] })
      expect((await ann.request('tasks/list')).result).toMatchObject({ tasks: [{ taskId, status: 'working' }] })
      const waited = ann.request('tasks/result', { taskId })
      finish?.()
      await until(async () => {
        await clock.advance(1000)
        expect((await ann.request('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' })
      })
      expect(textOf(await waited)).toBe('the secret of ann')
      expect(bea.of('notifications/tasks/status')).toEqual([])
    },
  )

  it('nor do they see those the gateway had run at the server', async () => {
    rig = bridgeTo(makeServer('required'), VERSION, { session: 'shared' }, { clock })
    const [ann, bea] = [new RawClient(rig.address, { clock }), new RawClient(rig.address, { clock })]
    for (const client of [ann, bea]) await client.shakeHands(VERSION)
    const called = ann.request('tools/call', { name: 'slow', arguments: {} })
    await until(() => expect(finish).toBeDefined())
    const listed = (await bea.request('tasks/list')).result as Body
    expect(listed['tasks']).toEqual([])
    finish?.()
    await until(async () => {
      await clock.advance(1000)
      expect(ann.received.some(({ result }) => result?.['content'] !== undefined)).toBe(true)
    })
    expect(textOf(await called)).toBe('the secret of ann')
  })
})

describe('L2 a server that is stopped when nobody needs it, and whose clients share a session', () => {
  it('is stopped after the last of those that shook hands has left, and not before', async () => {
    rig = bridgeTo(
      scripted({ version: '2025-06-18' }),
      '2025-06-18',
      { session: 'shared', lazy: true, idleStop: 60_000 },
      { clock },
    )
    const clients = [await sharing('2025-06-18'), await sharing('2025-06-18')]
    await clock.advance(300_000)
    expect(rig.ways.open).toBe(1)
    for (const client of clients) {
      expect(rig.ways.open).toBe(1)
      await client.request('tools/call', { name: 'any', arguments: {} })
      await client.session.close({ drain: 0 })
      await clock.advance(59_000)
    }
    expect(rig.ways.open).toBe(1)
    await clock.advance(1000)
    await until(() => expect(rig.ways.open).toBe(0))
  })
})
