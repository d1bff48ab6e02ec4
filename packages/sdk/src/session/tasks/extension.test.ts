import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import type { TaskStatus } from '../../protocol/index.ts'
import { type Context, createServer, tool } from '../../server/index.ts'
import { StatelessClient } from '../../server/tasks/extension.fixtures.ts'
import { MemoryTaskStore, type TaskStore } from '../../stores/index.ts'
import { fakeClock, flush } from '../../testing/index.ts'
import { isTerminal, taskTransitions } from './status.ts'

const form = { type: 'object', properties: {} } as const

function held(store: TaskStore = new MemoryTaskStore()) {
  const clock = fakeClock()
  const calls: { ctx: Context; open: (value: string) => void }[] = []
  const wait = tool(
    'wait',
    { execution: { taskSupport: 'optional' } },
    (_, ctx) => new Promise<string>((open) => calls.push({ ctx, open })),
  )
  const server = createServer(
    { name: 's', version: '1' },
    { tasks: { store, ttl: '1m', principal: () => 'ann' }, onError: () => {} },
  ).add(wait)
  const client = new StatelessClient(server, { capabilities: { elicitation: {} }, accept: { clock } })
  return { clock, client, last: () => calls[calls.length - 1] as (typeof calls)[number] }
}

/** What it waits for, or how far it is, may change without its status. */
function expectLegal(news: readonly Body[]): void {
  let before: TaskStatus = 'working'
  for (const { status } of news as { status: TaskStatus }[]) {
    if (before === status) expect(isTerminal(status)).toBe(false)
    else expect(taskTransitions[before]).toContain(status)
    before = status
  }
}

/** Each status has its own field, and a question that was settled never comes back. */
function expectFitting(news: readonly Body[]): void {
  const settled = new Set<string>()
  let open: string[] = []
  for (const task of news) {
    const { status } = task
    expect({ ask: 'inputRequests' in task, result: 'result' in task, error: 'error' in task }).toEqual({
      ask: status === 'input_required',
      result: status === 'completed',
      error: status === 'failed',
    })
    const shown = Object.keys((task['inputRequests'] ?? {}) as Body)
    for (const key of open) if (!shown.includes(key)) settled.add(key)
    expect(shown.filter((key) => settled.has(key))).toEqual([])
    open = shown
  }
}

describe('D7 the states of a task of the extension', () => {
  const happening = fc.constantFrom(
    'ask',
    'answer',
    'nonsense',
    'withdraw',
    'cancel',
    'progress',
    'finish',
    'expire' as const,
  )

  it('are only ever left along the transitions; keys come once, and each answer gets to its own question', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 14 }), async (happenings) => {
        const { clock, client, last } = held()
        const { taskId } = await client.call('wait')
        void client.request('subscriptions/listen', { notifications: { taskIds: [taskId] } })
        await flush()
        const { ctx, open } = last()
        const asked: { key: string; given: AbortController }[] = []
        const answered = new Map<string, unknown>()
        const told = new Map<string, unknown>()
        let count = 0
        const act: Record<typeof happening extends fc.Arbitrary<infer T> ? T : never, () => unknown> = {
          ask: () => {
            const question = { key: `q${count}`, given: new AbortController() }
            asked.push(question)
            const answer = ctx.elicit(
              question.key,
              '?',
              { type: 'object', properties: { n: { type: 'number' } } } as const,
              { signal: question.given.signal },
            )
            return answer.then(({ content }) => told.set(question.key, content?.n)).catch(() => {})
          },
          answer: async () => {
            const n = count
            const { inputRequests } = await client.get(taskId)
            const [key] = Object.keys((inputRequests ?? {}) as Body)
            if (key !== undefined && !answered.has(key)) answered.set(key, n)
            if (key !== undefined)
              await client.update(taskId, { [key]: { action: 'accept', content: { n: answered.get(key) } } })
          },
          nonsense: () => client.update(taskId, { q1: { action: 'perhaps' }, other: 7 }),
          withdraw: () => asked.shift()?.given.abort(),
          cancel: () => client.result('tasks/cancel', { taskId }),
          progress: () => ctx.progress(count, undefined, `step ${count}`),
          finish: () => open('done'),
          expire: () => clock.advance(60_000),
        }
        for (const each of happenings) {
          count++
          void Promise.resolve(act[each]()).catch(() => {})
          if (count % 2 === 0) await flush()
        }
        for (let turn = 0; turn < 4; turn++) await flush()
        const news = client.raw.of('notifications/tasks').map(({ params }) => params as Body)
        expectLegal(news)
        expectFitting(news)
        for (const [key, content] of told) expect(content).toBe(answered.get(key))
        const now = await client.request('tasks/get', { taskId })
        if (now.error !== undefined) expect(now.error.code).toBe(-32602)
        else expect(now.result?.['status']).toBe(news[news.length - 1]?.['status'] ?? 'working')
      }),
      { numRuns: 60 },
    )
  })
})

describe('D7 a task and its store', () => {
  it('one that takes its time changes nothing for the requestor', async () => {
    const inner = new MemoryTaskStore()
    const slow = new Proxy(inner, {
      get: (store, name) => {
        const member: unknown = Reflect.get(store, name, store)
        return typeof member === 'function'
          ? (...given: unknown[]) => flush().then(() => member.apply(store, given))
          : member
      },
    })
    const { client, last } = held(slow)
    const { taskId } = await client.call('wait')
    expect(await client.get(taskId)).toMatchObject({ status: 'working' })
    const asking = last().ctx.elicit('q', '?', form)
    await vi.waitFor(async () =>
      expect(await client.get(taskId)).toMatchObject({ status: 'input_required', inputRequests: { q: {} } }),
    )
    await client.update(taskId, { q: { action: 'decline' } })
    expect(await asking).toMatchObject({ action: 'decline' })
    last().open('done')
    await vi.waitFor(async () => expect(await client.get(taskId)).toMatchObject({ status: 'completed' }))
  })

  it('every process shows the questions, and only the one that asks takes answers', async () => {
    const store = new MemoryTaskStore()
    const here = held(store)
    const { taskId } = await here.client.call('wait')
    const asking = here.last().ctx.elicit('q', '?', form)
    await flush()
    const elsewhere = held(store).client
    expect(await elsewhere.get(taskId)).toEqual(await here.client.get(taskId))
    expect(
      await elsewhere.error('tasks/update', { taskId, inputResponses: { q: { action: 'decline' } } }),
    ).toMatchObject({ code: -32603 })
    await here.client.update(taskId, { q: { action: 'accept', content: {} } })
    expect((await asking).action).toBe('accept')
    here.last().open('done')
    await flush()
    expect(await elsewhere.update(taskId, { q: { action: 'decline' } })).toEqual({ resultType: 'complete' })
  })

  it('a task that was written down without its end says so', async () => {
    const store = new MemoryTaskStore()
    const { client, clock } = held(store)
    const now = clock.now()
    store.create(
      {
        taskId: 't',
        principal: 'ann',
        method: 'tools/call',
        params: {},
        status: 'failed',
        createdAt: now,
        updatedAt: now,
        ttl: null,
        pollInterval: 500,
      },
      9,
    )
    expect(await client.get('t')).toMatchObject({ status: 'failed', ttlMs: null, error: { code: -32603 } })
  })
})
