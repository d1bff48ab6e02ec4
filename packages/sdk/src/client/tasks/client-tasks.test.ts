import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { ToolError } from '../../errors/index.ts'
import type { Task } from '../../protocol/index.ts'
import { type Context, createServer, tool } from '../../server/index.ts'
import { connect as connectIn, fakeClock, flush, leaks } from '../../testing/index.ts'
import type { TaskHandle } from './client-tasks.ts'

const RELATED = 'io.modelcontextprotocol/related-task'
const info = { name: 's', version: '1' }
/** Tasks that clients ask for. */
const connect: typeof connectIn = (server, options) => connectIn(server, { version: '2025-11-25', ...options })

/** Tools that end when the test says so. */
function gates() {
  const calls: { ctx: Context; open: (value: string) => void; fail: (error: unknown) => void }[] = []
  const handler = (_: unknown, ctx: Context) => new Promise<string>((open, fail) => calls.push({ ctx, open, fail }))
  const server = createServer(info, { onError: () => {} }).add(
    tool('may', { execution: { taskSupport: 'optional' } }, handler),
    tool('must', { execution: { taskSupport: 'required' } }, handler),
    tool('never', {}, handler),
    tool(
      'sum',
      {
        output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
        execution: { taskSupport: 'required' },
      },
      () => ({
        sum: 3,
      }),
    ),
  )
  return { server, calls, last: () => calls[calls.length - 1] as (typeof calls)[number] }
}

