import { expectTypeOf } from 'expect-type'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ParleyError, ToolError } from '../../errors/index.ts'
import { handshakeVersions } from '../../versions/index.ts'
import { audio, embed, image, link, text } from '../content/blocks.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { createServer, type ToolsIn } from '../server.ts'
import { result } from './results.ts'
import { type ToolHandler, tool } from './tool.ts'

const info = { name: 'test', version: '1.0.0' }
const cityInput = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const

/** Calls one tool that returns what it is given, with all errors it reports. */
async function returning(value: unknown, options: { output?: z.ZodType; version?: string } = {}) {
  const reported: unknown[] = []
  const { output, version = '2025-11-25' } = options
  const definition = tool('t', output === undefined ? {} : { output }, (() => value) as ToolHandler<undefined, never>)
  const client = await rawClient(createServer(info, { onError: (error) => reported.push(error) }).add(definition), {
    version,
  })
  const answer = await client.request('tools/call', { name: 't' })
  return { ...answer, reported, frames: client.frames }
}

/** What a caller reads of an error that is not meant for it. */
function general(name: string) {
  const text = expect.stringMatching(
    new RegExp(
      `^Tool "${name}" failed because of an error in the server\\. Its log has the cause under the reference [\\w-]{1,8}\\.$`,
    ),
  )
  return { content: [{ type: 'text', text }], isError: true }
}

describe('F1 tool definitions', () => {
  it.each(['', 'a b', 'ü', 'a/b', 'x'.repeat(129), 'a\n'])('refuses the name %j', (name) => {
    expect(() => tool(name, {}, () => '')).toThrow('Invalid tool name')
  })

  it.each(['a', 'getUser', 'DATA_EXPORT_v2', 'admin.tools-list', 'x'.repeat(128)])('accepts the name %j', (name) => {
    expect(tool(name, {}, () => '').key).toBe(name)
  })

  it('refuses a definition without a handler', () => {
    expect(() => tool('t', {}, undefined as never)).toThrow('has no handler')
  })

  it('shows everything that was declared', async () => {
    const icons = [{ src: 'https://example.com/i.png' }]
    const server = createServer(info).add(
      tool(
        'forecast',
        {
          title: 'Forecast',
          description: 'Forecast for a city',
          input: cityInput,
          output: { type: 'object', properties: { high: { type: 'number' } } },
          annotations: { readOnlyHint: true },
          execution: { taskSupport: 'forbidden' },
          icons,
          meta: { 'example.com/x': 1 },
        },
        () => ({ high: 1 }),
      ),
      tool('bare', {}, () => ''),
    )
    const client = await rawClient(server)
    expect(await client.result('tools/list')).toEqual({
      tools: [
        {
          name: 'forecast',
          title: 'Forecast',
          description: 'Forecast for a city',
          inputSchema: cityInput,
          outputSchema: { type: 'object', properties: { high: { type: 'number' } } },
          annotations: { readOnlyHint: true },
          execution: { taskSupport: 'forbidden' },
          icons,
          _meta: { 'example.com/x': 1 },
        },
        { name: 'bare', inputSchema: { type: 'object', additionalProperties: false } },
      ],
    })
  })
})

