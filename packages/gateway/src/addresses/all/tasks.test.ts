/** F8, D7: tasks of several servers behind one address. */
import { type Body, TASKS_EXTENSION } from 'parley-mcp/engine'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scripted, text } from '../server/peers.fixtures.ts'
import { AggregateRig, notesServer } from './aggregate.fixtures.ts'

const V11 = '2025-11-25'
const MODERN = '2026-07-28'
const NAMES = ['old', 'new', 'plain']

let rig: AggregateRig
afterEach(() => rig.close())

/** One that runs tasks as 2025-11-25 does, one that has the extension, and one without tasks. */
function threeServers(): AggregateRig {
  rig = new AggregateRig({
    old: { server: notesServer('old'), version: V11 },
    new: { server: notesServer('new'), version: MODERN },
    plain: { server: notesServer('plain'), version: '2025-06-18' },
  })
  return rig
}

const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

function taskServer(self: string) {
  return createServer({ name: self, version: '1' }, { tasks: { pollInterval: 10 } }).add(
    tool('form', { execution: { taskSupport: 'required' } }, async (_, ctx) => {
      const answer = await ctx.elicit('who', 'Who?', person)
      return `${self} heard ${answer.action === 'accept' ? answer.content.name : answer.action}`
    }),
    tool(
      'forever',
      { execution: { taskSupport: 'required' } },
      (_, ctx) => new Promise((_r, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('over')))),
    ),
  )
}

describe.each([V11, MODERN] as const)('F8 a client of %s', (version) => {
  it('begins tasks, asks about them and gets results whose links lead to their server', async () => {
    const client = await threeServers().connect({ version })
    await client.tools()
    for (const server of NAMES) {
      const task = await client.callAsTask(`${server}__later`)
      const { content } = await task.result()
      const { uri, name } = content[0] as { uri: string; name: string }
      expect(name).toBe(`later ${server}`)
      expect((await client.read(uri)).contents).toMatchObject([{ text: `the same of ${server}` }])
    }
  })

  it.each(['old', 'new'])('answers what a task of the "%s" server asks, and cancels one', async (server) => {
    rig = new AggregateRig({
      old: { server: taskServer('old'), version: V11 },
      new: { server: taskServer('new'), version: MODERN },
    })
    const client = await rig.connect({
      version,
      elicit: () => ({ action: 'accept', content: { name: 'Bea' } }) as never,
    })
    await client.tools()
    const asked = await client.callAsTask(`${server}__form`)
    expect((await asked.result()).text).toBe(`${server} heard Bea`)
    const forever = await client.callAsTask(`${server}__forever`)
    expect((await forever.status()).status).toBe('working')
    await forever.cancel()
    await vi.waitFor(async () => expect((await client.task(forever.id).status()).status).toBe('cancelled'))
  })
})

