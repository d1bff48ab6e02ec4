/**
 * The dialect of erlmcp end to end: between two Parleys, with a server that knows nothing else, and with such a client.
 */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ALL, rawServer } from '../../src/client/raw-server.fixtures.ts'
import { connect } from '../../src/client.ts'
import { type Link, ParleyError } from '../../src/index.ts'
import { createServer, prompt, resource, type ServerOptions, tool } from '../../src/server.ts'
import { flush, leaks, memoryPair } from '../../src/testing.ts'
import { rawClient } from './raw-client.ts'

const DIALECT = { dialect: 'erlmcp', keepAlive: false } as const

function makeServer(options: ServerOptions = {}) {
  return createServer({ name: 'shop', version: '1' }, { onError: () => {}, pageSize: 3, ...options }).add(
    tool(
      'pack',
      { input: z.object({ what: z.string() }), execution: { taskSupport: 'optional' } },
      ({ what }) => `${what}, packed`,
    ),
    tool('plain', {}, () => 'plain'),
    tool('refuse', {}, () => {
      throw new ParleyError('refusal_safety', { message: 'Not that', data: { why: 'sharp' } })
    }),
    tool('think', {}, async (_, ctx) => JSON.stringify((await ctx.sample('thought', 'Think!')).content)),
    tool('ask', {}, async (_, ctx) => (await ctx.elicit('sure', 'Sure?', z.object({ yes: z.boolean() }))).action),
    resource('file:///docs/readme.md', { name: 'readme' }, () => 'Read me'),
    prompt(
      'review',
      { arguments: { language: { complete: ['erlang', 'elixir'] } } },
      ({ language }) => `Review this ${language}`,
    ),
  )
}

/** Every frame that goes over a link, as the wire has it. */
function recorded(link: Link): {
  link: Link
  frames: { method?: string; result?: object; error?: { code: number } }[]
} {
  const frames: { method?: string }[] = []
  const note = (text: string): void => void frames.push(JSON.parse(text) as { method?: string })
  return {
    frames,
    link: {
      transport: link.transport,
      open: (events) =>
        link.open({
          ...events,
          frame: (text, parsed, origin) => {
            note(text)
            events.frame(text, parsed, origin)
          },
        }),
      send: (frame, options) => {
        note(frame)
        link.send(frame, options)
      },
      close: () => link.close(),
    },
  }
}

async function pair(options: Parameters<typeof connect>[1] = {}) {
  const server = makeServer()
  const [near, far] = memoryPair()
  const { link, frames } = recorded(near)
  const session = server.accept(far, DIALECT)
  const client = await connect<typeof server>(link, { ...DIALECT, ...options })
  return {
    server,
    client,
    session,
    frames,
    methods: () => frames.flatMap(({ method }) => (method === undefined ? [] : [method])),
  }
}

describe('D two Parleys that speak the dialect', () => {
  it('agree on 2025-11-25 and say everything in its words', async () => {
    const { server, client, session, frames, methods } = await pair({
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } }),
    })
    expect([client.version, session.version]).toEqual(['2025-11-25', '2025-11-25'])
    expect((await client.tools()).map(({ name }) => name)).toEqual(['pack', 'plain', 'refuse', 'think', 'ask'])
    expect(frames.some(({ result }) => result !== undefined && 'cursor' in result)).toBe(true)

    const task = await client.callAsTask('pack', { what: 'tea' })
    expect((await task.result()).value).toBe('tea, packed')
    expect((await task.status()).status).toBe('completed')
    expect((await client.tasks()).map(({ taskId }) => taskId)).toEqual([task.id])
    expect(methods()).toContain('tasks/create')

    expect((await client.call('think')).value).toContain('yes')
    expect((await client.read('file:///docs/readme.md')).contents).toEqual([
      { uri: 'file:///docs/readme.md', mimeType: 'text/plain', text: 'Read me' },
    ])
    expect(JSON.stringify(frames)).toContain('"name":"readme.md"')
    expect(await client.complete({ prompt: 'review' }, { name: 'language', value: 'er' })).toMatchObject({
      values: ['erlang'],
    })

    const updates: string[] = []
    const subscription = await client.subscribe('file:///docs/readme.md', () => void updates.push('updated'))
    server.updated('file:///docs/readme.md')
    await expect.poll(() => updates).toEqual(['updated'])
    await subscription[Symbol.asyncDispose]()
    expect(methods()).toContain('resources/updated')
    expect(methods().filter((name) => name.includes('list_changed') && name.startsWith('notifications/'))).toEqual([])

    expect(client.losses()).toEqual([])
    await client.close()
    expect(leaks(client, session)).toEqual([])
  })

  it('a tool that does not run as a task is called as ever', async () => {
    const { client } = await pair()
    const task = await client.callAsTask('plain')
    expect((await task.result()).value).toBe('plain')
    await client.close()
  })

  it.each([
    ['an unknown tool', -32002, -32602, 'tool_not_found', (client: Connected) => client.call('nope' as 'plain', {})],
    ['an unknown resource', -32001, -32002, 'resource_not_found', (client: Connected) => client.read('file:///nope')],
    ['an unknown prompt', -32003, -32602, 'prompt_not_found', (client: Connected) => client.prompt('nope')],
    ['a refusal', 1002, -32603, 'refusal_safety', (client: Connected) => client.call('refuse', {})],
  ] as const)('E3 %s is %d on the wire and %d for the program', async (_, wire, code, kind, fail) => {
    const { client, frames } = await pair()
    const error = await fail(client).then(
      () => undefined,
      (thrown: unknown) => thrown as ParleyError,
    )
    expect(error).toMatchObject({ kind, code })
    expect(frames.flatMap((frame) => (frame.error === undefined ? [] : [frame.error.code]))).toEqual([wire])
    await client.close()
  })

  it('a list that changes is announced', async () => {
    const { server, client, methods } = await pair()
    const changed: string[] = []
    client.onListChanged('tools', () => changed.push('tools'))
    server.add(tool('late', {}, () => 'late'))
    await expect.poll(() => changed).toEqual(['tools'])
    expect(methods()).toContain('tools/list_changed')
    await client.close()
  })
})