describe('F1 what a handler returns', () => {
  it.each<[string, unknown, unknown]>([
    ['a string', 'hello', { content: [{ type: 'text', text: 'hello' }] }],
    ['nothing', undefined, { content: [] }],
    ['null', null, { content: [] }],
    ['a number', 42, { content: [{ type: 'text', text: '42' }] }],
    ['a bigint', 42n, { content: [{ type: 'text', text: '42' }] }],
    ['an object', { a: 1 }, { content: [{ type: 'text', text: '{"a":1}' }] }],
    ['a list of strings', ['a', 'b'], { content: [{ type: 'text', text: '["a","b"]' }] }],
    ['an empty list', [], { content: [{ type: 'text', text: '[]' }] }],
    [
      'an object with a type of its own',
      { type: 'text', words: 3 },
      { content: [{ type: 'text', text: '{"type":"text","words":3}' }] },
    ],
    [
      'a block',
      text('hi', { annotations: { priority: 1 } }),
      { content: [{ type: 'text', text: 'hi', annotations: { priority: 1 } }] },
    ],
    [
      'blocks and strings',
      ['see', image(new Uint8Array([1, 2, 255]), 'image/png')],
      {
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', data: 'AQL/', mimeType: 'image/png' },
        ],
      },
    ],
    ['audio', audio('AAAA', 'audio/wav'), { content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] }],
    [
      'a link',
      link({ uri: 'file:///a' }),
      { content: [{ type: 'resource_link', uri: 'file:///a', name: 'file:///a' }] },
    ],
    [
      'an embedded text',
      embed('file:///a', 'x'),
      { content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'x' } }] },
    ],
    [
      'an embedded blob',
      embed('file:///a', new Uint8Array([0])),
      {
        content: [
          { type: 'resource', resource: { uri: 'file:///a', mimeType: 'application/octet-stream', blob: 'AA==' } },
        ],
      },
    ],
    [
      'a protocol result',
      { content: [text('x')], isError: true },
      { content: [{ type: 'text', text: 'x' }], isError: true },
    ],
    [
      'an explicit result',
      result({ content: 'short', structured: { n: 1 }, meta: { k: 'v' } }),
      { content: [{ type: 'text', text: 'short' }], structuredContent: { n: 1 }, _meta: { k: 'v' } },
    ],
    [
      'structured content alone',
      result({ structured: { n: 1 } }),
      { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
    ],
    ['a promise', Promise.resolve('later'), { content: [{ type: 'text', text: 'later' }] }],
  ])('%s', async (_, value, expected) => {
    expect((await returning(value)).result).toEqual(expected)
  })

  it('validates a declared output and copies it as text', async () => {
    const { result } = await returning(
      { high: 3, more: true },
      { output: z.object({ high: z.number(), unit: z.string().default('C') }) },
    )
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"high":3,"unit":"C"}' }],
      structuredContent: { high: 3, unit: 'C' },
    })
  })

  it('lets an explicit result carry the declared output, or an error without it', async () => {
    const output = z.object({ n: z.number() })
    expect((await returning(result({ content: 'one', structured: { n: 1 } }), { output })).result).toEqual({
      content: [{ type: 'text', text: 'one' }],
      structuredContent: { n: 1 },
    })
    expect((await returning(result({ content: 'no', isError: true }), { output })).result).toEqual({
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    })
  })

  it.each<[string, unknown]>([
    ['another shape', { high: 'warm' }],
    ['nothing', undefined],
    ['a result without it', result({ content: 'x' })],
  ])('E2 masks %s where an output is declared, and reports the issues', async (_, value) => {
    const { result: told, reported } = await returning(value, { output: z.object({ high: z.number() }) })
    expect(told).toEqual(general('t'))
    expect(String(reported[0])).toContain('returned what its output schema does not allow')
  })

  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  it.each<[string, unknown]>([
    ['a cyclic object', cyclic],
    ['a BigInt inside', { n: 1n }],
    ['bytes', new Uint8Array(3)],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('/secret/path')
        },
      },
    ],
    ['a cyclic structured result', result({ content: 'x', structured: cyclic })],
  ])('E2 %s becomes one masked error', async (_, value) => {
    const { result: told, error, frames } = await returning(value)
    expect(told ?? { isError: true, error }).toMatchObject({ isError: true })
    expect(frames.join()).not.toMatch(/secret|stack/)
  })
})

