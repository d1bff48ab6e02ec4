import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import type { Session } from '../../session/index.ts'
import { MemoryTaskStore } from '../../stores/index.ts'
import { flush } from '../../testing/clock.ts'
import type { ServerOptions } from '../options.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { createServer } from '../server.ts'
import { tool } from '../tools/tool.ts'
import { begin, info, RELATED, setUp } from './task.fixtures.ts'

describe('F8 the time of a task', () => {
  it.each<[string, Body, ServerOptions['tasks'], number | null]>([
    ['the default', {}, {}, 3_600_000],
    ['what was asked for', { ttl: 5000 }, {}, 5000],
    ['at most the limit', { ttl: 10 ** 12 }, {}, 86_400_000],
    ['a limit of the server', { ttl: 60_000 }, { maxTtl: '10s' }, 10_000],
    ['a default above the limit', {}, { maxTtl: '10s' }, 10_000],
    ['for ever is capped', { ttl: null }, {}, 86_400_000],
    ['for ever where that is allowed', { ttl: null }, { maxTtl: null }, null],
  ])('%s', async (_, task, tasks, ttl) => {
    const { client } = await setUp({ tasks: tasks ?? {} })
    expect(await begin(client, 'gate', task)).toMatchObject({ ttl })
  })

  it('is counted from its creation; then the task is gone, running or not', async () => {
    const { client, held, clock } = await setUp()
    const running = await begin(client, 'gate', { ttl: 10_000 })
    const waiting = client.error('tasks/result', { taskId: running.taskId })
    const finished = await begin(client, 'gate', { ttl: 10_000 })
    held.last().open('done')
    await clock.advance(9999)
    expect(await client.result('tasks/get', { taskId: finished.taskId })).toMatchObject({ status: 'completed' })
    await clock.advance(1)
    expect(held.calls[0]?.ctx.signal.aborted).toBe(true)
    expect(await waiting).toMatchObject({ code: -32602 })
    expect(await client.error('tasks/get', { taskId: finished.taskId })).toMatchObject({ code: -32602 })
    expect(await client.result('tasks/list')).toEqual({ tasks: [] })
  })

  it('the interval for polling is the server’s', async () => {
    const { client } = await setUp({ tasks: { pollInterval: '250ms' } })
    expect(await begin(client, 'gate')).toMatchObject({ pollInterval: 250 })
  })

  it('leaves nothing behind when the session ends', async () => {
    const store = new MemoryTaskStore()
    const { client, held, clock } = await setUp({ tasks: { store } })
    await begin(client, 'gate')
    await begin(client, 'gate')
    held.last().open('done')
    await flush()
    expect(store.size).toBe(2)
    await client.close()
    await flush()
    expect(store.size).toBe(0)
    expect(held.calls[0]?.ctx.signal.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })
})

describe('F8 listing', () => {
  it('goes page by page, oldest first, and ends', async () => {
    const { client, clock } = await setUp({ tasks: { pageSize: 2 } })
    const ids: string[] = []
    for (let count = 0; count < 5; count++) {
      ids.push((await begin(client, 'gate')).taskId)
      await clock.advance(1)
    }
    const seen: unknown[] = []
    let cursor: unknown
    do {
      const page = await client.result('tasks/list', cursor === undefined ? {} : { cursor })
      expect((page['tasks'] as unknown[]).length).toBeLessThanOrEqual(2)
      seen.push(...(page['tasks'] as Body[]).map((task) => task['taskId']))
      cursor = page['nextCursor']
    } while (cursor !== undefined)
    expect(seen).toEqual(ids)
  })

  it('goes on where it was although the task there is gone', async () => {
    const { client, clock } = await setUp({ tasks: { pageSize: 1 } })
    await begin(client, 'gate', { ttl: 100 })
    await clock.advance(1)
    const second = await begin(client, 'gate')
    const page = await client.result('tasks/list')
    await clock.advance(1000)
    expect(await client.result('tasks/list', { cursor: page['nextCursor'] })).toMatchObject({
      tasks: [{ taskId: second.taskId }],
    })
  })

  it.each(['', 'x', '%%%', 'dGFza3M=', 7, btoa('tasks 1 %E0%A4%A')])(
    'a cursor nobody gave, %j: -32602',
    async (cursor) => {
      const { client } = await setUp()
      expect(await client.error('tasks/list', { cursor })).toMatchObject({
        code: -32602,
        message: expect.stringContaining('cursor'),
      })
    },
  )
})

describe('F8 whose tasks they are', () => {
  it('a session neither sees nor touches those of another', async () => {
    const { client, server, held, clock } = await setUp()
    const { taskId } = await begin(client, 'gate')
    const stranger = await rawClient(server, { accept: { clock } })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect(await stranger.error(method, { taskId })).toMatchObject({
        code: -32602,
        message: expect.stringContaining('not found'),
      })
    }
    expect(await stranger.result('tasks/list')).toEqual({ tasks: [] })
    expect(held.last().ctx.signal.aborted).toBe(false)
    expect(await client.result('tasks/list')).toMatchObject({ tasks: [{ taskId }] })
  })

  it('sessions of one principal share them, and they outlive the session', async () => {
    const principals = new Map<Session, string>()
    const { client, server, held, clock } = await setUp({
      tasks: { principal: (session) => principals.get(session) ?? 'ann' },
    })
    const { taskId } = await begin(client, 'gate')
    await client.close()
    const again = await rawClient(server, { accept: { clock } })
    const waiting = again.result('tasks/result', { taskId })
    await flush()
    held.last().open('survived')
    expect(await waiting).toMatchObject({ content: [{ text: 'survived' }] })
    const stranger = await rawClient(server, { accept: { clock } })
    principals.set(stranger.session, 'bob')
    expect(await stranger.result('tasks/list')).toEqual({ tasks: [] })
  })

  it('no more than so many are kept for one, and others do not suffer', async () => {
    const { client, server, clock } = await setUp({ tasks: { maxTasks: 2 } })
    await begin(client, 'gate')
    await begin(client, 'gate')
    expect(await client.error('tools/call', { name: 'gate', task: {} })).toMatchObject({
      message: expect.stringContaining('2 tasks'),
      data: { 'parley/kind': 'too_many_requests' },
    })
    expect(await begin(await rawClient(server, { accept: { clock } }), 'gate')).toMatchObject({ status: 'working' })
  })

  it('closing the server ends what is left', async () => {
    const store = new MemoryTaskStore()
    const { client, server, held } = await setUp({ tasks: { store, principal: () => 'ann' } })
    const { taskId } = await begin(client, 'gate')
    await server.close()
    expect(held.last().ctx.signal.aborted).toBe(true)
    expect(store.get(taskId)).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('shutdown') })
  })
})

