import { describe, expect, it, vi } from 'vitest'
import { ToolError } from '../../errors/index.ts'
import { background, type Context, createServer, tool } from '../../server/index.ts'
import { connect, fakeClock, flush, leaks } from '../../testing/index.ts'
import type { ConnectOptions } from '../options.ts'

const version = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'
const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** Tools that end when the test says so. */
function gates(pollInterval = '2s') {
  const calls: { ctx: Context; open: (value: string) => void; fail: (error: unknown) => void }[] = []
  const handler = (_: unknown, ctx: Context) => new Promise<string>((open, fail) => calls.push({ ctx, open, fail }))
  const server = createServer(
    { name: 's', version: '1' },
    { onError: () => {}, tasks: { pollInterval: pollInterval as '2s' } },
  ).add(
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
    tool('later', { deferTask: true }, async (_, ctx) => {
      const { content } = await ctx.elicit('who', 'Who?', named)
      return background(
        async (task) => `${content?.name}, ${(await task.elicit('what', 'What?', named)).content?.name}`,
      )
    }),
  )
  return { server, calls, last: () => calls[calls.length - 1] as (typeof calls)[number] }
}

async function meet(options: ConnectOptions = {}, pollInterval?: string) {
  const clock = fakeClock()
  const { server, calls, last } = gates(pollInterval)
  const client = await connect(server, { version, clock, ...options })
  const looks = () => client.transcript.lines.filter((line) => line.startsWith('→ tasks/get')).length
  return { clock, server, calls, last, client, looks }
}

const caught = (error: unknown) => error