describe('F8 callAsTask', () => {
  it('gives a handle at once and the result later', async () => {
    const { server, last } = gates()
    await using client = await connect(server)
    const task = await client.callAsTask('may')
    expectTypeOf(task).toEqualTypeOf<TaskHandle<string>>()
    expect(task.latest).toMatchObject({ taskId: task.id, status: 'working', pollInterval: 1000 })
    expect(await task.status()).toMatchObject({ status: 'working' })
    const result = task.result()
    await flush()
    last().open('done')
    expect(await result).toMatchObject({ value: 'done', isError: false })
    expect(await task.result()).toMatchObject({ value: 'done' })
    expect(await task.status()).toMatchObject({ status: 'completed' })
  })

  it('throws what call would have thrown', async () => {
    const { server, calls } = gates()
    await using client = await connect(server)
    const tasks = await Promise.all([
      client.callAsTask('may'),
      client.callAsTask('may'),
      client.callAsTask('may', {}, { throwOnError: false }),
    ])
    await flush()
    calls[0]?.fail(new ToolError('no paper'))
    calls[1]?.fail(new Error('broken'))
    calls[2]?.fail(new ToolError('no ink'))
    await expect(tasks[0].result()).rejects.toThrow(new ToolError('no paper'))
    await expect(tasks[1].result()).rejects.toMatchObject({
      name: 'ToolError',
      message: 'broken',
      cause: { message: 'broken' },
    })
    expect(await tasks[2].result()).toMatchObject({ isError: true, text: 'no ink' })
  })

  it('asks for a ttl, and hears what was granted', async () => {
    const { server } = gates()
    await using client = await connect(server)
    expect((await client.callAsTask('may', {}, { ttl: '90s' })).latest.ttl).toBe(90_000)
    expect(client.transcript.lines.join('\n')).toContain('"task":{"ttl":90000}')
    await expect(client.callAsTask('may', {}, { ttl: 0 })).rejects.toThrow(RangeError)
  })

  it('cancel stops the handler; then there is nothing to cancel any more', async () => {
    const { server, last } = gates()
    await using client = await connect(server)
    const task = await client.callAsTask('may')
    const result = task.result().catch((error: unknown) => error)
    await flush()
    expect(await task.cancel()).toMatchObject({ status: 'cancelled' })
    expect(last().ctx.signal.aborted).toBe(true)
    expect(await result).toMatchObject({ kind: 'request_cancelled' })
    await expect(task.cancel()).rejects.toMatchObject({ code: -32602 })
  })

  it('an aborted signal cancels the task', async () => {
    const { server, last } = gates()
    await using client = await connect(server)
    const controller = new AbortController()
    const task = await client.callAsTask('may', {}, { signal: controller.signal })
    const result = task.result().catch((error: unknown) => error)
    await flush()
    controller.abort()
    expect(await result).toMatchObject({ kind: 'request_cancelled' })
    await flush()
    expect(last().ctx.signal.aborted).toBe(true)
    expect(await task.status()).toMatchObject({ status: 'cancelled' })
    await expect(client.callAsTask('may', {}, { signal: controller.signal })).rejects.toMatchObject({
      kind: 'request_cancelled',
    })
  })

  it('a task that was begun while the caller gave up is ended', async () => {
    const { server, last } = gates()
    await using client = await connect(server)
    const controller = new AbortController()
    const beginning = client.callAsTask('may', {}, { signal: controller.signal })
    controller.abort()
    await expect(beginning).rejects.toMatchObject({ kind: 'request_cancelled' })
    await flush()
    expect(last().ctx.signal.aborted).toBe(true)
    expect(await client.tasks()).toMatchObject([{ status: 'cancelled' }])
  })

  it('tells of every change of status, by notice or by looking', async () => {
    const clock = fakeClock()
    const { server, last } = gates()
    await using client = await connect(server, { clock, elicit: () => ({ name: 'Ann' }) })
    const seen: string[] = []
    const task = await client.callAsTask(
      'may',
      {},
      { onStatus: ({ status, statusMessage }) => seen.push(`${status} ${statusMessage ?? ''}`.trim()) },
    )
    await flush()
    last().ctx.progress(1, 2, 'half')
    await clock.advance(999)
    expect(seen).toEqual([])
    await clock.advance(1)
    expect(seen).toEqual(['working half'])
    await last().ctx.elicit('name', 'Name?', { type: 'object', properties: { name: { type: 'string' } } } as const)
    last().open('done')
    await task.result()
    expect(seen).toEqual([
      'working half',
      'input_required Waiting for the answer to elicitation/create',
      'working',
      'completed',
    ])
    await client.close()
    await flush()
    expect(leaks(client, client.serverSession, clock)).toEqual([])
  })

  it('a listener that throws does not affect the others, and a removed one is not called', async () => {
    const { server, last } = gates()
    const onError = vi.fn()
    await using client = await connect(server, { onError })
    const heard = vi.fn()
    const task = await client.callAsTask('may')
    task.onStatus(() => {
      throw new Error('mine')
    })
    task.onStatus(heard)()
    await flush()
    last().open('done')
    expect(await task.result()).toMatchObject({ value: 'done' })
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'mine' }), { during: 'onStatus of a task' })
    expect(heard).not.toHaveBeenCalled()
  })

  it('C-32 progress goes on after the call was answered, until the task is over', async () => {
    const { server, last } = gates()
    await using client = await connect(server)
    const steps: unknown[] = []
    const task = await client.callAsTask('may', {}, { onProgress: ({ progress }) => steps.push(progress) })
    await flush()
    last().ctx.progress(1, 3)
    last().ctx.progress(2, 3)
    await flush()
    last().open('done')
    await task.result()
    expect(steps).toEqual([1, 2])
    expect(client.session.stats().ignored).toEqual({})
  })

  it('a task is found again by its id', async () => {
    const { server, last } = gates()
    await using client = await connect(server)
    const { id } = await client.callAsTask('may')
    await flush()
    const found = client.task(id)
    expect(await found.status()).toMatchObject({ taskId: id, status: 'working' })
    last().open('done')
    expect(await found.result()).toMatchObject({ value: 'done' })
    await expect(client.task('nope').result()).rejects.toMatchObject({ kind: 'task_not_found', code: -32602 })
    expect(() => client.task('')).toThrow('by its id')
  })

  it('tasks() lists them all, page by page', async () => {
    const server = createServer(info, { tasks: { pageSize: 2 } }).add(
      tool('may', { execution: { taskSupport: 'optional' } }, () => 'x'),
    )
    await using client = await connect(server)
    for (let count = 0; count < 5; count++) await client.callAsTask('may')
    const tasks = await client.tasks()
    expectTypeOf(tasks).toEqualTypeOf<Task[]>()
    expect(tasks).toHaveLength(5)
  })

  it('the end of the connection ends the waiting', async () => {
    const clock = fakeClock()
    const { server, last } = gates()
    const client = await connect(server, { clock })
    const task = await client.callAsTask('may', {}, { onStatus: () => {} })
    const result = task.result().catch((error: unknown) => error)
    await flush()
    await client.close()
    expect(await result).toMatchObject({ kind: 'connection_closed' })
    await flush()
    expect(last().ctx.signal.aborted).toBe(true)
    expect(leaks(client, client.serverSession, clock)).toEqual([])
  })

  it.each([
    ['known to have no tasks', true, 1],
    ['that turns out to have none', false, 2],
  ])('C-23 a tool %s is called as ever', async (_, isListed, requests) => {
    const { server, calls, last } = gates()
    await using client = await connect(server)
    if (isListed) await client.tools()
    const task = await client.callAsTask('never')
    await flush()
    expect(client.transcript.lines.filter((line) => line.startsWith('→ tools/call'))).toHaveLength(requests)
    expect(calls).toHaveLength(1)
    last().open('plain')
    expect(await task.result()).toMatchObject({ value: 'plain' })
  })

  it('an answer that is no task is refused, and a result instead of one is taken', async () => {
    const { server } = gates()
    await using client = await connect(server)
    const request = vi.spyOn(client.session, 'request')
    request.mockResolvedValueOnce({ task: { taskId: 't', status: 'asleep' } } as never)
    await expect(client.callAsTask('may')).rejects.toMatchObject({ kind: 'invalid_answer' })
    request.mockResolvedValueOnce({ content: [{ type: 'text', text: 'at once' }] } as never)
    const task = await client.callAsTask('may')
    expect(await task.result()).toMatchObject({ value: 'at once' })
    expect(await task.status()).toMatchObject({ status: 'completed' })
  })
})