type Connected = Awaited<ReturnType<typeof pair>>['client']

describe('D a client and a server that knows only erlmcp', () => {
  const scripted = () =>
    rawServer({
      capabilities: { ...ALL, tasks: {} },
      answers: {
        'tools/list': ({ cursor }) =>
          cursor === undefined
            ? { tools: [{ name: 'sql_query', inputSchema: { type: 'object' } }], cursor: 'c2' }
            : { tools: [{ name: 'other', inputSchema: { type: 'object' } }] },
        'tasks/create': ({ action }) => ({ taskId: `task-${(action as { type: string }).type}` }),
        'tasks/get': ({ taskId }) => ({ task: { taskId, status: 'processing' } }),
        'tasks/result': () => ({ content: [{ type: 'text', text: '42 rows' }], isError: false }),
        'tasks/cancel': () => ({}),
        'resources/list': () => ({
          resources: [{ uri: 'doc://readme', name: 'README', metadata: {}, lastModified: 1640995200000 }],
        }),
        'resources/read': ({ uri }) => ({ contents: [{ uri, name: 'doc://readme', text: 'x' }] }),
        'resources/subscribe': () => ({}),
        'completion/complete': () => ({
          completions: [{ value: 'erlang', label: 'Erlang/OTP' }],
          hasMore: false,
          total: 1,
        }),
        'prompts/get': () => ({ error: { code: 1005, message: 'Permission denied' } }),
      },
    })

  it('understand each other', async () => {
    const server = scripted()
    const asked: unknown[] = []
    const client = await connect(server.link, {
      ...DIALECT,
      sample: (params) => {
        asked.push(params)
        return { role: 'assistant', model: 'm', stopReason: 'endTurn', content: { type: 'text', text: 'advice' } }
      },
    })
    expect(server.of('initialize')[0]?.params?.['capabilities']).toMatchObject({
      resources: { subscribe: true },
      tools: {},
      prompts: {},
      tasks: {},
    })
    expect((await client.tools()).map(({ name }) => name)).toEqual(['sql_query', 'other'])
    expect(server.of('tools/list')[1]?.params).toEqual({ cursor: 'c2' })

    const task = await client.callAsTask('sql_query', { query: 'SELECT 1' }, { ttl: '30s' })
    expect(server.of('tasks/create')[0]?.params).toEqual({
      action: { type: 'sql_query', parameters: { query: 'SELECT 1' } },
      metadata: { timeout: 30000 },
    })
    expect(task.id).toBe('task-sql_query')
    expect((await task.status()).status).toBe('working')
    expect((await task.result()).value).toBe('42 rows')
    expect((await (await client.callAsTask('other')).cancel()).status).toBe('cancelled')

    expect((await client.resources())[0]).toMatchObject({ annotations: { lastModified: '2022-01-01T00:00:00.000Z' } })
    expect((await client.read('doc://readme')).contents[0]).not.toHaveProperty('name')
    expect(await client.complete({ prompt: 'p' }, { name: 'language', value: 'er' })).toEqual({
      values: ['erlang'],
      hasMore: false,
      total: 1,
    })
    expect(server.of('completion/complete')[0]?.params?.['ref']).toEqual({ type: 'prompt', name: 'p' })
    await expect(client.prompt('p')).rejects.toMatchObject({ kind: 'refusal_permission_denied', code: -32603 })

    const updates: string[] = []
    await client.subscribe('doc://readme', () => void updates.push('updated'))
    server.notify('resources/updated', { uri: 'doc://readme', metadata: { updated_at: 1 } })
    const lists: string[] = []
    client.onListChanged('prompts', () => lists.push('prompts'))
    server.notify('prompts/list_changed')
    await flush()
    expect([updates, lists]).toEqual([['updated'], ['prompts']])

    const answer = await server.ask('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: 'What now?' } }],
      modelPreferences: { temperature: 0.7, maxTokens: 64 },
      includedContext: 'this_request',
    })
    expect(asked).toMatchObject([{ maxTokens: 64, temperature: 0.7, includeContext: 'none' }])
    expect(answer.result).toMatchObject({ stopReason: 'end_turn', content: [{ type: 'text', text: 'advice' }] })

    expect(client.losses()).toMatchObject([{ rule: 'D', path: 'completions[0].label' }])
    await client.close()
  })

  it('a server of another version is left with a clear error', async () => {
    const server = rawServer({ version: '2025-06-18' })
    await expect(connect(server.link, DIALECT)).rejects.toMatchObject({ kind: 'unsupported_protocol_version' })
  })

  it('a client that was not told speaks the specification, and misunderstands', async () => {
    const server = scripted()
    const client = await connect(server.link, { keepAlive: false, version: '2025-11-25' })
    expect((await client.tools()).map(({ name }) => name)).toEqual(['sql_query'])
    expect(server.of('initialize')[0]?.params?.['capabilities']).not.toHaveProperty('tools')
    await client.close()
  })
})