describe('F8 C-25 C-32 what a task sends', () => {
  it('is marked, and its progress token stays good', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate', {}, { _meta: { progressToken: 'p' } })
    held.last().ctx.progress(1, 3, 'one of three')
    held.last().ctx.progress(1, 3, 'again')
    held.last().ctx.log('info', 'busy')
    await flush()
    const _meta = { [RELATED]: { taskId } }
    expect(client.of('notifications/progress').map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, total: 3, message: 'one of three', _meta },
    ])
    expect(client.of('notifications/message').map(({ params }) => params)).toEqual([
      { level: 'info', data: 'busy', _meta },
    ])
    expect(await client.result('tasks/get', { taskId })).toMatchObject({
      status: 'working',
      statusMessage: 'one of three',
    })
    held.last().open('done')
    await flush()
    held.last().ctx.progress(2)
    held.last().ctx.log('info', 'late')
    await flush()
    expect(client.of('notifications/progress')).toHaveLength(1)
    expect(client.of('notifications/message')).toHaveLength(1)
  })

  it('a question moves it to input_required and back', async () => {
    const { client, held } = await setUp({}, { capabilities: { elicitation: {} } })
    const { taskId } = await begin(client, 'gate')
    const asking = held
      .last()
      .ctx.elicit('name', 'Your name?', { type: 'object', properties: { name: { type: 'string' } } } as const)
    await flush()
    const [question] = client.of('elicitation/create')
    expect(question?.params).toMatchObject({ message: 'Your name?', _meta: { [RELATED]: { taskId } } })
    expect(await client.result('tasks/get', { taskId })).toMatchObject({
      status: 'input_required',
      statusMessage: expect.stringContaining('elicitation/create'),
    })
    client.send({
      id: question?.id,
      result: { action: 'accept', content: { name: 'Ann' }, _meta: { [RELATED]: { taskId } } },
    })
    expect(await asking).toEqual({ action: 'accept', content: { name: 'Ann' } })
    await flush()
    const back = await client.result('tasks/get', { taskId })
    expect(back).toMatchObject({ status: 'working' })
    expect(back).not.toHaveProperty('statusMessage')
    expect(client.of('notifications/tasks/status').map(({ params }) => params?.['status'])).toEqual([
      'input_required',
      'working',
    ])
  })

  it('two questions at once are both open before it goes on', async () => {
    const { client, held } = await setUp({}, { capabilities: { elicitation: {}, roots: {} } })
    const { taskId } = await begin(client, 'gate')
    const { ctx } = held.last()
    const both = Promise.all([ctx.roots('a'), ctx.roots('b')])
    await flush()
    const questions = client.of('roots/list')
    client.send({ id: questions[0]?.id, result: { roots: [] } })
    await flush()
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'input_required' })
    client.send({ id: questions[1]?.id, result: { roots: [] } })
    await both
    await flush()
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'working' })
  })

  it('a question is withdrawn with the task', async () => {
    const { client, held } = await setUp({}, { capabilities: { roots: {} } })
    const { taskId } = await begin(client, 'gate')
    const asking = held
      .last()
      .ctx.roots('a')
      .catch((error: unknown) => error)
    await flush()
    await client.result('tasks/cancel', { taskId })
    expect(await asking).toMatchObject({ kind: 'request_cancelled' })
    expect(client.of('notifications/cancelled')).toHaveLength(1)
    expect(client.session.pending()).toEqual([])
    await expect(held.last().ctx.roots('b')).rejects.toMatchObject({ kind: 'request_cancelled' })
  })

  it('requests of the client that name a task are answered with its name', async () => {
    const client = await rawClient(createServer(info).add(tool('plain', {}, () => 'x')))
    const _meta = { [RELATED]: { taskId: 'theirs' } }
    expect(await client.result('tools/call', { name: 'plain', _meta })).toEqual({
      content: [{ type: 'text', text: 'x' }],
      _meta,
    })
  })
})