describe('F8 call of a tool that runs only as a task', () => {
  it.each([
    ['once the tool was listed', true],
    ['when the server says so', false],
  ])('runs it as one and waits, %s', async (_, isListed) => {
    const { server, last } = gates()
    await using client = await connect(server)
    if (isListed) await client.tools()
    const steps: number[] = []
    const calling = client.call('must', {}, { onProgress: ({ progress }) => steps.push(progress) })
    await flush()
    last().ctx.progress(1)
    last().open('done')
    expect((await calling).value).toBe('done')
    expect(steps).toEqual([1])
    expect((await client.call('sum')).value).toEqual({ sum: 3 })
    expect(client.transcript.lines.filter((line) => line.startsWith('→ tools/call'))).toHaveLength(isListed ? 2 : 4)
  })

  it('has no time limit of its own, but keeps to those of the caller', async () => {
    const clock = fakeClock()
    const { server, last, calls } = gates()
    await using client = await connect(server, { clock })
    await client.tools()
    const patient = client.call('must')
    await clock.advance(20 * 60_000)
    last().open('at last')
    expect((await patient).value).toBe('at last')

    const hasty = client.call('must', {}, { timeout: '10s', maxTimeout: '25s' }).catch((error: unknown) => error)
    await clock.advance(9000)
    last().ctx.progress(1)
    await flush()
    await clock.advance(9000)
    last().ctx.progress(2)
    await flush()
    await clock.advance(9000)
    expect(await hasty).toMatchObject({ kind: 'request_timeout', message: expect.stringContaining('hard maximum') })

    const silent = client.call('must', {}, { timeout: '10s' }).catch((error: unknown) => error)
    await flush()
    await clock.advance(10_000)
    expect(await silent).toMatchObject({ kind: 'request_timeout', message: expect.stringContaining('no progress') })
    await flush()
    expect(calls.map(({ ctx }) => ctx.signal.aborted)).toEqual([false, true, true])
  })
})