describe('E2 the two exits for failure', () => {
  it('lets the model read a ToolError, with its details', async () => {
    const server = createServer(info).add(
      tool('t', {}, () => {
        throw new ToolError('No such city', { structured: { code: 7 }, cause: new Error('/secret') })
      }),
    )
    const client = await rawClient(server)
    expect(await client.result('tools/call', { name: 't' })).toEqual({
      content: [{ type: 'text', text: 'No such city' }],
      isError: true,
      structuredContent: { code: 7 },
    })
  })

  it.each<[string, unknown]>([
    ['an error of the language', new TypeError('password in /etc/secret')],
    ['an error of the system', Object.assign(new Error('ENOENT: /etc/secret'), { syscall: 'open' })],
    ['an error of the runtime', Object.assign(new Error('Cannot find /etc/secret'), { code: 'ERR_MODULE_NOT_FOUND' })],
    ['several errors', new AggregateError([], 'secret')],
    ['a string', 'secret'],
    ['undefined', undefined],
    ['an object', { secret: true }],
    ['an AbortError nobody asked for', new DOMException('secret', 'AbortError')],
    ['an error of another peer', new ParleyError('invalid_params', { message: 'secret', code: -32602 })],
  ])('masks %s, thrown at once or later, and reports it', async (_, thrown) => {
    const reported: unknown[][] = []
    const server = createServer(info, {
      onError: (error, about) => reported.push([error, about.during, about.name, about.reference]),
    }).add(
      tool('now', {}, () => {
        throw thrown
      }),
      tool('later', {}, async () => {
        await Promise.resolve()
        throw thrown
      }),
    )
    const client = await rawClient(server)
    for (const name of ['now', 'later']) expect(await client.result('tools/call', { name })).toEqual(general(name))
    expect(reported).toEqual([
      [thrown, 'tools/call', 'now', expect.any(String)],
      [thrown, 'tools/call', 'later', expect.any(String)],
    ])
    for (const [, , , reference] of reported) expect(client.frames.join()).toContain(`the reference ${reference}.`)
    expect(client.frames.join()).not.toContain('secret')
  })

  it('passes a catalogue error of the handler itself', async () => {
    const server = createServer(info).add(
      tool('t', {}, () => {
        throw new ParleyError('rate_limited', { message: 'Slow down', data: { after: 3 } })
      }),
    )
    const client = await rawClient(server)
    expect(await client.error('tools/call', { name: 't' })).toEqual({
      code: -32603,
      message: 'Slow down',
      data: { after: 3, 'parley/kind': 'rate_limited' },
    })
  })

  it('survives an observer that fails', async () => {
    const onError = () => {
      throw new Error('observer')
    }
    const client = await rawClient(
      createServer(info, { onError }).add(
        tool('t', {}, () => {
          throw new Error('x')
        }),
      ),
    )
    expect(await client.result('tools/call', { name: 't' })).toMatchObject({ isError: true })
    expect(await client.result('ping')).toEqual({})
  })
})

describe('F1 bad calls', () => {
  const server = createServer(info).add(
    tool('forecast', { input: cityInput }, ({ city }) => city),
    tool('bare', {}, () => 'ok'),
  )

  it.each<[string, Record<string, unknown>, string]>([
    ['no name', {}, '"name" must be a string'],
    ['a name that is no string', { name: 3 }, '"name" must be a string'],
    ['arguments that are no object', { name: 'forecast', arguments: [1] }, '"arguments" must be an object'],
    ['an unknown tool', { name: 'nope' }, 'Unknown tool: nope'],
    ['a name from the prototype', { name: 'constructor' }, 'Unknown tool: constructor'],
  ])('%s is -32602', async (_, params, message) => {
    const client = await rawClient(server)
    expect(await client.error('tools/call', params)).toMatchObject({ code: -32602, message })
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('C-29 bad arguments are -32602 in %s', async (version) => {
    const client = await rawClient(server, { version })
    const error = await client.error('tools/call', { name: 'forecast', arguments: { city: 3 } })
    expect(error.code).toBe(-32602)
    expect(error.message).toMatch(/^Invalid arguments for tool "forecast": .*city/)
  })

  it('C-29 bad arguments are a result the model reads in 2025-11-25', async () => {
    const client = await rawClient(server)
    const result = await client.result('tools/call', { name: 'forecast', arguments: {} })
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result['content'])).toContain('Invalid arguments for tool')
  })

  it('refuses arguments for a tool that takes none', async () => {
    const client = await rawClient(server)
    expect(await client.result('tools/call', { name: 'bare', arguments: { x: 1 } })).toMatchObject({ isError: true })
    expect(await client.result('tools/call', { name: 'bare', arguments: {} })).not.toHaveProperty('isError')
  })
})

