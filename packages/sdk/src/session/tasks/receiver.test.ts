import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { Body, Link } from '../../jsonrpc/index.ts'
import type { Task, TaskStatus } from '../../protocol/index.ts'
import { type Context, createServer, tool } from '../../server/index.ts'
import { MemoryTaskStore, type TaskStore } from '../../stores/index.ts'
import { connect as connectIn, fakeClock, flush } from '../../testing/index.ts'
import { memoryPair } from '../../transport/index.ts'
import { isTerminal, sourcesOf, taskTransitions } from './status.ts'

const info = { name: 's', version: '1' }
const version = '2025-11-25'
const connect: typeof connectIn = (server, options) => connectIn(server, { version, ...options })

function held(
  tasks: { store?: TaskStore; principal?: () => string } = {},
  onError: (error: unknown) => void = () => {},
) {
  const calls: { ctx: Context; open: (value: string) => void }[] = []
  const wait = tool(
    'wait',
    { execution: { taskSupport: 'optional' } },
    (_, ctx) => new Promise<string>((open) => calls.push({ ctx, open })),
  )
  return {
    server: createServer(info, { tasks, onError }).add(wait),
    last: () => calls[calls.length - 1] as (typeof calls)[number],
  }
}

describe('F8 the states of a task', () => {
  it('has the transitions of the specification', () => {
    expect(taskTransitions).toEqual({
      working: ['input_required', 'completed', 'failed', 'cancelled'],
      input_required: ['working', 'completed', 'failed', 'cancelled'],
      completed: [],
      failed: [],
      cancelled: [],
    })
    expect((Object.keys(taskTransitions) as TaskStatus[]).filter(isTerminal)).toEqual([
      'completed',
      'failed',
      'cancelled',
    ])
    expect(sourcesOf('working')).toEqual(['input_required'])
    expect(sourcesOf('cancelled')).toEqual(['working', 'input_required'])
  })

  /** What may happen to a task, in any order and any number. */
  const happening = fc.constantFrom('ask', 'answer', 'cancel', 'progress', 'finish', 'expire' as const)

  it('are only ever left along the transitions, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 12 }), async (happenings) => {
        const clock = fakeClock()
        const { server, last } = held()
        const replies: ((action: 'decline') => void)[] = []
        await using client = await connect(server, {
          clock,
          elicit: () => new Promise((resolve) => replies.push(resolve)),
        })
        const seen: TaskStatus[] = ['working']
        client.onNotification('notifications/tasks/status', ({ status }) => seen.push(status))
        const task = await client.callAsTask('wait', {}, { ttl: '1m' })
        await flush()
        const { ctx, open } = last()
        let count = 0
        const act: Record<typeof happening extends fc.Arbitrary<infer T> ? T : never, () => unknown> = {
          ask: () => ctx.elicit(`q${count}`, '?', { type: 'object', properties: {} } as const).catch(() => {}),
          answer: () => replies.shift()?.('decline'),
          cancel: () => task.cancel().catch(() => {}),
          progress: () => ctx.progress(count, undefined, `step ${count}`),
          finish: () => open('done'),
          expire: () => clock.advance(60_000),
        }
        for (const each of happenings) {
          count++
          void act[each]()
          if (count % 2 === 0) await flush()
        }
        await flush()
        for (const [at, status] of seen.entries()) {
          const before = seen[at - 1]
          if (before !== undefined) expect(taskTransitions[before]).toContain(status)
        }
        const now: Task | { code: number } = await task.status().catch((error: ParleyError) => ({ code: error.code }))
        if ('code' in now) expect(now.code).toBe(-32602)
        else expect(now.status).toBe(seen[seen.length - 1])
      }),
      { numRuns: 60 },
    )
  })
})

