/** C-23: a task that only the gateway knows of ends with the call it was begun for. */
import type { Capabilities } from 'parley-mcp'
import { type Body, Serialised, TASKS_EXTENSION } from 'parley-mcp/engine'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, type ScriptedServer, scripted, text, until } from '../../addresses/server/peers.fixtures.ts'

const STAMP = '2026-01-01T00:00:00Z'
const RELATED = 'io.modelcontextprotocol/related-task'
const CALL = { name: 'job', arguments: {} }

let clock: FakeClock
let rig: BridgeRig
let server: ScriptedServer
/** What the server waits with, by method. */
let held: Map<string, (answer: Body) => void>
beforeEach(() => {
  clock = fakeClock()
  held = new Map()
  const task = (status: string): Body => ({
    taskId: 'own',
    status,
    createdAt: STAMP,
    lastUpdatedAt: STAMP,
    ttl: null,
    pollInterval: 100,
  })
  server = scripted({
    version: '2025-11-25',
    capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    answer: ({ method }) => {
      if (method === 'tools/list')
        return { tools: [{ name: 'job', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] }
      if (method === 'tools/call') return { task: task('working') }
      if (method === 'tasks/get') return task('working')
      return new Promise<Body>((resolve) => held.set(method, resolve)).then((answer) =>
        method === 'tasks/cancel' ? task('cancelled') : answer,
      )
    },
  })
  rig = bridgeTo(server, '2025-11-25', { session: 'request' }, { clock })
})
afterEach(async () => {
  for (const answer of held.values()) answer(text('over'))
  const closed = rig.close()
  await clock.advance(5000)
  await closed
})

/** Whether the conversation in which the tool was called is still there. */
const isOpen = (): boolean => server.asked.find(({ method }) => method === 'tools/call')?.session.open === true

const WAYS: readonly { readonly who: string; begin(): Promise<() => void> }[] = [
  {
    who: 'a client of 2026-07-28 gives up',
    begin: async () => {
      const client = new RawClient(rig.address, { clock })
      const requestId = client.nextId
      void client.ask('tools/call', CALL)
      return () => client.send({ method: 'notifications/cancelled', params: { requestId } })
    },
  },
  {
    who: 'a client of 2025-06-18 ends its session',
    begin: async () => {
      const client = new RawClient(rig.address, { clock })
      await client.shakeHands('2025-06-18')
      void client.request('tools/call', CALL)
      return () => void client.session.close({ drain: 0 })
    },
  },
]

describe.each(WAYS)('C-23 $who while its tool runs as a task', ({ begin }) => {
  it('the conversation lasts until the server has answered that the task is cancelled', async () => {
    const leave = await begin()
    await until(() => expect(held.has('tasks/result')).toBe(true))
    leave()
    await until(() => expect(held.has('tasks/cancel')).toBe(true))
    await clock.advance(500)
    expect(isOpen()).toBe(true)
    held.get('tasks/cancel')?.({})
    await until(() => expect(isOpen()).toBe(false))
    expect(server.asked.filter(({ method }) => method === 'tasks/cancel')).toHaveLength(1)
  })

  it('for a second at most', async () => {
    const leave = await begin()
    await until(() => expect(held.has('tasks/result')).toBe(true))
    leave()
    await until(() => expect(held.has('tasks/cancel')).toBe(true))
    await clock.advance(1000)
    await until(() => expect(isOpen()).toBe(false))
  })
})

describe('a client of 2025-06-18 ends its session while a server of 2026-07-28 runs its call as a task', () => {
  it('the conversation lasts until the server has answered that the task is cancelled', async () => {
    await rig.close()
    const task = {
      taskId: 'own',
      status: 'working',
      createdAt: STAMP,
      lastUpdatedAt: STAMP,
      ttlMs: null,
      pollIntervalMs: 100,
    }
    server = scripted({
      version: '2026-07-28',
      capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } } as Capabilities,
      answer: ({ method }) => {
        if (method === 'tools/call') return new Serialised(JSON.stringify({ resultType: 'task', ...task }))
        return method === 'tasks/cancel' ? new Promise<Body>((resolve) => held.set(method, () => resolve({}))) : task
      },
    })
    rig = bridgeTo(server, '2026-07-28', {}, { clock })
    const client = new RawClient(rig.address, { clock })
    await client.shakeHands('2025-06-18')
    void client.request('tools/call', CALL)
    await until(() => expect(server.asked.map(({ method }) => method)).toContain('tools/call'))
    await clock.advance(100)
    const { open } = rig.ways
    void client.session.close({ drain: 0 })
    await until(() => expect(held.has('tasks/cancel')).toBe(true))
    await clock.advance(500)
    expect(rig.ways.open).toBe(open)
    held.get('tasks/cancel')?.({})
    await until(() => expect(rig.ways.open).toBe(open - 1))
  })
})

describe('C-25 what comes of a task that only the gateway knows of', () => {
  const finish = async (): Promise<void> => {
    await until(() => expect(held.has('tasks/result')).toBe(true))
    held.get('tasks/result')?.({ ...text('done'), _meta: { [RELATED]: { taskId: 'own' }, note: 1 } })
  }

  it('does not name the task to a client that waits for the result', async () => {
    const client = new RawClient(rig.address, { clock })
    const called = client.ask('tools/call', CALL)
    await finish()
    expect((await called).result?.['_meta']).toEqual({
      note: 1,
      'io.modelcontextprotocol/serverInfo': expect.anything(),
    })
  })

  it('does not name it to one that has a task of the gateway', async () => {
    const client = new RawClient(rig.address, { clock })
    const extended = { extensions: { [TASKS_EXTENSION]: {} } } as Capabilities
    const { result } = await client.ask('tools/call', CALL, extended)
    await finish()
    await until(async () => {
      const { result: seen } = await client.ask('tasks/get', { taskId: result?.['taskId'] }, extended)
      expect(seen).toMatchObject({ status: 'completed' })
      expect(JSON.stringify(seen)).not.toContain(RELATED)
    })
  })
})
