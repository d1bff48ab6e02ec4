import { describe, expect, it, vi } from 'vitest'
import { ParleyError, ToolError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { Session } from '../session/index.ts'
import { MemoryTaskStore } from '../stores/index.ts'
import { fakeClock, flush } from '../testing/clock.ts'
import type { Context } from './context.ts'
import type { ServerOptions } from './options.ts'
import { type RawClient, type RawClientOptions, rawClient } from './raw-client.fixtures.ts'
import { result } from './results.ts'
import { createServer } from './server.ts'
import { tool } from './tool.ts'

const RELATED = 'io.modelcontextprotocol/related-task'
const BEGIN = Date.UTC(2026, 0, 1)
const info = { name: 'tasks', version: '1' }
const optional = { execution: { taskSupport: 'optional' } } as const

/** A tool that ends when the test says so. */
function gate(name = 'gate') {
  const calls: { ctx: Context; open: (value: unknown) => void; fail: (error: unknown) => void }[] = []
  const definition = tool(name, optional, (_, ctx) => new Promise<unknown>((open, fail) => calls.push({ ctx, open, fail })))
  return { definition, calls, last: () => calls[calls.length - 1] as (typeof calls)[number] }
}

async function begin(client: RawClient, name: string, task: Body = {}, more: Body = {}): Promise<Body & { taskId: string }> {
  const { task: begun } = await client.result('tools/call', { name, arguments: {}, task, ...more })
  await flush()
  return begun as never
}

async function setUp(options: ServerOptions = {}, raw: RawClientOptions = {}) {
  const clock = fakeClock(BEGIN)
  const held = gate()
  const onError = vi.fn()
  const server = createServer(info, { onError, ...options }).add(held.definition)
  const client = await rawClient(server, { ...raw, accept: { clock, ...raw.accept } })
  return { clock, held, server, client, onError }
}

describe('F8 what a server declares', () => {
  it('is tasks, once a tool can run as one', async () => {
    const { client } = await setUp()
    expect(client.initialized['capabilities']).toMatchObject({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } })
    const plain = await rawClient(createServer(info).add(tool('plain', {}, () => 'x')))
    expect(plain.initialized['capabilities']).not.toHaveProperty('tasks')
  })

  it('is nothing of the kind in versions without tasks', async () => {
    const { client } = await setUp({}, { version: '2025-06-18' })
    expect(client.initialized['capabilities']).not.toHaveProperty('tasks')
    expect(await client.error('tasks/list')).toMatchObject({ code: -32601 })
  })

  it('is checked when it is defined', () => {
    expect(() => tool('x', { execution: { taskSupport: 'sometimes' as never } }, () => '')).toThrow('taskSupport must be')
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
    expect(await client.error('tools/call', { name, task: {} })).toMatchObject({ code: -32601, message: expect.stringContaining('cannot run as a task') })
    expect(await client.result('tools/call', { name })).toEqual({ content: [{ type: 'text', text: name }] })
  })

  it('must: without task -32601', async () => {
    const client = await rawClient(server())
    expect(await client.error('tools/call', { name: 'must' })).toMatchObject({ code: -32601, message: expect.stringContaining('runs only as a task') })
    expect(await begin(client, 'must')).toMatchObject({ status: 'working' })
  })

  it('may: both ways', async () => {
    const client = await rawClient(server())
    expect(await client.result('tools/call', { name: 'may' })).toEqual({ content: [{ type: 'text', text: 'may' }] })
    expect(await begin(client, 'may')).toMatchObject({ status: 'working' })
  })

  it('C-24 the wish is ignored where no tasks were declared', async () => {
    const client = await rawClient(createServer(info).add(tool('silent', {}, () => 'ran')))
    expect(await client.result('tools/call', { name: 'silent', task: { ttl: 1 } })).toEqual({ content: [{ type: 'text', text: 'ran' }] })
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('C-24 the wish is ignored in %s, and a tool that must be a task simply runs', async (version) => {
    const client = await rawClient(server(), { version })
    expect(await client.result('tools/call', { name: 'must', task: { ttl: 1 } })).toMatchObject({ content: [{ type: 'text', text: 'must' }] })
    expect(await client.result('tools/call', { name: 'never', task: {} })).toMatchObject({ content: [{ type: 'text', text: 'never' }] })
    const { tools } = await client.result('tools/list')
    expect((tools as Body[]).map((each) => each['name'])).toEqual(['may', 'never', 'silent'])
  })
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
    expect(after).toMatchObject({ status: 'completed', createdAt: '2026-01-01T00:00:00.000Z', lastUpdatedAt: '2026-01-01T00:00:05.000Z' })
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
    expect(notices[0]?.params).toMatchObject({ taskId, status: 'completed', ttl: 3_600_000, createdAt: expect.any(String), lastUpdatedAt: expect.any(String) })
    expect(notices[0]?.params).not.toHaveProperty('_meta')
  })

  it('a tool that reports an error has failed, and its result is still a result', async () => {
    const { client, held } = await setUp()
    const { taskId } = await begin(client, 'gate')
    held.last().fail(new ToolError('out of paper'))
    await flush()
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'failed', statusMessage: 'out of paper' })
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
    held.last().fail(new Error('password is 1234'))
    await flush()
    expect(await client.error('tasks/result', { taskId: first.taskId })).toMatchObject({ code: -32002, message: 'no such file', data: { uri: 'a://b' } })
    expect(await client.error('tasks/result', { taskId: second.taskId })).toMatchObject({ code: -32603, message: 'Internal error' })
    expect(await client.result('tasks/get', { taskId: second.taskId })).toMatchObject({ status: 'failed', statusMessage: 'Internal error' })
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
    expect(await client.error('tasks/cancel', { taskId })).toMatchObject({ code: -32602, message: expect.stringContaining('completed') })
    const other = await begin(client, 'gate')
    await client.result('tasks/cancel', { taskId: other.taskId })
    expect(await client.error('tasks/cancel', { taskId: other.taskId })).toMatchObject({ code: -32602, message: expect.stringContaining('cancelled') })
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
    expect(await client.error(method, { taskId: 'nope' })).toMatchObject({ code: -32602, message: expect.stringContaining('not found') })
    expect(await client.error(method, {})).toMatchObject({ code: -32602, message: expect.stringContaining('taskId') })
    expect(await client.error(method, { taskId: 7 })).toMatchObject({ code: -32602 })
  })

  it.each([[{ ttl: 0 }], [{ ttl: -5 }], [{ ttl: 1.5 }], [{ ttl: '1h' }], [{ ttl: 2 ** 60 }], ['yes'], [null], [[]]])('task %j: -32602', async (task) => {
    const { client, held } = await setUp()
    expect(await client.error('tools/call', { name: 'gate', task })).toMatchObject({ code: -32602 })
    expect(held.calls).toHaveLength(0)
  })
})

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
    expect(await client.result('tasks/list', { cursor: page['nextCursor'] })).toMatchObject({ tasks: [{ taskId: second.taskId }] })
  })

  it.each(['', 'x', '%%%', 'dGFza3M=', 7, btoa('tasks 1 %E0%A4%A')])('a cursor nobody gave, %j: -32602', async (cursor) => {
    const { client } = await setUp()
    expect(await client.error('tasks/list', { cursor })).toMatchObject({ code: -32602, message: expect.stringContaining('cursor') })
  })
})

