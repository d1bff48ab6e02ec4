import { describe, expect, it } from 'vitest'
import { ParleyError, ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { flush } from '../../testing/clock.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { createServer } from '../server.ts'
import { result } from '../tools/results.ts'
import { tool } from '../tools/tool.ts'
import { begin, info, optional, RELATED, setUp } from './task.fixtures.ts'

describe('F8 what a server declares', () => {
  it('is tasks, once a tool can run as one', async () => {
    const { client } = await setUp()
    expect(client.initialized['capabilities']).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    })
    const plain = await rawClient(createServer(info).add(tool('plain', {}, () => 'x')))
    expect(plain.initialized['capabilities']).not.toHaveProperty('tasks')
  })

  it('is nothing of the kind in versions without tasks', async () => {
    const { client } = await setUp({}, { version: '2025-06-18' })
    expect(client.initialized['capabilities']).not.toHaveProperty('tasks')
    expect(await client.error('tasks/list')).toMatchObject({ code: -32601 })
  })

  it('is checked when it is defined', () => {
    expect(() => tool('x', { execution: { taskSupport: 'sometimes' as never } }, () => '')).toThrow(
      'taskSupport must be',
    )
    expect(() => createServer(info, { tasks: { maxTasks: 0 } })).toThrow('tasks.maxTasks')
    expect(() => createServer(info, { tasks: { ttl: '0s' } })).toThrow('Not a time a task can have')
  })
})