describe('F8 a client that runs questions as tasks', () => {
  const asking = (run: (ctx: Context) => Promise<unknown>) =>
    createServer(info, { onError: () => {} }).add(
      tool('ask', { execution: { taskSupport: 'optional' } }, async (_, ctx) => JSON.stringify(await run(ctx))),
    )

  it('declares it for what can be asked', async () => {
    await using client = await connect(
      asking(async () => ''),
      { tasks: true, sample: () => 'x' },
    )
    expect(client.serverSession.peer?.capabilities['tasks']).toEqual({
      list: {},
      cancel: {},
      requests: { sampling: { createMessage: {} } },
    })
    await using both = await connect(
      asking(async () => ''),
      { tasks: {}, sample: () => 'x', elicit: () => 'cancel' },
    )
    expect(both.serverSession.peer?.capabilities['tasks']).toMatchObject({ requests: { elicitation: { create: {} } } })
    await using neither = await connect(
      asking(async () => ''),
      { tasks: true },
    )
    expect(neither.serverSession.peer?.capabilities['tasks']).toBeUndefined()
    await using off = await connect(
      asking(async () => ''),
      { sample: () => 'x' },
    )
    expect(off.serverSession.peer?.capabilities['tasks']).toBeUndefined()
  })

  it('answers sampling and elicitation later than any request would wait', async () => {
    const clock = fakeClock()
    let answer: (text: string) => void = () => {}
    const server = asking(async (ctx) => {
      const { content } = await ctx.sample('s', 'What?', { task: { ttl: '2h' } })
      const { action } = await ctx.elicit('e', 'Sure?', { type: 'object', properties: {} } as const, { task: {} })
      return [content, action]
    })
    await using client = await connect(server, {
      clock,
      tasks: true,
      elicit: () => 'decline',
      sample: () =>
        new Promise<string>((resolve) => {
          answer = resolve
        }),
    })
    const calling = client.call('ask', {}, { timeout: '2h', maxTimeout: '2h' })
    await clock.advance(30 * 60_000)
    answer('forty-two')
    expect(JSON.parse((await calling).text)).toEqual([{ type: 'text', text: 'forty-two' }, 'decline'])
    const said = client.transcript.lines.join('\n')
    expect(said).toContain('"task":{"ttl":7200000}')
    expect(said.match(/← tasks\/result/g)).toHaveLength(2)
  })

  it('asked plainly, it answers plainly', async () => {
    await using client = await connect(
      asking((ctx) => ctx.sample('s', 'What?')),
      { tasks: true, sample: () => 'plain' },
    )
    expect((await client.call('ask')).text).toContain('plain')
    expect(client.transcript.lines.join('\n')).not.toContain('tasks/')
  })

  it('without the option the wish is not sent', async () => {
    await using client = await connect(
      asking((ctx) => ctx.sample('s', 'What?', { task: {} })),
      { sample: () => 'plain' },
    )
    expect((await client.call('ask')).text).toContain('plain')
    expect(client.transcript.lines.join('\n')).not.toContain('"task"')
  })

  it('a call that is cancelled cancels the question', async () => {
    let asked: AbortSignal | undefined
    const server = asking((ctx) => ctx.sample('s', 'What?', { task: {} }))
    await using client = await connect(server, {
      tasks: true,
      sample: ({ signal }) => {
        asked = signal
        return new Promise<string>(() => {})
      },
    })
    const controller = new AbortController()
    const calling = client.call('ask', {}, { signal: controller.signal }).catch((error: unknown) => error)
    await flush()
    expect(asked?.aborted).toBe(false)
    controller.abort()
    expect(await calling).toMatchObject({ kind: 'request_cancelled' })
    await flush()
    expect(asked?.aborted).toBe(true)
    expect(client.session.pending()).toEqual([])
    expect(client.serverSession.pending()).toEqual([])
  })

  it('a handler that fails fails the question, and is reported', async () => {
    const onError = vi.fn()
    const server = asking(async (ctx) => ctx.sample('s', 'What?', { task: {} }).catch(({ kind }) => kind))
    await using client = await connect(server, {
      tasks: true,
      onError,
      sample: () => {
        throw new Error('model is down')
      },
    })
    expect((await client.call('ask')).value).toBe('"internal_error"')
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'model is down' }), {
      during: 'the task of sampling/createMessage',
    })
  })

  it('a task may ask a question that is a task', async () => {
    const server = asking(async (ctx) => (await ctx.sample('s', 'What?', { task: {} })).content)
    await using client = await connect(server, { tasks: true, sample: () => 'deep' })
    const task = await client.callAsTask('ask')
    expect((await task.result()).text).toContain('deep')
    const sent = client.transcript.lines.filter((line) => line.startsWith('← sampling/createMessage'))
    expect(sent).toHaveLength(1)
    expect(sent[0]).toContain(`"${RELATED}":{"taskId":"${task.id}"}`)
  })

  it('C-25 answers to questions of a task name the task', async () => {
    const server = asking((ctx) => ctx.sample('s', 'What?'))
    await using client = await connect(server, { sample: () => 'x' })
    const task = await client.callAsTask('ask')
    await task.result()
    const answers = client.transcript.lines.filter((line) => line.startsWith('→ result'))
    expect(answers.join('\n')).toContain(`"${RELATED}":{"taskId":"${task.id}"}`)
  })
})
