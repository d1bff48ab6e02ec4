/** Tasks with the published SDK of 2025-11-25, in all four roles. */

import { Client as TheirClient } from 'sdk-2025-11-25/client/index.js'
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from 'sdk-2025-11-25/experimental/tasks'
import { McpServer } from 'sdk-2025-11-25/server/mcp.js'
import { CallToolResultSchema, CreateMessageRequestSchema, ElicitRequestSchema } from 'sdk-2025-11-25/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/client.ts'
import { createServer, ToolError, tool } from '../../src/server.ts'
import { memoryPair } from '../../src/testing.ts'
import { LinkTransport } from './link-transport.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function theirStore(): InMemoryTaskStore {
  const store = new InMemoryTaskStore()
  ends.push(() => store.cleanup())
  return store
}

const optional = { execution: { taskSupport: 'optional' } } as const
const ours = () =>
  createServer({ name: 'ours', version: '1' }, { tasks: { pollInterval: '20ms' }, onError: () => {} }).add(
    tool('quick', optional, () => 'quick'),
    tool('fail', optional, () => {
      throw new ToolError('no')
    }),
    tool('hang', optional, (_, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', reject))),
    tool('ask', { execution: { taskSupport: 'required' } }, async (_, ctx) => {
      const { action } = await ctx.elicit('go', 'Go on?', {
        type: 'object',
        properties: { sure: { type: 'boolean' } },
      } as const)
      return `answered ${action}`
    }),
    tool(
      'think',
      optional,
      async (_, ctx) =>
        (await ctx.sample('s', 'Think', { task: { ttl: '1m' } })).content as { type: 'text'; text: string },
    ),
  )

async function theirClient(capabilities: object = {}, more: object = {}) {
  const [near, far] = memoryPair()
  const session = ours().accept(far, { keepAlive: false })
  const client = new TheirClient({ name: 'theirs', version: '1' }, { capabilities, ...more })
  await client.connect(new LinkTransport(near) as never)
  ends.push(() => client.close())
  return { client, session }
}

async function follow(client: TheirClient, name: string) {
  const seen: string[] = []
  for await (const message of client.experimental.tasks.callToolStream({ name, arguments: {} }, CallToolResultSchema, {
    task: { ttl: 60_000 },
  })) {
    seen.push(message.type === 'taskStatus' ? message.task.status : message.type)
    if (message.type === 'result') return { seen, result: message.result }
    if (message.type === 'error') return { seen, error: message.error }
  }
  return { seen }
}

describe('F8 V1 a published client and our tasks', () => {
  it('begins, polls and fetches', async () => {
    const { client } = await theirClient()
    const { seen, result } = await follow(client, 'quick')
    expect(seen[0]).toBe('taskCreated')
    expect(seen[seen.length - 1]).toBe('result')
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'quick' }] })
  })

  it('answers a question in the middle of one', async () => {
    const { client } = await theirClient({ elicitation: {} })
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { sure: true } }))
    await client.listTools()
    expect((await follow(client, 'ask')).result).toMatchObject({ content: [{ text: 'answered accept' }] })
  })

  it('sees failures, lists and cancels', async () => {
    const { client } = await theirClient()
    expect((await follow(client, 'fail')).seen).toContain('failed')
    const created = client.experimental.tasks.callToolStream({ name: 'hang', arguments: {} }, CallToolResultSchema, {
      task: {},
    })
    const first = (await created.next()).value
    const taskId = first?.type === 'taskCreated' ? first.task.taskId : ''
    const { tasks } = await client.experimental.tasks.listTasks()
    // Tasks of the same millisecond are in the order of their random ids.
    expect(tasks.map(({ status }) => status).sort()).toEqual(['failed', 'working'])
    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' })
    await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 })
    await expect(client.experimental.tasks.getTask('nope')).rejects.toMatchObject({ code: -32602 })
    await expect(client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).rejects.toMatchObject({
      code: -32603,
    })
  })

  it('runs our questions as its own tasks', async () => {
    const taskStore = theirStore()
    const { client } = await theirClient(
      { sampling: {}, tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } } },
      { taskStore, taskMessageQueue: new InMemoryTaskMessageQueue() },
    )
    let wished: unknown
    client.setRequestHandler(CreateMessageRequestSchema, async (request, extra) => {
      wished = request.params.task
      const store = extra.taskStore as NonNullable<typeof extra.taskStore>
      const task = await store.createTask({ ttl: 60_000, pollInterval: 20 })
      setImmediate(() =>
        store.storeTaskResult(task.taskId, 'completed', {
          role: 'assistant',
          model: 'm',
          content: { type: 'text', text: 'thought' },
        }),
      )
      return { task } as never
    })
    expect(await client.callTool({ name: 'think', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: 'thought' }],
    })
    expect(wished).toEqual({ ttl: 60_000 })
  })
})

describe('F8 V1 our client and tasks of a published server', () => {
  async function theirServer(
    work: (finish: (text: string) => void) => void,
    taskSupport: 'optional' | 'required' = 'optional',
  ) {
    const taskStore = theirStore()
    const server = new McpServer({ name: 'theirs', version: '1' }, {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
      defaultTaskPollInterval: 20,
    } as never)
    server.experimental.tasks.registerToolTask(
      'job',
      { description: 'A job', execution: { taskSupport } },
      {
        createTask: async (extra) => {
          const { taskStore: store } = extra
          const task = await store.createTask({ ttl: extra.taskRequestedTtl ?? 60_000, pollInterval: 20 })
          work((text) => void store.storeTaskResult(task.taskId, 'completed', { content: [{ type: 'text', text }] }))
          return { task }
        },
        getTask: async ({ taskStore: store, taskId }) => store.getTask(taskId),
        getTaskResult: async ({ taskStore: store, taskId }) => (await store.getTaskResult(taskId)) as never,
      },
    )
    const [near, far] = memoryPair()
    await server.connect(new LinkTransport(far) as never)
    const client = await connect(near, { keepAlive: false })
    ends.push(() => client.close())
    return client
  }

  it('begins, follows, fetches and lists', async () => {
    let finish: (text: string) => void = () => {}
    const client = await theirServer((done) => {
      finish = done
    })
    const seen: string[] = []
    const task = await client.callAsTask('job', {}, { ttl: '30s', onStatus: ({ status }) => seen.push(status) })
    expect(task.latest).toMatchObject({ status: 'working', ttl: 30_000, pollInterval: 20 })
    expect((await client.tasks()).map(({ taskId }) => taskId)).toEqual([task.id])
    const result = task.result()
    finish('finished')
    expect((await result).value).toBe('finished')
    expect(seen).toEqual(['completed'])
  })

  it('call waits for a tool that is always a task', async () => {
    const client = await theirServer((done) => setImmediate(done, 'all along'), 'required')
    await client.tools()
    expect((await client.call('job')).value).toBe('all along')
  })

  it('cancels, and hears that there is nothing of that name', async () => {
    const client = await theirServer(() => {})
    const task = await client.callAsTask('job')
    expect(await task.cancel()).toMatchObject({ status: 'cancelled' })
    await expect(task.result()).rejects.toMatchObject({ code: -32603 })
    await expect(client.task('nope').status()).rejects.toMatchObject({ code: -32602 })
  })
})
