import { describe, expect, it, vi } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { fakeClock, flush } from '../../testing/index.ts'
import { connect } from '../connect.ts'
import type { ConnectOptions } from '../options.ts'
import { type RawStatelessOptions, rawStateless } from '../raw-stateless.fixtures.ts'

const version = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'
const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const caught = (error: unknown) => error

describe('D7 servers that are not like ours', () => {
  const seed = {
    taskId: 't',
    status: 'working',
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttlMs: null,
  }
  const capabilities = { tools: {}, extensions: { [TASKS]: {} } }

  async function against(answers: RawStatelessOptions['answers'], options: ConnectOptions = {}) {
    const clock = fakeClock()
    const raw = rawStateless({
      capabilities,
      answers: { 'tools/call': () => ({ ...seed, resultType: 'task' }), 'tasks/cancel': () => ({}), ...answers },
    })
    const client = await connect(raw.link, { version, clock, ...options })
    return { clock, raw, client, looks: () => raw.of('tasks/get').length }
  }

  it('without an interval one second is waited', async () => {
    const { clock, client, looks } = await against({
      'tasks/get': () => ({ ...seed, status: 'completed', result: { resultType: 'complete', content: [] } }),
    })
    const calling = client.call('x')
    await flush()
    await clock.advance(999)
    expect(looks()).toBe(0)
    await flush()
    await clock.advance(1)
    expect(await calling).toMatchObject({ content: [] })
  })

  it('one that begins with questions, or at its end, is looked at at once', async () => {
    const { client } = await against({
      'tools/call': () => ({ ...seed, resultType: 'task', status: 'completed' }),
      'tasks/get': () => ({ ...seed, status: 'completed', result: { content: [{ type: 'text', text: 'quick' }] } }),
    })
    expect((await client.call('x')).text).toBe('quick')
  })

  it.each<[string, Body, Body]>([
    [
      'a failure keeps its code and data',
      { status: 'failed', error: { code: -32050, message: 'odd', data: { a: 1 } } },
      { code: -32050, data: { a: 1 } },
    ],
    ['a failure without an error', { status: 'failed' }, { kind: 'invalid_answer' }],
    ['a failure whose error is none', { status: 'failed', error: { code: 'x' } }, { kind: 'invalid_answer' }],
    ['an end without a result', { status: 'completed' }, { kind: 'invalid_answer' }],
    ['a status nobody knows', { status: 'asleep' }, { kind: 'invalid_answer' }],
    ['another task', { taskId: 'other' }, { kind: 'invalid_answer' }],
    [
      'questions that cannot be read',
      { status: 'input_required', inputRequests: { a: 1 } },
      { kind: 'invalid_answer' },
    ],
    [
      'questions this client never offered to answer',
      { status: 'input_required', inputRequests: { a: { method: 'roots/list' } } },
      { kind: 'invalid_answer', message: expect.stringContaining('"roots"') },
    ],
    ['a task somebody else has cancelled', { status: 'cancelled' }, { kind: 'request_cancelled' }],
  ])('%s', async (_, detail, error) => {
    const { clock, client } = await against({ 'tasks/get': () => ({ ...seed, ...detail }) })
    const calling = client.call('x').catch(caught)
    await flush()
    await clock.advance(1000)
    expect(await calling).toMatchObject(error)
    await flush()
    await clock.advance(10_000)
    await client.close()
  })

  it('one that is too busy to be looked at is looked at again, and not for ever', async () => {
    const busy = { error: { code: -32603, message: 'busy', data: { 'parley/kind': 'too_many_requests' } } }
    let left = 3
    const { clock, client, looks } = await against({
      'tasks/get': () => (left-- > 0 ? busy : { ...seed, status: 'completed', result: { content: [] } }),
    })
    const calling = client.call('x')
    await flush()
    await clock.advance(4000)
    expect(await calling).toMatchObject({ content: [] })
    left = 100
    const hopeless = client.call('x').catch(caught)
    await flush()
    await clock.advance(20_000)
    expect(await hopeless).toMatchObject({ kind: 'too_many_requests' })
    expect(looks()).toBe(8)
  })

  it('one that goes on showing what was answered is not answered twice; an answer that got lost is brought again', async () => {
    let refuse = true
    const elicit = vi.fn(() => ({ name: 'Ann' }))
    const onError = vi.fn()
    const { clock, client, raw } = await against(
      {
        'tasks/get': () => ({
          ...seed,
          status: 'input_required',
          inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: named } } },
        }),
        'tasks/update': () => (refuse ? { error: { code: -32603, message: 'not now' } } : {}),
      },
      { elicit, onError },
    )
    const calling = client.call('x').catch(caught)
    await flush()
    await clock.advance(1000)
    expect(onError).toHaveBeenCalledTimes(1)
    refuse = false
    await flush()
    await clock.advance(5000)
    expect(elicit).toHaveBeenCalledTimes(1)
    expect(raw.of('tasks/update').map(({ params }) => params?.['inputResponses'])).toEqual(
      Array(2).fill({ who: { action: 'accept', content: { name: 'Ann' } } }),
    )
    await client.close()
    await calling
  })

  it('a tool that is said to be no task has its handle at once; if it becomes one, that is followed', async () => {
    const { clock, client, raw } = await against({
      'tools/list': () => ({
        tools: [{ name: 'x', inputSchema: { type: 'object' }, execution: { taskSupport: 'forbidden' } }],
      }),
      'tasks/get': () => ({ ...seed, status: 'completed', result: { content: [{ type: 'text', text: 'after all' }] } }),
    })
    await client.tools()
    const task = await client.callAsTask('x')
    expect(raw.of('tasks/get')).toEqual([])
    expect(task.latest.status).toBe('working')
    expect(task.id).not.toBe('t')
    await flush()
    await clock.advance(1000)
    expect((await task.result()).text).toBe('after all')
  })

  it('a task in answer to anything else is no answer', async () => {
    const { client } = await against({ 'tools/list': () => ({ ...seed, resultType: 'task' }) })
    await expect(client.tools()).rejects.toMatchObject({ kind: 'invalid_answer' })
  })

  it('a task that is none is no answer', async () => {
    const { client } = await against({ 'tools/call': () => ({ resultType: 'task', status: 'working' }) })
    await expect(client.call('x')).rejects.toMatchObject({ kind: 'invalid_answer' })
    await expect(client.callAsTask('x')).rejects.toMatchObject({ kind: 'invalid_answer' })
  })
})
