/** Failures on the client's side that are nobody's answer: told once, to `onError` or on the console. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Context, createServer, resource, tool } from '../server/index.ts'
import { connect, fakeClock, flush } from '../testing/index.ts'
import { connect as connectTo } from './connect.ts'
import type { ConnectOptions } from './options.ts'
import { userRejected } from './questions/sampling.ts'
import { rawServer } from './raw-server.fixtures.ts'

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const broken = new Error('no window')
const fail = () => {
  throw broken
}

function serverAsking(ask: (ctx: Context) => Promise<unknown>) {
  return createServer({ name: 's', version: '1' }, { onError: () => {} }).add(
    tool('ask', {}, async (_, ctx) => JSON.stringify(await ask(ctx))),
    tool('job', { execution: { taskSupport: 'optional' } }, async (_, ctx) => JSON.stringify(await ask(ctx))),
    resource('note://a', {}, () => 'a'),
  )
}

const elicits = (ctx: Context) => ctx.elicit('who', 'Who?', named)
const samples = (ctx: Context) =>
  ctx.sample('text', { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 1 })

let printed: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  printed = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => printed.mockRestore())

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)('E2 without onError, in %s', (version) => {
  const asked = async (
    ask: (ctx: Context) => Promise<unknown>,
    options: ConnectOptions,
    name: 'ask' | 'job' = 'ask',
  ) => {
    await using client = await connect(serverAsking(ask), { version, ...options })
    await client.call(name).catch(() => {})
    await flush()
  }

  it.each<[string, string, (ctx: Context) => Promise<unknown>, ConnectOptions]>([
    ['elicit', 'elicitation/create', elicits, { elicit: fail }],
    ['sample', 'sampling/createMessage', samples, { sample: fail }],
    ['roots', 'roots/list', (ctx) => ctx.roots('where'), { roots: fail }],
  ])('a failing %s is printed, once', async (_, method, ask, options) => {
    await asked(ask, options)
    expect(printed.mock.calls).toEqual([[`parley: client, answering ${method} failed:`, broken]])
  })

  it('so is an answer that does not fit the form', async () => {
    await asked(elicits, { elicit: () => ({ name: 7 }) })
    expect(printed.mock.calls).toEqual([
      [
        'parley: client, answering elicitation/create failed:',
        expect.objectContaining({ message: expect.stringContaining('does not fit') }),
      ],
    ])
  })

  it('so are listeners', async () => {
    const server = serverAsking(async () => {})
    await using client = await connect(server, { version })
    await client.subscribe('note://a', fail)
    client.onListChanged('tools', fail)
    await flush()
    server.updated('note://a')
    server.add(tool('more', {}, () => ''))
    await flush()
    const said = printed.mock.calls.map(([message, error]: unknown[]) => [message, error])
    expect(said).toContainEqual(['parley: client, subscription handler failed:', broken])
    expect(said).toContainEqual(['parley: client, handler of notifications/tools/list_changed failed:', broken])
    expect(said).toHaveLength(2)
  })

  it.each<[string, (ctx: Context) => Promise<unknown>, ConnectOptions]>([
    ['model', samples, { sample: () => Promise.reject(userRejected()) }],
    ['form', elicits, { elicit: () => Promise.reject(userRejected()) }],
    ['form, by cancelling', elicits, { elicit: () => undefined }],
  ])('a user who refuses the %s is no failure', async (_, ask, options) => {
    await asked(ask, options)
    expect(printed).not.toHaveBeenCalled()
  })

  it('nor is a question that was interrupted', async () => {
    const abort = new AbortController()
    let interrupted: boolean | undefined
    await using client = await connect(serverAsking(elicits), {
      version,
      elicit: ({ signal }) =>
        new Promise((_, reject) => {
          interrupted = false
          signal.addEventListener('abort', () => {
            interrupted = true
            reject(new Error('interrupted'))
          })
        }),
    })
    const calling = client.call('ask', {}, { signal: abort.signal }).catch(() => {})
    // The seal of a round is made in its own time.
    await vi.waitFor(() => expect(interrupted).toBe(false))
    abort.abort()
    await calling
    await flush()
    expect(interrupted).toBe(true)
    expect(printed).not.toHaveBeenCalled()
  })

  it('onError hears it instead', async () => {
    const onError = vi.fn()
    await asked(elicits, { elicit: fail, onError })
    expect(onError.mock.calls).toEqual([[broken, { during: 'answering elicitation/create' }]])
    expect(printed).not.toHaveBeenCalled()
  })
})

describe('D7 a question of a task', () => {
  it.each<[string, ConnectOptions['elicit'], unknown]>([
    ['that fails', fail, broken],
    ['whose answer does not fit', () => ({ name: 7 }), expect.objectContaining({ kind: 'invalid_answer' })],
  ])('%s is printed', async (_, elicit, error) => {
    const clock = fakeClock()
    await using client = await connect(serverAsking(elicits), { version: '2026-07-28', clock, elicit: elicit as never })
    const task = await client.callAsTask('job')
    const ended = task.result()
    await flush()
    await clock.advance(5000)
    expect((await ended).text).toContain('cancel')
    expect(printed.mock.calls).toEqual([['parley: client, answering elicitation/create failed:', error]])
  })
})

describe('F8 a question that is a task itself', () => {
  it('is printed when its handler gives what no server can use', async () => {
    const server = rawServer({ version: '2025-11-25', capabilities: { tools: {} } })
    const client = await connectTo(server.link, { version: '2025-11-25', tasks: true, sample: () => ({}) as never })
    await server.ask('sampling/createMessage', { messages: [], maxTokens: 1, task: {} })
    await flush()
    expect(printed.mock.calls).toEqual([
      ['parley: client, answering sampling/createMessage failed:', expect.any(TypeError)],
    ])
    await client.close()
  })
})