describe.each(handshakeVersions)('F1 in %s', (version) => {
  it('initialises, lists and calls', async () => {
    const server = createServer({ ...info, instructions: 'Ask nicely.' }).add(
      tool(
        'add',
        { input: z.object({ a: z.number(), b: z.number().default(1) }), output: z.object({ sum: z.number() }) },
        ({ a, b }) => ({ sum: a + b }),
      ),
    )
    const client = await rawClient(server, { version })
    expect(client.initialized).toMatchObject({
      protocolVersion: version,
      serverInfo: info,
      instructions: 'Ask nicely.',
      capabilities: { tools: { listChanged: true } },
    })
    const { tools } = (await client.result('tools/list')) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['add'])
    expect(await client.result('tools/call', { name: 'add', arguments: { a: 2 } })).toMatchObject({
      content: [{ type: 'text', text: '{"sum":3}' }],
    })
  })
})

describe('cancellation', () => {
  it('F7 ends a handler that never returns, through its signal', async () => {
    const reasons: unknown[] = []
    const server = createServer(info).add(
      tool(
        'wait',
        {},
        (_, ctx) =>
          new Promise((_resolve, reject) =>
            ctx.signal.addEventListener('abort', () => reject(reasons.push(ctx.signal.reason))),
          ),
      ),
    )
    const client = await rawClient(server)
    const id = client.nextId
    void client.request('tools/call', { name: 'wait' })
    client.notify('notifications/cancelled', { requestId: id, reason: 'enough' })
    expect(await client.result('ping')).toEqual({})
    expect(reasons).toHaveLength(1)
    expect(client.session.inFlight()).toEqual([])
    expect(client.received.filter((message) => message.id === id)).toEqual([])
  })
})

describe('types', () => {
  it('flow from schemas to handlers and to callers', () => {
    const forecast = tool(
      'forecast',
      { input: z.object({ city: z.string(), days: z.number().default(3) }), output: z.object({ high: z.number() }) },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>()
        return { high: 1 }
      },
    )
    const plain = tool(
      'plain',
      { input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
      (args) => {
        expectTypeOf(args.n).toEqualTypeOf<number>()
        return 1
      },
    )
    const bare = tool('bare', {}, (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, never>>()
    })
    // @ts-expect-error the output schema wants a number
    tool('bad', { output: z.object({ high: z.number() }) }, () => ({ high: 'x' }))
    // @ts-expect-error asynchronous handlers are checked, too
    tool('bad', { output: z.object({ high: z.number() }) }, async () => ({ high: 'x' }))

    const server = createServer(info).add(forecast, plain).add(bare)
    type Tools = NonNullable<(typeof server)['~tools']>
    expectTypeOf<keyof Tools>().toEqualTypeOf<'forecast' | 'plain' | 'bare'>()
    expectTypeOf<Tools['forecast']>().toEqualTypeOf<{
      input: { city: string; days?: number | undefined }
      output: { high: number }
    }>()
    expectTypeOf<Tools['bare']>().toEqualTypeOf<{ input: Record<string, never>; output: undefined }>()
    expectTypeOf<ToolsIn<never>>().toEqualTypeOf<Record<never, never>>()
    expect(server).toBeDefined()
  })
})

describe('E2 a handler that talks to servers of its own', () => {
  it.each([
    'transport_error',
    'connection_closed',
    'session_lost',
    'request_timeout',
    'unauthorized',
    'initialization_timeout',
  ] as const)('keeps %s of those connections to itself', async (kind) => {
    const reported: unknown[] = []
    const server = createServer({ name: 's', version: '1' }, { onError: (error) => reported.push(error) }).add(
      tool('relay', { description: 'Relays' }, () => {
        throw new ParleyError(kind, {
          message: 'exited with code 3; its last words: TOKEN=abc at /home/me/x.js',
          data: { path: '/home/me' },
        })
      }),
    )
    const client = await rawClient(server, {})
    const answer = await client.request('tools/call', { name: 'relay' })
    expect(answer).toMatchObject({ result: general('relay') })
    expect(JSON.stringify(answer)).not.toMatch(/TOKEN|home/)
    expect(reported).toHaveLength(1)
  })
})