describe('F8 whose tasks they are', () => {
  it('a session neither sees nor touches those of another', async () => {
    const { client, server, held, clock } = await setUp()
    const { taskId } = await begin(client, 'gate')
    const stranger = await rawClient(server, { accept: { clock } })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect(await stranger.error(method, { taskId })).toMatchObject({ code: -32602, message: expect.stringContaining('not found') })
    }
    expect(await stranger.result('tasks/list')).toEqual({ tasks: [] })
    expect(held.last().ctx.signal.aborted).toBe(false)
    expect(await client.result('tasks/list')).toMatchObject({ tasks: [{ taskId }] })
  })

  it('sessions of one principal share them, and they outlive the session', async () => {
    const principals = new Map<Session, string>()
    const { client, server, held, clock } = await setUp({ tasks: { principal: (session) => principals.get(session) ?? 'ann' } })
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
    expect(client.of('notifications/message').map(({ params }) => params)).toEqual([{ level: 'info', data: 'busy', _meta }])
    expect(await client.result('tasks/get', { taskId })).toMatchObject({ status: 'working', statusMessage: 'one of three' })
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
    const asking = held.last().ctx.elicit('name', 'Your name?', { type: 'object', properties: { name: { type: 'string' } } } as const)
    await flush()
    const [question] = client.of('elicitation/create')
    expect(question?.params).toMatchObject({ message: 'Your name?', _meta: { [RELATED]: { taskId } } })
    expect(await client.result('tasks/get', { taskId })).toMatchObject({
      status: 'input_required',
      statusMessage: expect.stringContaining('elicitation/create'),
    })
    client.send({ id: question?.id, result: { action: 'accept', content: { name: 'Ann' }, _meta: { [RELATED]: { taskId } } } })
    expect(await asking).toEqual({ action: 'accept', content: { name: 'Ann' } })
    await flush()
    const back = await client.result('tasks/get', { taskId })
    expect(back).toMatchObject({ status: 'working' })
    expect(back).not.toHaveProperty('statusMessage')
    expect(client.of('notifications/tasks/status').map(({ params }) => params?.['status'])).toEqual(['input_required', 'working'])
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
    expect(await client.result('tools/call', { name: 'plain', _meta })).toEqual({ content: [{ type: 'text', text: 'x' }], _meta })
  })
})
