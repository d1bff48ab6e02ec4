/**
 * Lists and resources that are still fresh are not asked for again, and nobody notices but the server (caching of
 * 2026-07-28).
 */
import { describe, expect, it } from 'vitest'
import { fakeClock, flush } from '../../testing/index.ts'
import { connect } from '../connect.ts'
import type { ConnectOptions } from '../options.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import { type RawStatelessOptions, rawStateless } from '../raw-stateless.fixtures.ts'

const SECOND = 1000
const hints = { ttlMs: 10 * SECOND, cacheScope: 'private' }

async function begin(answers: RawStatelessOptions['answers'], options: ConnectOptions = {}) {
  const server = rawStateless({ answers: answers ?? {} })
  const clock = fakeClock()
  const client = await connect(server.link, { version: '2026-07-28', clock, random: () => 0, ...options })
  return { server, clock, client, asked: (method: string) => server.of(method).length }
}

const lists: NonNullable<RawStatelessOptions['answers']> = {
  'tools/list': () => ({ tools: [{ name: 't', inputSchema: { type: 'object' } }], ...hints }),
  'prompts/list': () => ({ prompts: [{ name: 'p' }], ...hints }),
  'resources/list': () => ({ resources: [{ uri: 'a://x', name: 'x' }], ...hints }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'a://{x}', name: 'x' }], ...hints }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'text' }], ...hints }),
}

describe('D-42 F9 what is fresh', () => {
  it('is not asked for again until its time is over', async () => {
    const { client, clock, asked } = await begin(lists)
    const readAll = () =>
      Promise.all([client.tools(), client.prompts(), client.resources(), client.templates(), client.read('a://x')])
    const first = await readAll()
    await clock.advance(10 * SECOND - 1)
    expect(await readAll()).toEqual(first)
    expect(Object.keys(lists).map(asked)).toEqual([1, 1, 1, 1, 1])
    await clock.advance(1)
    await readAll()
    expect(Object.keys(lists).map(asked)).toEqual([2, 2, 2, 2, 2])
  })

  it('is asked for again on demand, and what comes is kept', async () => {
    const { client, server, asked } = await begin(lists)
    await client.tools()
    await client.tools({ fresh: true })
    await client.listTools({ fresh: true })
    await client.tools()
    expect(asked('tools/list')).toBe(3)
    await client.read('a://x', { fresh: true })
    await client.read('a://x')
    expect(asked('resources/read')).toBe(1)
    expect(Object.keys(server.of('tools/list')[2]?.params ?? {})).toEqual(['_meta'])
  })

  it('is another thing for another cursor or URI', async () => {
    const { client, asked } = await begin({
      ...lists,
      'tools/list': ({ cursor }) => ({
        tools: [{ name: `after ${cursor}`, inputSchema: { type: 'object' } }],
        ...(cursor === undefined && { nextCursor: '' }),
        ...hints,
      }),
    })
    for (let round = 0; round < 2; round++)
      expect((await client.tools()).map(({ name }) => name)).toEqual(['after undefined', 'after '])
    expect(asked('tools/list')).toBe(2)
    await client.read('a://x')
    await client.read('a://y')
    expect(asked('resources/read')).toBe(2)
  })

  it('is a copy that the caller may change', async () => {
    const { client } = await begin(lists)
    const first = await client.listTools()
    first.tools.push({ name: 'mine', inputSchema: { type: 'object' } })
    const second = await client.listTools()
    second.tools.length = 0
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['t'])
  })

  it('can be turned off', async () => {
    const { client, asked } = await begin(lists, { cache: false })
    await client.tools()
    await client.tools()
    expect(asked('tools/list')).toBe(2)
  })

  it('does not exist in the handshake era', async () => {
    const server = rawServer({
      answers: { 'tools/list': () => ({ tools: [], ttlMs: 10_000 }), 'resources/read': () => ({ contents: [] }) },
    })
    const client = await connect(server.link, { version: '2025-11-25' })
    for (let round = 0; round < 2; round++) await client.read('a://x')
    expect(server.of('resources/read')).toHaveLength(2)
  })

  it('is no failure and no answer without the list', async () => {
    let broken = true
    const { client, asked } = await begin({
      'tools/list': () => (broken ? { ttlMs: 10_000 } : { tools: [], ...hints }),
    })
    await expect(client.tools()).rejects.toMatchObject({ kind: 'invalid_answer' })
    broken = false
    await client.tools()
    await client.tools()
    expect(asked('tools/list')).toBe(2)
  })
})