describe('F8 ids of tasks', () => {
  it('tasks/list shows those of all servers this client has used, each asked about by its own id', async () => {
    const client = await threeServers().connect({ version: V11 })
    await client.tools()
    const tasks = [await client.callAsTask('old__later'), await client.callAsTask('new__later')]
    for (const task of tasks) await task.result()
    const listed = await client.tasks()
    expect(listed.map(({ taskId }) => taskId).sort()).toEqual(tasks.map(({ id }) => id).sort())
    for (const { taskId } of listed) expect((await client.task(taskId).status()).taskId).toBe(taskId)
  })

  it('of other clients are not listed, and not found', async () => {
    const one = await threeServers().connect({ version: V11 })
    const other = await rig.connect({ version: V11 })
    await one.tools()
    await other.call('new__who')
    const task = await one.callAsTask('new__later')
    await task.result()
    expect(await other.tasks()).toEqual([])
    await expect(other.task(task.id).status()).rejects.toMatchObject({ receivedCode: -32602 })
  })

  it('that two servers share lead to the right one, and what they tell of them, too', async () => {
    const TASK = {
      taskId: '1',
      status: 'working',
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttl: null,
    }
    const numbering = (self: string) =>
      scripted({
        version: V11,
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        answer: ({ method, params, session }) => {
          if (method === 'tools/list')
            return { tools: [{ name: 'go', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }] }
          if (method === 'tools/call') {
            session.notify('notifications/tasks/status', TASK)
            return { task: TASK }
          }
          if (method === 'tasks/list') return { tasks: [TASK] }
          if (method === 'tasks/result')
            return {
              ...text(`${self} ${String(params['taskId'])}`),
              _meta: { 'io.modelcontextprotocol/related-task': { taskId: '1' } },
            }
          return { ...TASK, statusMessage: `${self} ${String(params['taskId'])}` }
        },
      })
    rig = new AggregateRig({ a: { server: numbering('a'), version: V11 }, b: { server: numbering('b'), version: V11 } })
    const raw = rig.raw()
    await raw.shakeHands(V11)
    const begun = await Promise.all(
      ['a__go', 'b__go'].map(
        async (name) =>
          (await raw.request('tools/call', { name, arguments: {}, task: {} })).result as { task: { taskId: string } },
      ),
    )
    const ids = begun.map(({ task }) => task.taskId)
    expect(ids).toEqual(['a/1', 'b/1'])
    for (const [at, self] of ['a', 'b'].entries()) {
      expect((await raw.request('tasks/get', { taskId: ids[at] })).result).toMatchObject({
        taskId: ids[at],
        statusMessage: `${self} 1`,
      })
      const { result } = await raw.request('tasks/result', { taskId: ids[at] })
      expect(result).toMatchObject({
        content: [{ text: `${self} 1` }],
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: ids[at] } },
      })
    }
    expect((await raw.request('tasks/list')).result).toMatchObject({ tasks: [{ taskId: 'a/1' }, { taskId: 'b/1' }] })
    expect(raw.of('notifications/tasks/status').map(({ params }) => params?.['taskId'])).toEqual(['a/1', 'b/1'])
  })

  it('of servers of the client’s own era need no memory: they lead there from any gateway, at any time', async () => {
    const server = scripted({
      version: MODERN,
      capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
      answer: () => ({
        resultType: 'complete',
        taskId: '42/7',
        status: 'completed',
        createdAt: '',
        lastUpdatedAt: '',
        ttlMs: null,
        result: { content: [{ type: 'resource_link', uri: 'x:y', name: 'y' }] },
      }),
    })
    rig = new AggregateRig({
      other: { server: notesServer('other'), version: MODERN },
      new: { server, version: MODERN },
    })
    const { result } = await rig
      .raw()
      .ask('tasks/get', { taskId: 'new/42/7' }, { extensions: { [TASKS_EXTENSION]: {} } })
    expect(server.asked.map(({ method, params }) => [method, params['taskId']])).toEqual([['tasks/get', '42/7']])
    expect(result).toMatchObject({ taskId: 'new/42/7', result: { content: [{ uri: 'x:y' }] } })
  })

  it.each(['old', 'new'])(
    'of the "%s" server that a client listens to are told under the ids it knows',
    async (server) => {
      rig = new AggregateRig({
        old: { server: taskServer('old'), version: V11 },
        new: { server: taskServer('new'), version: MODERN },
      })
      const capabilities = { extensions: { [TASKS_EXTENSION]: {} } }
      const raw = rig.raw()
      await raw.ask('tools/list')
      const { taskId } = (await raw.ask('tools/call', { name: `${server}__forever`, arguments: {} }, capabilities))
        .result as { taskId: string }
      void raw.ask('subscriptions/listen', { notifications: { taskIds: [taskId, 'gone/1'] } }, capabilities)
      const { params } = await raw.next('notifications/subscriptions/acknowledged')
      expect(params?.['notifications']).toEqual({ taskIds: [taskId] })
      await raw.ask('tasks/cancel', { taskId }, capabilities)
      expect((await raw.next('notifications/tasks')).params).toMatchObject({ taskId, status: 'cancelled' })
      const { error } = await raw.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } })
      expect(error?.code).toBe(-32021)
    },
  )

  it.each([
    ['unknown', 'nowhere'],
    ['of a server that is not there', 'gone/1'],
    ['none', 7],
  ])('that are %s are refused', async (_, taskId) => {
    const raw = threeServers().raw()
    await raw.shakeHands(V11)
    expect((await raw.request('tasks/get', { taskId })).error as Body | undefined).toMatchObject({ code: -32602 })
  })
})

describe.each(['2025-11-25', '2026-07-28'] as const)('F7, F8 progress for a client of %s', (version) => {
  it('names the task it is about by the id that the client knows, and keeps what else is said with it', async () => {
    const related = { 'io.modelcontextprotocol/related-task': { taskId: '7' }, 'x/y': 1 }
    const server = scripted({
      version: '2025-11-25',
      answer: (inbound) => {
        inbound.progress(1, 2, 'half', { _meta: related })
        return text('done')
      },
    })
    rig = new AggregateRig({ a: { server } })
    const raw = rig.raw()
    const call = { name: 'a__any', arguments: {}, _meta: { progressToken: 't' } }
    if (version === '2025-11-25') await raw.shakeHands(version)
    await (version === '2025-11-25' ? raw.request('tools/call', call) : raw.ask('tools/call', call))
    const [told] = raw.of('notifications/progress')
    expect(told?.params).toMatchObject({
      progress: 1,
      total: 2,
      message: 'half',
      _meta: { ...related, 'io.modelcontextprotocol/related-task': { taskId: 'a/7' } },
    })
  })
})