describe('D a server and a client that knows only erlmcp', () => {
  const initialize = {
    capabilities: { resources: true, tools: {}, prompts: {}, logging: {}, tasks: {} },
    clientInfo: { name: 'erl', version: '1' },
  }

  it('understand each other', async () => {
    const server = makeServer({ dialect: 'erlmcp' })
    expect(server.versions).toEqual(['2025-11-25'])
    const client = rawClient(server)
    expect((await client.ask('tools/list')).error).toMatchObject({
      code: -32005,
      data: { currentPhase: 'initialization' },
    })
    expect((await client.ask('initialize', initialize)).result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: {} },
    })
    expect((await client.ask('initialize', initialize)).error).toMatchObject({ code: -32005 })
    await client.exchange({ jsonrpc: '2.0', method: 'initialized' })

    const first = await client.ask('tools/list', { limit: 2 })
    expect(first.result).toMatchObject({ tools: [{ name: 'pack' }, { name: 'plain' }], cursor: expect.any(String) })
    const second = await client.ask('tools/list', { limit: 2, cursor: first.result?.['cursor'] })
    expect(second.result).toMatchObject({ tools: [{ name: 'refuse' }] })
    const third = await client.ask('tools/list', { cursor: second.result?.['cursor'] })
    expect(third.result).toMatchObject({ tools: [{ name: 'think' }, { name: 'ask' }] })
    expect(third.result).not.toHaveProperty('cursor')

    const created = await client.ask('tasks/create', {
      action: { type: 'pack', parameters: { what: 'tea' } },
      metadata: { timeout: 30000 },
    })
    const taskId = created.result?.['taskId'] as string
    expect(taskId).toEqual(expect.any(String))
    expect((await client.ask('tasks/get', { taskId })).result).toMatchObject({
      taskId,
      status: 'completed',
      ttl: 30000,
    })
    expect((await client.ask('tasks/result', { taskId })).result).toMatchObject({
      content: [{ type: 'text', text: 'tea, packed' }],
    })
    expect((await client.ask('tasks/list', {})).result).toMatchObject({ tasks: [{ taskId, status: 'completed' }] })

    expect((await client.ask('resources/read', { uri: 'file:///docs/readme.md' })).result).toMatchObject({
      contents: [{ name: 'readme.md' }],
    })
    expect((await client.ask('resources/read', { uri: 'file:///nope' })).error).toMatchObject({
      code: -32001,
      data: { uri: 'file:///nope' },
    })
    expect((await client.ask('tools/call', { name: 'nope' })).error).toMatchObject({
      code: -32002,
      data: { toolId: 'nope' },
    })
    expect((await client.ask('tools/call', { name: 'refuse' })).error).toMatchObject({
      code: 1002,
      data: { why: 'sharp' },
    })
    const ref = { type: 'prompt', name: 'review' }
    expect(
      (await client.ask('completion/complete', { ref, argument: { name: 'language', value: 'el' } })).result,
    ).toEqual({
      completions: [{ value: 'elixir' }],
      hasMore: false,
      total: 1,
    })
    expect(
      (
        await client.ask('completion/complete', {
          ref: { type: 'tool', name: 'pack' },
          argument: { name: 'what', value: '' },
        })
      ).error,
    ).toMatchObject({
      code: -32602,
    })
    client.close()
    await flush()
    expect(leaks(client.session)).toEqual([])
  })

  it('a session that was not told hears of no dialect', async () => {
    const client = rawClient(makeServer())
    expect((await client.ask('tools/list')).error).toMatchObject({ code: -32600 })
    client.close()
  })
})

describe('D settings', () => {
  it('go with 2025-11-25 and no other version', async () => {
    const [link] = memoryPair()
    await expect(connect(link, { dialect: 'erlmcp', version: '2025-06-18' })).rejects.toThrow(
      'goes with protocol version 2025-11-25',
    )
    expect(() => makeServer({ dialect: 'erlmcp', versions: ['2026-07-28'] }).accept(link)).toThrow(
      'goes with protocol version 2025-11-25',
    )
  })

  it('name a dialect there is', async () => {
    const [link] = memoryPair()
    await expect(connect(link, { dialect: 'klingon' as never })).rejects.toThrow(
      'Not a dialect: "klingon"; there is erlmcp',
    )
  })
})
