import { describe, expect, it, vi } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { flush } from '../../testing/clock.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { createServer } from '../server.ts'
import { tool } from '../tools/tool.ts'
import { ASKED, StatelessClient, setUp, TASKS } from './extension.fixtures.ts'
import { info, RELATED } from './task.fixtures.ts'

describe('D7 D-41 who has tasks says so', () => {
  it('under its extensions, and never as the capability of the era before', async () => {
    const { client, server } = setUp()
    const { capabilities } = (await client.result('server/discover')) as { capabilities: Body }
    expect(capabilities['extensions']).toEqual({ [TASKS]: {} })
    expect(capabilities).not.toHaveProperty('tasks')
    const old = (await rawClient(server)).initialized['capabilities'] as Body
    expect(old['tasks']).toBeDefined()
    expect(old).not.toHaveProperty('extensions')
  })

  it('only when a tool may run as one; other extensions stay', async () => {
    const client = new StatelessClient(
      createServer(info, { extensions: { 'x/y': {} } }).add(tool('greet', {}, () => 'Hi')),
    )
    expect((await client.result('server/discover'))['capabilities']).toMatchObject({ extensions: { 'x/y': {} } })
    expect(JSON.stringify(await client.result('server/discover'))).not.toContain(TASKS)
    expect(await client.error('tasks/get', { taskId: 'x' })).toMatchObject({ code: -32601 })
  })

  it('D-47 and no tool has an execution', async () => {
    const { client } = setUp()
    expect(JSON.stringify(await client.result('tools/list'))).not.toContain('execution')
  })
})

describe('D7 the server decides', () => {
  it('a call becomes a task, flat, with no field too many, which can be read at once', async () => {
    const { client } = setUp()
    const created = await client.call('gate')
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUpdatedAt: '2026-01-01T00:00:00.000Z',
      ttlMs: 3_600_000,
      pollIntervalMs: 100,
    })
    expect(await client.get(created['taskId'])).toEqual({ ...created, resultType: 'complete' })
  })

  it('tools that do not run as tasks answer as ever', async () => {
    const { client } = setUp()
    expect(await client.call('greet')).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'Hello!' }] })
  })

  it('a wish of the era before is ignored', async () => {
    const { client } = setUp()
    expect(await client.call('greet', { task: { ttl: 5 } })).toMatchObject({ resultType: 'complete' })
    expect(await client.call('gate', { task: { ttl: 5 } })).toMatchObject({ resultType: 'task', ttlMs: 3_600_000 })
    expect(await client.call('gate', { task: 'nonsense' })).toMatchObject({ resultType: 'task' })
  })

  it('without the extension the same tool answers itself', async () => {
    const { client, held } = setUp({ tasks: false })
    const calling = client.call('gate')
    await flush()
    held.last().open('done')
    expect(await calling).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'done' }] })
  })

  it('a tool that must be a task refuses: -32021, and names what is missing', async () => {
    const { client } = setUp({ tasks: false })
    expect(await client.error('tools/call', { name: 'failing', arguments: {} })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    })
  })

  it('each request counts for itself', async () => {
    const { client } = setUp({ tasks: false })
    const capabilities = { extensions: { [TASKS]: {} } }
    expect(
      await client.call('failing', {}, { 'io.modelcontextprotocol/clientCapabilities': capabilities }),
    ).toMatchObject({ resultType: 'task' })
    expect(await client.error('tools/call', { name: 'failing', arguments: {} })).toMatchObject({ code: -32021 })
  })

  it('arguments that do not fit are a failed result of the task', async () => {
    const { client } = setUp()
    const { taskId } = await client.call('gate', { arguments: { extra: 1 } })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed', result: { isError: true } })
  })
})

describe('D7 tasks/get tells all', () => {
  it('a result, with no mark of a task', async () => {
    const { client, held } = setUp()
    const { taskId } = await client.call('gate')
    held.last().open('done')
    await flush()
    const task = await client.get(taskId)
    expect(task).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { content: [{ type: 'text', text: 'done' }] },
    })
    expect(JSON.stringify(task)).not.toContain(RELATED)
    expect(task).not.toHaveProperty('requestState')
    expect(task).not.toHaveProperty('error')
  })

  it('a tool that failed has completed', async () => {
    const { client } = setUp()
    const { taskId } = await client.call('failing')
    expect(await client.get(taskId)).toMatchObject({
      status: 'completed',
      statusMessage: 'no paper',
      result: { isError: true, content: [{ type: 'text', text: 'no paper' }] },
    })
  })

  it('an error of the protocol has failed, and there is no result', async () => {
    const { client } = setUp()
    const { taskId } = await client.call('broken')
    const task = await client.get(taskId)
    expect(task).toMatchObject({ status: 'failed', error: { code: -32602, message: 'no such job', data: { job: 7 } } })
    expect(task).not.toHaveProperty('result')
  })

  it('what a handler reports as progress is the message; nothing else is sent', async () => {
    const { client, held } = setUp({}, {})
    const { taskId } = await client.call(
      'gate',
      {},
      { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' },
    )
    const before = client.raw.received.length
    held.last().ctx.progress(1, 3, 'one of three')
    held.last().ctx.log('error', 'loud')
    await flush()
    expect(client.raw.received).toHaveLength(before)
    expect(await client.get(taskId)).toMatchObject({ status: 'working', statusMessage: 'one of three' })
  })

  it('unknown and expired tasks, and no id at all: -32602', async () => {
    const { client, clock } = setUp({}, { tasks: { ttl: '1m' } })
    const { taskId } = await client.call('gate')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await client.error(method, { taskId: 'nobody', inputResponses: {} })).toMatchObject({ code: -32602 })
      expect(await client.error(method, { inputResponses: {} })).toMatchObject({ code: -32602 })
    }
    await clock.advance(60_000)
    expect(await client.error('tasks/get', { taskId })).toMatchObject({ code: -32602 })
  })

  it('what the era before had is gone: -32601', async () => {
    const { client } = setUp()
    const { taskId } = await client.call('gate')
    expect(await client.error('tasks/result', { taskId })).toMatchObject({ code: -32601 })
    expect(await client.error('tasks/list')).toMatchObject({ code: -32601 })
    const old = await rawClient(setUp().server)
    expect(await old.error('tasks/update', { taskId, inputResponses: {} })).toMatchObject({ code: -32601 })
  })

  it('nothing of it without the extension: -32021', async () => {
    const { client } = setUp({ tasks: false })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect(await client.error(method, { taskId: 'x' })).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      })
    }
  })
})