describe('F9 a change notification ends freshness', () => {
  it.each([
    ['notifications/tools/list_changed', ['tools/list']],
    ['notifications/prompts/list_changed', ['prompts/list']],
    ['notifications/resources/list_changed', ['resources/list', 'resources/templates/list']],
    ['notifications/resources/updated', ['resources/read']],
  ])('%s ends that of %j', async (method, old) => {
    const { client, server, asked } = await begin(lists)
    const readAll = () =>
      Promise.all([client.tools(), client.prompts(), client.resources(), client.templates(), client.read('a://x')])
    client.onNotification('*', () => {})
    await client.subscribe('a://x', () => {})
    await readAll()
    server.tell(method, method.endsWith('updated') ? { uri: 'a://x/part' } : {})
    await flush()
    await readAll()
    expect(Object.keys(lists).filter((each) => asked(each) === 2)).toEqual(old)
  })

  it('before anybody hears of it', async () => {
    const { client, server, asked } = await begin(lists)
    const seen: unknown[] = []
    client.onListChanged('tools', async () => seen.push(await client.tools()))
    await client.tools()
    await flush()
    server.tell('notifications/tools/list_changed')
    await flush()
    expect(asked('tools/list')).toBe(2)
    expect(seen).toHaveLength(1)
  })

  it('when it may have been missed', async () => {
    const { client, server, clock, asked } = await begin(lists)
    client.onListChanged('tools', () => {})
    await Promise.all([client.tools(), client.prompts()])
    server.end()
    await flush()
    await clock.advance(SECOND)
    await Promise.all([client.tools(), client.prompts()])
    expect([asked('tools/list'), asked('prompts/list')]).toEqual([2, 1])
  })

  it('so does a new connection', async () => {
    const servers = [rawStateless({ answers: lists }), rawStateless({ answers: lists })] as const
    const left = [...servers]
    const clock = fakeClock()
    const client = await connect(() => (left.shift() ?? rawStateless()).link, { clock, random: () => 0 })
    await client.tools()
    servers[0].lose()
    await flush()
    await clock.advance(SECOND)
    await client.tools()
    expect(servers[1].of('tools/list')).toHaveLength(1)
    await client.close()
  })
})

describe('F1 output schemas that changed without a notification', () => {
  const of = (type: string) => ({ type: 'object', properties: { value: { type } }, required: ['value'] })

  it('are read again before the server is blamed for its answer, and not at every answer', async () => {
    let type = 'string'
    const { client, clock, asked } = await begin({
      'tools/list': () => ({
        tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: of(type) }],
        ...hints,
      }),
      'tools/call': ({ arguments: args }) => ({ content: [], structuredContent: args }),
    })
    await client.tools()
    type = 'number'
    const outcomes = await Promise.all([1, 2].map((value) => client.call('t', { value })))
    expect(outcomes.map(({ value }) => value)).toEqual([{ value: 1 }, { value: 2 }])
    expect(asked('tools/list')).toBe(2)
    for (let round = 0; round < 2; round++)
      await expect(client.call('t', { value: 'x' })).rejects.toMatchObject({ kind: 'invalid_answer' })
    expect(asked('tools/list')).toBe(2)
    await clock.advance(60 * SECOND)
    await expect(client.call('t', { value: 'x' })).rejects.toMatchObject({ kind: 'invalid_answer' })
    expect(asked('tools/list')).toBe(3)
  })
})

describe('F9 a cursor that is refused', () => {
  const paged = (refusal: { code: number; message: string; data?: Record<string, unknown> }) => {
    let generation = 1
    const answers: NonNullable<RawStatelessOptions['answers']> = {
      'tools/list': ({ cursor }) => {
        if (cursor === undefined)
          return {
            tools: [{ name: `first ${generation}`, inputSchema: { type: 'object' } }],
            nextCursor: `c${generation}`,
            ...hints,
          }
        if (cursor !== `c${generation}`) return { error: refusal }
        return {
          tools: [{ name: `second ${generation}`, inputSchema: { type: 'object' } }],
          ttlMs: 0,
          cacheScope: 'private',
        }
      },
    }
    return { answers, move: () => generation++ }
  }

  it('ends the freshness of all pages, and the list is read from the beginning', async () => {
    const { answers, move } = paged({ code: -32602, message: 'unknown cursor' })
    const { client, asked } = await begin(answers)
    expect((await client.tools()).map(({ name }) => name)).toEqual(['first 1', 'second 1'])
    move()
    expect((await client.tools()).map(({ name }) => name)).toEqual(['first 2', 'second 2'])
    expect(asked('tools/list')).toBe(5)
  })

  it('is told to who reads page by page', async () => {
    const { answers, move } = paged({ code: -32602, message: 'unknown cursor', data: { kind: 'invalid_cursor' } })
    const { client } = await begin(answers)
    const { nextCursor } = await client.listTools()
    move()
    await expect(client.listTools({ cursor: nextCursor as string })).rejects.toMatchObject({
      message: 'unknown cursor',
    })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['first 2'])
  })

  it('is thrown where nothing was kept', async () => {
    const { client, asked } = await begin({
      'tools/list': ({ cursor }) =>
        cursor === undefined ? { tools: [], nextCursor: 'c', ttlMs: 0 } : { error: { code: -32602, message: 'no' } },
    })
    await expect(client.tools()).rejects.toMatchObject({ kind: 'invalid_params' })
    expect(asked('tools/list')).toBe(2)
  })
})

describe('F9 results that depend on answers given on the way', () => {
  it('are not kept', async () => {
    const question = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } },
    }
    const { client, asked } = await begin(
      {
        'resources/read': ({ uri, inputResponses }) =>
          inputResponses === undefined
            ? { resultType: 'input_required', inputRequests: { q: question }, requestState: 's' }
            : { contents: [{ uri, text: 'yours' }], ...hints },
      },
      { elicit: () => ({ action: 'accept', content: {} }) },
    )
    for (let round = 1; round <= 2; round++) {
      expect((await client.read('a://x')).contents).toMatchObject([{ text: 'yours' }])
      expect(asked('resources/read')).toBe(2 * round)
    }
  })
})
