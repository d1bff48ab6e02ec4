/** What a newcomer gets wrong in definitions: one clear error, as early as possible. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../testing/index.ts'
import { memoryPair } from '../transport/index.ts'
import { prompt } from './prompts/prompt.ts'
import { rawClient } from './raw-client.fixtures.ts'
import { createServer } from './server.ts'
import { tool } from './tools/tool.ts'

const info = { name: 'test', version: '1.0.0' }
const accept = (server: ReturnType<typeof createServer>) => server.accept(memoryPair()[1], { keepAlive: false })

describe('E1 names of options that belong to another SDK', () => {
  it.each([
    ['inputSchema', 'input'],
    ['outputSchema', 'output'],
  ])('tool: %s', (foreign, own) => {
    expect(() => tool('io', { [foreign]: z.object({}) } as never, () => '')).toThrow(
      `The tool "io" has an option "${foreign}", which is not known here: use "${own}"`,
    )
  })

  it('prompt: argsSchema', () => {
    expect(() => prompt('p', { argsSchema: z.object({}) } as never, () => '')).toThrow('use "arguments"')
  })

  it('no options at all', () => {
    expect(() => tool('t', undefined as never, () => '')).toThrow('The tool "t" has no options')
    expect(() => prompt('p', null as never, () => '')).toThrow('The prompt "p" has no options')
  })

  it.each([undefined, null, 'name'])('a server made of %j', (given) => {
    expect(() => createServer(given as never)).toThrow(
      'A server needs a name and a version: createServer({ name, version })',
    )
  })
})

describe('F1 schemas that cannot be shown are found before the first conversation', () => {
  it.each([
    ['a string', { input: z.string() }, /^The schema of tool "bad": .*must describe an object/],
    ['a date', { input: z.object({ when: z.date() }) }, /^The schema of tool "bad": .*Date/],
    ['a date in the output', { output: z.object({ when: z.date() }) }, /^The schema of tool "bad": .*Date/],
    ['a plain list', { input: { type: 'array' } }, /^The schema of tool "bad": .*type: 'object'/],
  ])('%s', (_, options, message) => {
    const reported: unknown[] = []
    const server = createServer(info, { onError: (error) => reported.push(error) }).add(
      tool('fine', {}, () => ''),
      tool('bad', options as never, (() => '') as never),
    )
    const refused = expect.objectContaining({ kind: 'tool_schema_invalid', message: expect.stringMatching(message) })
    expect(() => accept(server)).toThrow(refused)
    expect(() => server.ready()).toThrow(refused)
    // The message says all: a console would print the stack of each cause.
    expect(() => server.ready()).not.toThrow(expect.objectContaining({ cause: expect.anything() }))
    // What is thrown is not said as well.
    expect(reported).toEqual([])
    expect(server.health().sessions).toBe(0)
    server.remove('bad')
    expect(accept(server).phase).toBe('initialization')
  })

  it('from then on by add(), which then adds nothing', async () => {
    const server = createServer(info).add(tool('fine', {}, () => ''))
    const client = await rawClient(server)
    expect(() =>
      server.add(
        tool('other', {}, () => ''),
        tool('bad', { input: z.string() as never }, () => ''),
      ),
    ).toThrow('The schema of tool "bad"')
    expect((await client.result('tools/list'))['tools']).toEqual([expect.objectContaining({ name: 'fine' })])
    expect((await rawClient(server)).session.open).toBe(true)
  })

  it('not where a library would have to be loaded first', () => {
    const schema = { '~standard': { version: 1, vendor: 'nobody', validate: (value: unknown) => ({ value }) } } as const
    const server = createServer(info).add(
      tool('t', { input: schema }, () => ''),
      prompt('p', { arguments: schema, complete: { a: [] } }, () => ''),
    )
    expect(accept(server).phase).toBe('initialization')
  })
})

describe('F5 completions for arguments that are not there', () => {
  it('are refused with the definition when the arguments are described', () => {
    expect(() => prompt('p', { arguments: { a: {}, c: {} }, complete: { b: [] } }, () => '')).toThrow(
      'The prompt "p" completes "b", which is not one of its arguments: its arguments are a, c',
    )
    expect(() => prompt('p', { complete: { b: [] } }, () => '')).toThrow('it has no arguments')
    expect(prompt('p', { arguments: { a: { complete: [] }, b: {} }, complete: { b: [] } }, () => '').key).toBe('p')
  })

  it.each([
    ['zod', z.object({ a: z.string() })],
    ['plain', { type: 'object', properties: { a: { type: 'string' } } } as const],
  ])('are refused before the first conversation when they come from a schema: %s', (_, schema) => {
    const with_ = (complete: Record<string, string[]>) =>
      createServer(info, { onError: () => {} }).add(prompt('p', { arguments: schema, complete }, () => ''))
    expect(() => accept(with_({ b: [] }))).toThrow('completes "b"')
    expect(accept(with_({ a: [] })).phase).toBe('initialization')
  })
})

describe('F6 questions without a key', () => {
  it.each([
    ['elicit', z.object({}), 'elicit(key, message, schema): three arguments are needed, and the first, here "Book?"'],
    [
      'elicitUrl',
      'https://example.com',
      'elicitUrl(key, message, url): three arguments are needed, and the first, here "Book?"',
    ],
  ] as const)('%s', async (method, second, message) => {
    const reported: unknown[] = []
    const server = createServer(info, { onError: (error) => reported.push(error) }).add(
      tool('t', {}, (_, ctx) => ctx[method]('Book?', ...([second] as never as [string, never]))),
    )
    await (await rawClient(server, { capabilities: { elicitation: { form: {}, url: {} } } })).request('tools/call', {
      name: 't',
    })
    expect(reported).toEqual([
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
    ])
  })
})

describe('E1 what a tool returns must not be lost', () => {
  const later = Promise.resolve(1)
  it.each([
    ['a map', new Map([['a', 1]]), 'it is a Map; use Object.fromEntries(map)'],
    ['a set, further in', { list: [{ ids: new Set([1]) }] }, 'list.0.ids is a Set; use [...set]'],
    ['a promise', { total: later }, 'total is a promise; await it'],
    ['an error', { why: new Error('no') }, 'why is an Error; return its message, or throw it'],
    ['a pattern', { match: /a/ }, 'match is a RegExp; use its source'],
  ])('%s', async (_, value, message) => {
    const reported: unknown[] = []
    const server = createServer(info, { onError: (error, { name }) => reported.push([name, error]) }).add(
      tool('plain', {}, () => value),
      tool('declared', { output: z.looseObject({}) }, () => (value instanceof Map ? { value } : value) as never),
    )
    const client = await rawClient(server)
    const failed = {
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('failed because of an error in the server') }],
    }
    for (const name of ['plain', 'declared']) expect(await client.result('tools/call', { name })).toEqual(failed)
    expect(reported).toEqual([
      ['plain', new TypeError(`What the tool returned would be lost: ${message}`)],
      ['declared', expect.objectContaining({ message: expect.stringContaining('would be lost') })],
    ])
  })

  it('what is empty, or says itself what it is, is no mistake', async () => {
    const told = new Map([['a', 1]]) as Map<string, number> & { toJSON?: () => unknown }
    told.toJSON = () => ({})
    const listed = Object.assign(new Error('no'), { code: 7 })
    const value = { none: {}, told, listed, when: new Date(0), nested: [{ deep: {} }] }
    const client = await rawClient(createServer(info).add(tool('fine', {}, () => value)))
    expect(await client.result('tools/call', { name: 'fine' })).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
    })
  })
})

describe('F6 questions that nothing waits for', () => {
  const server = (reported: unknown[]) =>
    createServer(info, { onError: (error) => reported.push((error as Error).message) }).add(
      tool('careless', {}, (_, ctx) => {
        void ctx.elicit('sure', 'Sure?', z.object({}))
        return 'done'
      }),
      tool('careful', {}, async (_, ctx) => (await ctx.elicit('sure', 'Sure?', z.object({}))).action),
    )

  it.each(['2025-06-18', '2025-11-25'])('are reported with the name of the tool (%s)', async (version) => {
    const reported: unknown[] = []
    const answers = { 'elicitation/create': () => ({ action: 'decline' }) }
    const client = await rawClient(server(reported), { version, capabilities: { elicitation: {} }, answers })
    expect(await client.result('tools/call', { name: 'careful' })).toMatchObject({ content: [{ text: 'decline' }] })
    expect(reported).toEqual([])
    expect(await client.result('tools/call', { name: 'careless' })).toMatchObject({ content: [{ text: 'done' }] })
    expect(reported).toEqual([
      expect.stringMatching(/^Tool "careless" returned before its question "sure" was answered: await /),
    ])
  })

  it('in 2026-07-28, too', async () => {
    const reported: unknown[] = []
    await using client = await connect(server(reported), {
      version: '2026-07-28',
      elicit: () => ({ action: 'decline' }),
    })
    expect((await client.call('careful')).text).toBe('decline')
    expect((await client.call('careless')).text).toBe('done')
    expect(reported).toEqual([expect.stringContaining('await ')])
  })
})