describe('F8 a store that takes its time', () => {
  /** Every answer comes a few turns later. */
  function slow(): TaskStore & { inner: MemoryTaskStore } {
    const inner = new MemoryTaskStore()
    const later = <T>(value: T): Promise<T> => flush().then(() => value)
    return {
      inner,
      create: (...given) => later(inner.create(...given)),
      get: (...given) => flush().then(() => inner.get(...given)),
      update: (...given) => flush().then(() => inner.update(...given)),
      list: (...given) => flush().then(() => inner.list(...given)),
      delete: (...given) => flush().then(() => inner.delete(...given)),
      expire: (...given) => later(inner.expire(...given)),
    }
  }

  it('changes nothing for the requestor', async () => {
    const { server, last } = held({ store: slow() })
    await using client = await connect(server, { elicit: () => ({}) })
    const task = await client.callAsTask('wait')
    const result = task.result()
    await vi.waitFor(() => expect(last()).toBeDefined())
    expect((await last().ctx.elicit('q', '?', { type: 'object', properties: {} } as const)).action).toBe('accept')
    last().open('done')
    expect((await result).value).toBe('done')
    expect((await task.status()).status).toBe('completed')
  })

  it('a session that ends while a task is being created leaves none', async () => {
    const store = slow()
    const { server } = held({ store })
    const client = await connect(server)
    const beginning = client.callAsTask('wait').catch((error: unknown) => error)
    await Promise.resolve()
    await client.close()
    await beginning
    await vi.waitFor(() => expect(store.inner.size).toBe(0))
  })

  it('a store that fails is reported, and the requestor is told', async () => {
    const store = new MemoryTaskStore()
    const errors: unknown[] = []
    const broken: TaskStore = Object.assign(Object.create(store) as TaskStore, {
      create: (...given: Parameters<TaskStore['create']>) => store.create(...given),
      get: (id: string) => store.get(id),
      list: () => [],
      expire: () => [],
      delete: () => false,
      update: () => Promise.reject(new Error('disk is full')),
    })
    const { server, last } = held({ store: broken }, (error) => errors.push(error))
    await using client = await connect(server)
    const task = await client.callAsTask('wait')
    await flush()
    await expect(task.cancel()).rejects.toMatchObject({ kind: 'internal_error', message: 'Internal error' })
    last().open('done')
    await flush()
    expect(errors).toContainEqual(expect.objectContaining({ message: 'disk is full' }))
  })

  it('a task another process runs is waited for by looking', async () => {
    const clock = fakeClock()
    const store = new MemoryTaskStore()
    const { server } = held({ store, principal: () => 'ann' })
    const now = clock.now()
    const common = {
      principal: 'ann',
      method: 'tools/call',
      params: { name: 'wait' },
      createdAt: now,
      updatedAt: now,
      ttl: 60_000,
      pollInterval: 500,
    }
    store.create({ taskId: 'elsewhere', status: 'working', ...common }, 10)
    await using client = await connect(server, { clock })
    const result = client.task('elsewhere').result()
    await clock.advance(500)
    store.update('elsewhere', ['working'], {
      status: 'completed',
      updatedAt: now,
      outcome: { result: { content: [{ type: 'text', text: 'from afar' }] } },
    })
    await clock.advance(500)
    expect((await result).text).toBe('from afar')
  })
})

describe('F8 a client that does not listen', () => {
  /** Like a session over HTTP whose client has no stream open. */
  function deaf(link: Link): Link {
    return Object.defineProperty(link, 'listening', { get: () => false })
  }

  async function meet() {
    const clock = fakeClock()
    const { server, last } = held()
    const [near, far] = memoryPair()
    const sent: { frame: Body; relatedTo: unknown }[] = []
    const send = far.send.bind(far)
    far.send = (frame, options) => {
      sent.push({ frame: JSON.parse(frame) as Body, relatedTo: options?.relatedTo })
      send(frame, options)
    }
    server.accept(deaf(far), { clock, keepAlive: false })
    const { connect: connectClient } = await import('../../client/index.ts')
    const client = await connectClient<typeof server>(near, { version, clock, keepAlive: false, elicit: () => ({}) })
    return { clock, client, last, sent }
  }

  it('is asked when it fetches the result, on that very request', async () => {
    const { client, last, sent } = await meet()
    const task = await client.callAsTask('wait')
    await flush()
    const asking = last().ctx.elicit('q', '?', { type: 'object', properties: {} } as const)
    await flush()
    expect((await task.status()).status).toBe('input_required')
    expect(sent.some(({ frame }) => frame['method'] === 'elicitation/create')).toBe(false)
    const result = task.result()
    expect((await asking).action).toBe('accept')
    last().open('done')
    expect((await result).value).toBe('done')
    const question = sent.find(({ frame }) => frame['method'] === 'elicitation/create')
    const answer = sent.find(({ frame }) => (frame['result'] as Body | undefined)?.['content'] !== undefined)
    expect(question?.relatedTo).toBe(answer?.frame['id'])
    await client.close()
  })

  it('is not waited for without end', async () => {
    const { client, clock, last } = await meet()
    await client.callAsTask('wait')
    await flush()
    const asking = last()
      .ctx.elicit('q', '?', { type: 'object', properties: {} } as const, { timeout: '5s' })
      .catch((error: unknown) => error)
    await flush()
    await clock.advance(5000)
    expect(await asking).toBeInstanceOf(ParleyError)
    expect(await asking).toMatchObject({ kind: 'request_timeout' })
    await client.close()
    await flush()
    expect(clock.pending).toBe(0)
  })
})