describe('C-23 taskSupport of a tool', () => {
  const server = () =>
    createServer(info).add(
      tool('may', optional, () => 'may'),
      tool('must', { execution: { taskSupport: 'required' } }, () => 'must'),
      tool('never', { execution: { taskSupport: 'forbidden' } }, () => 'never'),
      tool('silent', {}, () => 'silent'),
    )

  it.each(['never', 'silent'])('%s: as a task -32601, otherwise as ever', async (name) => {
    const client = await rawClient(server())
    expect(await client.error('tools/call', { name, task: {} })).toMatchObject({
      code: -32601,
      message: expect.stringContaining('cannot run as a task'),
    })
    expect(await client.result('tools/call', { name })).toEqual({ content: [{ type: 'text', text: name }] })
  })

  it('must: without task -32601', async () => {
    const client = await rawClient(server())
    expect(await client.error('tools/call', { name: 'must' })).toMatchObject({
      code: -32601,
      message: expect.stringContaining('runs only as a task'),
    })
    expect(await begin(client, 'must')).toMatchObject({ status: 'working' })
  })

  it('may: both ways', async () => {
    const client = await rawClient(server())
    expect(await client.result('tools/call', { name: 'may' })).toEqual({ content: [{ type: 'text', text: 'may' }] })
    expect(await begin(client, 'may')).toMatchObject({ status: 'working' })
  })

  it('C-24 the wish is ignored where no tasks were declared', async () => {
    const client = await rawClient(createServer(info).add(tool('silent', {}, () => 'ran')))
    expect(await client.result('tools/call', { name: 'silent', task: { ttl: 1 } })).toEqual({
      content: [{ type: 'text', text: 'ran' }],
    })
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'C-24 the wish is ignored in %s, and a tool that must be a task simply runs',
    async (version) => {
      const client = await rawClient(server(), { version })
      expect(await client.result('tools/call', { name: 'must', task: { ttl: 1 } })).toMatchObject({
        content: [{ type: 'text', text: 'must' }],
      })
      expect(await client.result('tools/call', { name: 'never', task: {} })).toMatchObject({
        content: [{ type: 'text', text: 'never' }],
      })
      const { tools } = await client.result('tools/list')
      expect((tools as Body[]).map((each) => each['name'])).toEqual(['may', 'must', 'never', 'silent'])
      expect((tools as Body[]).filter((each) => 'execution' in each)).toEqual([])
    },
  )
})

describe('F8 the life of a task', () => {
  it('is told when it begins, before anything else of it', async () => {
    const { client, held } = await setUp()
    const before = client.received.length
    const begun = await client.result('tools/call', { name: 'gate', task: { ttl: 60_000 } })
    expect(begun).toEqual({
      task: {
        taskId: expect.any(String),
        status: 'working',
        createdAt: '2026-01-01T00:00:00.000Z',
        lastUpdatedAt: '2026-01-01T00:00:00.000Z',
        ttl: 60_000,
        pollInterval: 1000,
      },
    })
    expect(client.received.length).toBe(before + 1)
    await flush()
    expect(held.calls).toHaveLength(1)
  })

  it('gives every task an id nobody can guess', async () => {
    const { client } = await setUp()
    const ids = [(await begin(client, 'gate')).taskId, (await begin(client, 'gate')).taskId]
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('tasks/get shows how it stands', async () => {
    const { client, held, clock } = await setUp()
    const { taskId } = await begin(client, 'gate')
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' })
    await clock.advance(5000)
    held.last().open('done')
    await flush()
    const after = await client.result('tasks/get', { taskId })
    expect(after).toMatchObject({
      status: 'completed',
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUpdatedAt: '2026-01-01T00:00:05.000Z',
    })
    expect(after).not.toHaveProperty('_meta')
  })

  it('tasks/result waits for the end and gives exactly the result, marked', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    let answered = false
    const waiting = client.result('tasks/result', { taskId }).finally(() => {
      answered = true
    })
    await flush()
    expect(answered).toBe(false)
    held.last().open(result({ content: 'done', meta: { own: 1 } }))
    const expected = { content: [{ type: 'text', text: 'done' }], _meta: { own: 1, [RELATED]: { taskId } } }
    expect(await waiting).toEqual(expected)
    expect(await client.result('tasks/result', { taskId })).toEqual(expected)
  })

  it('several may wait for one task', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    const waiting = [client.result('tasks/result', { taskId }), client.result('tasks/result', { taskId })]
    await flush()
    held.last().open('done')
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ content: [{ text: 'done' }] })
  })

  it('tells of changes by notification, with the whole task and without a mark', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    held.last().open('done')
    await flush()
    const notices = client.of('notifications/tasks/status')
    expect(notices).toHaveLength(1)
    expect(notices[0]?.params).toMatchObject({
      taskId,
      status: 'completed',
      ttl: 3_600_000,
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
    })
    expect(notices[0]?.params).not.toHaveProperty('_meta')
  })

  it('a tool that reports an error has failed, and its result is still a result', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    held.last().fail(new ToolError('out of paper'))
    await flush()
    expect(await client.result('tasks/get', { taskId })).toMatchObject({
      status: 'failed',
      statusMessage: 'out of paper',
    })
    expect(await client.result('tasks/result', { taskId })).toMatchObject({
      isError: true,
      content: [{ text: 'out of paper' }],
      _meta: { [RELATED]: { taskId } },
    })
  })

  it('a request that fails gives that same error, and masks what is nobody’s business', async () => {
    const { client, held, onError } = await setUp()
    const first = await begin(client, 'gate')
    held.last().fail(new ParleyError('resource_not_found', { message: 'no such file', data: { uri: 'a://b' } }))
    const second = await begin(client, 'gate')
    held.last().fail(new TypeError('password is 1234'))
    await flush()
    expect(await client.error('tasks/result', { taskId: first.taskId })).toMatchObject({
      code: -32002,
      message: 'no such file',
      data: { uri: 'a://b' },
    })
    const general = expect.stringContaining('Tool "gate" failed because of an error in the server')
    expect(await client.result('tasks/result', { taskId: second.taskId })).toMatchObject({
      isError: true,
      content: [{ text: general }],
    })
    expect(await client.result('tasks/get', { taskId: second.taskId })).toMatchObject({
      status: 'failed',
      statusMessage: general,
    })
    expect(JSON.stringify(client.frames)).not.toContain('1234')
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it('bad arguments are an outcome like any other', async () => {
    const { client } = await setUp()
    const { taskId } = await begin(client, 'gate', {}, { arguments: { surprise: 1 } })
    expect(await client.result('tasks/result', { taskId })).toMatchObject({ isError: true })
  })

  it('a result that is no JSON fails the task and is reported', async () => {
    const { client, held, onError } = await setUp()
    const { taskId } = await begin(client, 'gate')
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    held.last().open(result({ content: 'x', structured: cycle }))
    await flush()
    expect(await client.error('tasks/result', { taskId })).toMatchObject({ code: -32603 })
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it('results are translated as those of the call would be (D-43)', async () => {
    const list = tool('list', { ...optional, output: { type: 'array', items: { type: 'number' } } }, () => [1, 2])
    const client = await rawClient(createServer(info).add(list))
    const plain = await client.result('tools/call', { name: 'list' })
    expect(plain['structuredContent']).toEqual({ result: [1, 2] })
    const { taskId } = await begin(client, 'list')
    expect(await client.result('tasks/result', { taskId })).toEqual({ ...plain, _meta: { [RELATED]: { taskId } } })
  })
})

describe('F8 cancelling', () => {
  it('aborts the handler, and the task stays cancelled whatever the handler does', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    const waiting = client.error('tasks/result', { taskId })
    await flush()
    const after = await client.result('tasks/cancel', { taskId })
    expect(after).toMatchObject({ taskId, status: 'cancelled', statusMessage: expect.any(String) })
    expect(held.last().ctx.signal.aborted).toBe(true)
    expect(await waiting).toMatchObject({ code: -32603, message: 'The task was cancelled' })
    held.last().open('too late')
    await flush()
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' })
    expect(client.of('notifications/tasks/status').map(({ params }) => params?.['status'])).toEqual(['cancelled'])
  })

  it('is refused with -32602 once the task is over', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    held.last().open('done')
    await flush()
    expect(await client.error('tasks/cancel', { taskId })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('completed'),
    })
    const other = await begin(client, 'gate')
    await client.result('tasks/cancel', { taskId: other.taskId })
    expect(await client.error('tasks/cancel', { taskId: other.taskId })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('cancelled'),
    })
  })

  it('of the waiting only leaves the task alone', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    const id = client.nextId
    void client.request('tasks/result', { taskId })
    await flush()
    client.notify('notifications/cancelled', { requestId: id })
    await flush()
    expect(client.session.inFlight()).toEqual([])
    expect(held.last().ctx.signal.aborted).toBe(false)
    held.last().open('done')
    await flush()
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'completed' })
  })

  it('of the call before there was an answer leaves no task', async () => {
    const { client, held } = await setUp()
    const id = client.nextId
    void client.request('tools/call', { name: 'gate', task: {} })
    client.notify('notifications/cancelled', { requestId: id })
    await flush()
    // Whichever came first, nothing runs that nobody knows of.
    const { tasks } = (await client.result('tasks/list')) as { tasks: unknown[] }
    expect(tasks).toHaveLength(held.calls.length)
  })
})

describe('F8 unknown tasks and bad requests', () => {
  it.each(['tasks/get', 'tasks/result', 'tasks/cancel'])('%s of what is not there: -32602', async (method) => {
    const { client } = await setUp()
    expect(await client.error(method, { taskId: 'nope' })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('not found'),
    })
    expect(await client.error(method, {})).toMatchObject({ code: -32602, message: expect.stringContaining('taskId') })
    expect(await client.error(method, { taskId: 7 })).toMatchObject({ code: -32602 })
  })

  it.each([[{ ttl: 0 }], [{ ttl: -5 }], [{ ttl: 1.5 }], [{ ttl: '1h' }], [{ ttl: 2 ** 60 }], ['yes'], [null], [[]]])(
    'task %j: -32602',
    async (task) => {
      const { client, held } = await setUp()
      expect(await client.error('tools/call', { name: 'gate', task })).toMatchObject({ code: -32602 })
      expect(held.calls).toHaveLength(0)
    },
  )
})