describe('D7 cancelling', () => {
  it('is acknowledged, and stops the handler', async () => {
    const { client, held } = setUp()
    const { taskId } = await client.call('gate')
    expect(await client.result('tasks/cancel', { taskId })).toEqual({ resultType: 'complete' })
    expect(held.last().ctx.signal.aborted).toBe(true)
    const task = await client.get(taskId)
    expect(task).toMatchObject({ status: 'cancelled' })
    expect(task).not.toHaveProperty('error')
  })

  it('is acknowledged as well when the task is over', async () => {
    const { client, held } = setUp()
    const { taskId } = await client.call('gate')
    held.last().open('done')
    await flush()
    expect(await client.result('tasks/cancel', { taskId })).toEqual({ resultType: 'complete' })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed' })
  })
})

describe('D7 whose tasks they are', () => {
  it('on a link of its own: the link’s, and they end with it', async () => {
    const { client, server, held, clock } = setUp()
    const { taskId } = await client.call('gate')
    const stranger = new StatelessClient(server, { accept: { clock } })
    expect(await stranger.error('tasks/get', { taskId })).toMatchObject({ code: -32602 })
    await client.raw.close()
    await flush()
    expect(held.last().ctx.signal.aborted).toBe(true)
  })

  it('where clients share a link: of who is behind the request, or of who knows the id', async () => {
    const { client, server, clock } = setUp({ accept: { sharedLink: true } })
    const { taskId } = await client.call('gate')
    const other = new StatelessClient(server, { accept: { clock, sharedLink: true } })
    expect(await other.get(taskId)).toMatchObject({ status: 'working' })
    await client.raw.close()
    expect(await other.get(taskId)).toMatchObject({ status: 'working' })
  })

  it('of whom the server says, by session and request', async () => {
    const principal = vi.fn((_: unknown, { params }: { params: Body }) => String((params['_meta'] as Body)['user']))
    const { client } = setUp({}, { tasks: { principal } })
    const { taskId } = await client.call('gate', {}, { user: 'ann' })
    expect(await client.result('tasks/get', { taskId }, { user: 'ann' })).toMatchObject({ status: 'working' })
    expect((await client.request('tasks/get', { taskId }, { user: 'bob' })).error).toMatchObject({ code: -32602 })
  })

  it('who gives up the call before its answer leaves no task behind', async () => {
    const { client, server, held } = setUp({ capabilities: ASKED })
    const id = client.raw.nextId
    void client.request('tools/call', { name: 'gate', arguments: {} })
    client.raw.notify('notifications/cancelled', { requestId: id })
    await flush()
    expect(held.calls).toHaveLength(0)
    expect(server.health()).toBeDefined()
  })
})

describe('D7 D-29 news of tasks', () => {
  it('whoever listens to its tasks is told all that tasks/get would tell', async () => {
    const { client, held } = setUp({ capabilities: ASKED })
    const { taskId } = await client.call('gate')
    void client.request('subscriptions/listen', { notifications: { taskIds: [taskId, 'nobody'] } })
    await flush()
    expect(client.raw.of('notifications/subscriptions/acknowledged')[0]?.params).toMatchObject({
      notifications: { taskIds: [taskId] },
    })
    held.last().ctx.progress(1, 2, 'half')
    await flush()
    const asking = held.last().ctx.roots('where')
    await flush()
    await client.update(taskId, { where: { roots: [] } })
    await asking
    held.last().open('done')
    await flush()
    const news = client.raw.of('notifications/tasks').map(({ params }) => params as Body)
    expect(news.map(({ status, statusMessage }) => [status, statusMessage])).toEqual([
      ['working', 'half'],
      ['input_required', 'Waiting for the answer to roots/list'],
      ['working', undefined],
      ['completed', undefined],
    ])
    expect(news[1]).toMatchObject({ inputRequests: { where: { method: 'roots/list' } } })
    const { resultType, ...now } = await client.get(taskId)
    expect(news[3]).toMatchObject(now)
  })
})