describe('D7 a call that is answered with a task', () => {
  it('is followed to its end, and no more often looked at than the server likes', async () => {
    const { clock, client, last, looks } = await meet()
    const calling = client.call('may')
    await flush()
    expect(looks()).toBe(0)
    await flush()
    await clock.advance(1999)
    expect(looks()).toBe(0)
    await flush()
    await clock.advance(2001)
    expect(looks()).toBe(2)
    last().open('done')
    await flush()
    await clock.advance(2000)
    expect(await calling).toMatchObject({ value: 'done', isError: false })
    await flush()
    await clock.advance(60_000)
    expect(looks()).toBe(3)
    await client.close()
    expect(leaks(client, client.serverSession)).toEqual([])
  })

  it('is looked at early while it is young, unless the server says how often', async () => {
    const clock = fakeClock()
    const began = clock.now()
    const after = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
    const server = createServer({ name: 's', version: '1' }).add(
      tool('short', { execution: { taskSupport: 'optional' } }, async () => {
        await after(120)
        return 'done'
      }),
      tool('long', { execution: { taskSupport: 'optional' } }, () => new Promise<string>(() => {})),
    )
    const looks: number[] = []
    const tap = (direction: string, frame: string) =>
      direction === 'sent' && frame.includes('"tasks/get"') && looks.push(clock.now() - began)
    await using client = await connect(server, { version, clock, tap })
    const calling = client.call('short').then(({ value }) => [value, clock.now() - began])
    await flush()
    await clock.advance(300)
    expect(await calling).toEqual(['done', 200])
    looks.length = 0
    void client.call('long').catch(caught)
    await flush()
    await clock.advance(4000)
    expect(looks.map((at) => at - 300)).toEqual([100, 200, 400, 800, 1600, 2600, 3600])
  })

  it.each([
    ['no faster than is sensible', '1ms', 100],
    ['as the server asks', '3s', 3000],
  ])('%s', async (_, pollInterval, ms) => {
    const { clock, client, looks } = await meet({}, pollInterval)
    void client.call('may').catch(caught)
    await flush()
    await clock.advance(ms - 1)
    expect(looks()).toBe(0)
    await flush()
    await clock.advance(1)
    expect(looks()).toBe(1)
    await client.close()
  })

  it('throws what the call would have', async () => {
    const { clock, client, calls } = await meet()
    const outcomes = Promise.all([
      client.call('may').catch(caught),
      client.call('may').catch(caught),
      client.call('may', {}, { throwOnError: false }),
      client.call('sum'),
    ])
    await flush()
    calls[0]?.fail(new ToolError('no paper'))
    calls[1]?.fail(new Error('broken'))
    calls[2]?.fail(new ToolError('no ink'))
    await flush()
    await clock.advance(2000)
    const [tool, internal, plain, sum] = await outcomes
    expect(tool).toEqual(new ToolError('no paper'))
    expect(internal).toMatchObject({ name: 'ToolError', message: 'broken', cause: { message: 'broken' } })
    expect(plain).toMatchObject({ isError: true, text: 'no ink' })
    expect(sum).toMatchObject({ value: { sum: 3 } })
  })

  it('asks in rounds before there is a task, and through it after that, each question once', async () => {
    const elicit = vi.fn(({ message }: { message: string }) => ({ name: message }))
    const { clock, client } = await meet({ elicit })
    const calling = client.call('later')
    // The seal of a round is made in its own time.
    await vi.waitFor(() => expect(client.transcript.lines.join()).toContain('"resultType":"task"'))
    await clock.advance(6000)
    expect((await calling).value).toBe('Who?, What?')
    expect(elicit.mock.calls.map(([{ message }]) => message)).toEqual(['Who?', 'What?'])
    expect(client.transcript.lines.filter((line) => line.startsWith('→ tasks/update'))).toHaveLength(1)
  })

  it('a user who takes a while is asked once; looking goes on', async () => {
    let answer: (reply: { name: string }) => void = () => {}
    const elicit = vi.fn(() => new Promise<{ name: string }>((resolve) => (answer = resolve)))
    const { clock, client, last, looks } = await meet({ elicit })
    const calling = client.call('may')
    await flush()
    const asked = last().ctx.elicit('who', 'Who?', named)
    await flush()
    await clock.advance(20_000)
    expect(looks()).toBe(10)
    expect(elicit).toHaveBeenCalledTimes(1)
    answer({ name: 'Ann' })
    await flush()
    expect(await asked).toMatchObject({ content: { name: 'Ann' } })
    last().open('thanks')
    await flush()
    await clock.advance(2000)
    expect((await calling).text).toBe('thanks')
  })

  it('a question that was taken back is put away, and so is one of a task that is over', async () => {
    const signals: AbortSignal[] = []
    const elicit = ({ signal }: { signal: AbortSignal }) => new Promise<undefined>(() => void signals.push(signal))
    const { clock, client, last } = await meet({ elicit })
    const calling = client.call('may')
    await flush()
    const { ctx, open } = last()
    const given = new AbortController()
    const back = ctx.elicit('back', 'Who?', named, { signal: given.signal }).catch(caught)
    const stays = ctx.elicit('stays', 'Who?', named).catch(caught)
    await flush()
    await clock.advance(2000)
    given.abort()
    await back
    await flush()
    await clock.advance(2000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    open('done')
    await flush()
    await clock.advance(2000)
    expect((await calling).text).toBe('done')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    void stays
  })

  it('a form that cannot be answered is cancelled; without a model the task is given up', async () => {
    const elicit = () => {
      throw new Error('no screen')
    }
    const sample = () => {
      throw new Error('no model')
    }
    const { clock, client, last } = await meet({ elicit, sample, onError: () => {} })
    const calling = client.call('may').catch(caught)
    await flush()
    const { ctx } = last()
    const asked = ctx.elicit('who', 'Who?', named)
    await flush()
    await clock.advance(2000)
    expect(await asked).toEqual({ action: 'cancel' })
    const sampled = ctx.sample('say', 'Say it').catch(caught)
    await flush()
    await clock.advance(2000)
    expect(await calling).toEqual(new Error('no model'))
    expect(await sampled).toMatchObject({ kind: 'request_cancelled' })
    expect(ctx.signal.aborted).toBe(true)
  })

  it('aborting it cancels the task', async () => {
    const { clock, client, last } = await meet()
    const controller = new AbortController()
    const calling = client.call('may', {}, { signal: controller.signal }).catch(caught)
    await flush()
    controller.abort(new Error('enough'))
    expect(await calling).toMatchObject({ kind: 'request_cancelled' })
    await flush()
    expect(last().ctx.signal.aborted).toBe(true)
    await flush()
    await clock.advance(10_000)
    expect(leaks(client, client.serverSession)).toEqual([])
  })

  it('has the time the caller gives it, and every sign of life counts', async () => {
    const { clock, client, last } = await meet()
    const calling = client.call('may', {}, { timeout: '5s' }).catch(caught)
    const patient = client.call('may')
    await flush()
    await clock.advance(3000)
    last().ctx.progress(1, 2, 'going on')
    await flush()
    await clock.advance(120_000)
    expect(await calling).toMatchObject({ kind: 'request_timeout' })
    last().open('at last')
    await flush()
    await clock.advance(2000)
    expect((await patient).text).toBe('at last')
  })

  it('ends with the client', async () => {
    const { client } = await meet()
    const calling = client.call('may').catch(caught)
    await flush()
    await client.close()
    expect(await calling).toMatchObject({ kind: 'session_closed' })
  })

  it('there is none for who does not want them', async () => {
    const { client, last } = await meet({ tasks: false })
    expect(JSON.stringify(client.session.self.capabilities)).not.toContain(TASKS)
    const calling = client.call('may')
    await flush()
    last().open('done')
    expect((await calling).text).toBe('done')
    await expect(client.call('must')).rejects.toMatchObject({ kind: 'missing_client_capability', code: -32021 })
  })

  it('D-40 says so with every request, beside other extensions', async () => {
    const frames: string[] = []
    const { client } = await meet({
      extensions: { 'x/y': { z: 1 } },
      tap: (direction, frame) => direction === 'sent' && frames.push(frame),
    })
    await client.tools()
    expect(frames).toHaveLength(2)
    for (const frame of frames) expect(frame).toContain(`"extensions":{"x/y":{"z":1},"${TASKS}":{}}`)
  })
})

describe('D7 callAsTask', () => {
  it('gives the same handle: status, changes, result', async () => {
    const { clock, client, last } = await meet()
    const seen: unknown[] = []
    const task = await client.callAsTask(
      'may',
      {},
      { onStatus: ({ status, statusMessage }) => seen.push([status, statusMessage]) },
    )
    expect(task.latest).toMatchObject({ taskId: task.id, status: 'working', ttl: 3_600_000, pollInterval: 2000 })
    expect(await task.status()).toMatchObject({ status: 'working' })
    await flush()
    last().ctx.progress(1, 2, 'half')
    await flush()
    await clock.advance(2000)
    last().fail(new ToolError('no paper'))
    await flush()
    await clock.advance(2000)
    await expect(task.result()).rejects.toThrow(new ToolError('no paper'))
    await expect(task.result()).rejects.toThrow(new ToolError('no paper'))
    expect(seen).toEqual([
      ['working', 'half'],
      ['failed', 'no paper'],
    ])
    expect(await task.status()).toMatchObject({ status: 'failed', statusMessage: 'no paper' })
  })

  it('cancel, and then there is nothing to cancel any more', async () => {
    const { client, last } = await meet()
    const task = await client.callAsTask('may')
    const result = task.result().catch(caught)
    await flush()
    expect(await task.cancel()).toMatchObject({ status: 'cancelled' })
    expect(last().ctx.signal.aborted).toBe(true)
    expect(await result).toMatchObject({ kind: 'request_cancelled' })
    await expect(task.cancel()).rejects.toMatchObject({ code: -32602 })
    const over = await client.callAsTask('sum')
    await flush()
    await expect(over.cancel()).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('completed') })
  })

  it('a task without listeners is not polled', async () => {
    const { clock, client, looks } = await meet()
    const task = await client.callAsTask('may')
    await flush()
    await clock.advance(10_000)
    expect(looks()).toBe(0)
    const stop = task.onStatus(() => {})
    await flush()
    await clock.advance(4000)
    expect(looks()).toBe(2)
    stop()
    await flush()
    await clock.advance(10_000)
    expect(looks()).toBe(2)
    await client.close()
  })

  it('its own interval counts', async () => {
    const { clock, client, looks } = await meet()
    const task = await client.callAsTask('may', {}, { pollInterval: '500ms', onStatus: () => {} })
    await flush()
    await clock.advance(1000)
    expect(looks()).toBe(2)
    expect(task.latest.status).toBe('working')
    await client.close()
  })

  it('what the server answers at once is a task of its own', async () => {
    const { client, last } = await meet()
    const beginning = client.callAsTask('never')
    await flush()
    last().open('done')
    const task = await beginning
    expect((await task.result()).text).toBe('done')
    expect(await task.status()).toMatchObject({ status: 'completed' })
  })

  it('there is a handle at once where the server may not answer with a task', async () => {
    const { client, last } = await meet({ tasks: false })
    const task = await client.callAsTask('never')
    expect(task.latest.status).toBe('working')
    await flush()
    last().open('done')
    expect((await task.result()).text).toBe('done')
    await client.callAsTask('never').then((other) => other.cancel())
    await flush()
    expect(last().ctx.signal.aborted).toBe(true)
  })

  it('D-47 a list that says nothing of tasks decides nothing', async () => {
    const { client } = await meet()
    const tools = await client.tools()
    expect(tools.every(({ execution }) => execution === undefined)).toBe(true)
    const { id } = await client.callAsTask('may')
    expect(await client.task(id).status()).toMatchObject({ status: 'working' })
    await client.close()
  })

  it('a task is found again by its id; unknown ones are not', async () => {
    const { client, last } = await meet()
    const { id } = await client.callAsTask('may')
    await flush()
    last().open('found')
    await flush()
    expect((await client.task(id).result()).text).toBe('found')
    await expect(client.task('nobody').result()).rejects.toMatchObject({ code: -32602 })
    await expect(client.task('nobody').status()).rejects.toMatchObject({ code: -32602 })
  })

  it('there is no list, and the error says what to do', async () => {
    const { client } = await meet()
    await expect(client.tasks()).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('client.task(id)'),
    })
  })
})
