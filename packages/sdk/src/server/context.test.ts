import { expectTypeOf } from 'expect-type'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Body } from '../jsonrpc/index.ts'
import { handshakeVersions } from '../versions/index.ts'
import type { SamplePrompt } from './asking/sampling.ts'
import type { Context } from './context.ts'
import { assistant, user } from './prompts/messages.ts'
import { type RawClientOptions, rawClient } from './raw-client.fixtures.ts'
import { createServer } from './server.ts'
import { tool } from './tools/tool.ts'

const info = { name: 'test', version: '1.0.0' }

/** Runs one handler on behalf of a client; gives its answer and everything that was sent and reported. */
async function run(handler: (ctx: Context) => unknown, options: RawClientOptions = {}, params: Body = {}) {
  const reported: unknown[] = []
  const server = createServer(info, { onError: (error) => reported.push(error) }).add(
    tool('t', {}, (_, ctx) => handler(ctx)),
  )
  const client = await rawClient(server, options)
  const answer = await client.request('tools/call', { name: 't', ...params })
  const content = answer.result?.['content'] as { text: string }[] | undefined
  return { client, answer, text: content?.[0]?.text, isError: answer.result?.['isError'], reported }
}

const accepting = (content?: Body): RawClientOptions => ({
  capabilities: { elicitation: { form: {}, url: {} } },
  answers: { 'elicitation/create': () => ({ action: 'accept', ...(content === undefined ? {} : { content }) }) },
})

describe('F6 ctx.elicit', () => {
  const schema = z.object({
    name: z.string().min(2).describe('Your name'),
    email: z.email().optional(),
    age: z.int().min(0).max(150).default(30),
    rate: z.number().optional(),
    agree: z.boolean().default(true),
    colour: z.enum(['red', 'green']).default('red'),
    sizes: z
      .array(z.enum(['s', 'm', 'l']))
      .max(2)
      .default(['m']),
  })

  it('asks with a flat form and gives typed, validated content with its defaults', async () => {
    const { client, text } = await run(
      async (ctx) => {
        const answer = await ctx.elicit('who', 'Who are you?', schema)
        if (answer.action !== 'accept') return answer.action
        expectTypeOf(answer.content.age).toEqualTypeOf<number>()
        return JSON.stringify(answer.content)
      },
      accepting({ name: 'Ada' }),
    )
    expect(JSON.parse(text as string)).toEqual({ name: 'Ada', age: 30, agree: true, colour: 'red', sizes: ['m'] })
    expect(client.of('elicitation/create')[0]?.params).toEqual({
      message: 'Who are you?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Your name', minLength: 2 },
          email: { type: 'string', format: 'email' },
          age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
          rate: { type: 'number' },
          agree: { type: 'boolean', default: true },
          colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
          sizes: { type: 'array', items: { type: 'string', enum: ['s', 'm', 'l'] }, maxItems: 2, default: ['m'] },
        },
        required: ['name'],
      },
    })
  })

  it('fills in defaults of a plain JSON Schema, too', async () => {
    const plain = {
      type: 'object',
      properties: { n: { type: 'number', default: 3 }, s: { type: 'string' } },
      required: ['n'],
    } as const
    const { text } = await run(
      async (ctx) => JSON.stringify((await ctx.elicit('n', 'N?', plain)).content),
      accepting({ s: 'x' }),
    )
    expect(JSON.parse(text as string)).toEqual({ n: 3, s: 'x' })
  })

  it.each(['decline', 'cancel'])('%s comes back as it is', async (action) => {
    const { text } = await run(async (ctx) => JSON.stringify(await ctx.elicit('k', 'm', schema)), {
      capabilities: { elicitation: {} },
      answers: { 'elicitation/create': () => ({ action }) },
    })
    expect(text).toBe(`{"action":"${action}"}`)
  })

  it.each<[string, Body, RegExp]>([
    ['content that does not fit', { action: 'accept', content: { name: 'A' } }, /does not fit.*name/],
    ['no content', { action: 'accept' }, /does not fit.*name/],
    ['no action', {}, /neither accept, decline nor cancel/],
  ])('%s is an invalid answer', async (_, answer, message) => {
    const { answer: got } = await run((ctx) => ctx.elicit('k', 'm', schema), {
      capabilities: { elicitation: {} },
      answers: { 'elicitation/create': () => answer },
    })
    expect(got.error).toMatchObject({ code: -32603, data: { 'parley/kind': 'invalid_answer' } })
    expect(got.error?.message).toMatch(message)
  })

  it('refuses what no form can show, naming the field', async () => {
    const { answer, reported } = await run(
      (ctx) => ctx.elicit('k', 'm', z.object({ address: z.object({ street: z.string() }) })),
      accepting(),
    )
    expect(answer.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('failed because of an error in the server') }],
    })
    expect(String(reported[0])).toContain('The field "address" cannot be asked for')
  })

  it.each([
    ['a string', z.string()],
    ['a record', z.record(z.string(), z.string())],
    ['a plain list', { type: 'array' }],
    ['a date', z.object({ when: z.date() })],
    ['no schema at all', 'name'],
  ])('E2 %s is a mistake of this side, so it is logged and not told', async (_, wrong) => {
    const { answer, reported } = await run((ctx) => ctx.elicit('a', 'm', wrong as never), accepting())
    expect(answer.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('failed because of an error in the server') }],
    })
    const message = expect.stringContaining('elicit("a"): a form needs an object schema with properties')
    expect(reported).toEqual([expect.objectContaining({ name: 'TypeError', message })])
  })

  it('needs a key of its own for every question', async () => {
    const twice = await run(async (ctx) => {
      await ctx.elicit('k', 'one', z.object({}))
      await ctx.elicit('k', 'two', z.object({}))
    }, accepting({}))
    expect(String(twice.reported[0])).toContain('The key "k" was used before')
    const none = await run((ctx) => ctx.elicit('', 'one', z.object({})), accepting({}))
    expect(String(none.reported[0])).toContain('needs a key')
  })

  it.each(['2024-11-05', '2025-03-26'])('is refused clearly in %s, which does not have it', async (version) => {
    const { isError, text, client } = await run((ctx) => ctx.elicit('k', 'm', schema), { version, ...accepting({}) })
    expect(isError).toBe(true)
    expect(text).toBe(
      `This needs the client capability "elicitation.form", which protocol version ${version} does not have`,
    )
    expect(client.of('elicitation/create')).toEqual([])
  })

  it('a missing capability can be caught, or asked about first', async () => {
    const { text } = await run(
      async (ctx) => {
        const caught = await ctx.elicit('k', 'm', schema).catch((error) => error.kind)
        return JSON.stringify([
          caught,
          ctx.client.can('elicitation'),
          ctx.client.can('sampling'),
          ctx.client.can('sampling.tools'),
          ctx.client.can('roots'),
        ])
      },
      { capabilities: { sampling: { tools: {} } } },
    )
    expect(JSON.parse(text as string)).toEqual(['missing_client_capability', false, true, true, false])
  })

  it('C-10 a client with URLs only is not shown a form', async () => {
    const { isError, text } = await run((ctx) => ctx.elicit('k', 'm', schema), {
      capabilities: { elicitation: { url: {} } },
    })
    expect(isError).toBe(true)
    expect(text).toBe('This needs the client capability "elicitation.form", which this client did not declare')
  })

  it('works with every version that has it', async () => {
    for (const version of ['2025-06-18', '2025-11-25']) {
      const { text } = await run(
        async (ctx) => (await ctx.elicit('ok', 'Sure?', z.object({ yes: z.boolean() }))).content?.yes,
        {
          version,
          ...accepting({ yes: true }),
        },
      )
      expect(text).toBe('true')
    }
  })
})

describe('F6 ctx.elicitUrl', () => {
  it('sends the user to a page and may tell when that is over', async () => {
    const { client, text } = await run(async (ctx) => {
      const answer = await ctx.elicitUrl('pay', 'Please pay', 'https://example.com/pay')
      answer.complete()
      return answer.action
    }, accepting())
    expect(text).toBe('accept')
    const params = client.of('elicitation/create')[0]?.params
    expect(params).toEqual({
      mode: 'url',
      message: 'Please pay',
      url: 'https://example.com/pay',
      elicitationId: expect.any(String),
    })
    expect(client.of('notifications/elicitation/complete').map((message) => message.params)).toEqual([
      { elicitationId: params?.['elicitationId'] },
    ])
  })

  it('C-11 is refused where only forms are known', async () => {
    for (const [options, why] of [
      [{ version: '2025-06-18', ...accepting() }, 'protocol version 2025-06-18 does not have'],
      [{ capabilities: { elicitation: { form: {} } } }, 'this client did not declare'],
    ] as const) {
      const { isError, text } = await run((ctx) => ctx.elicitUrl('k', 'm', 'https://example.com'), options)
      expect(isError).toBe(true)
      expect(text).toBe(`This needs the client capability "elicitation.url", which ${why}`)
    }
  })

  it('refuses what is no URL', async () => {
    const { reported } = await run((ctx) => ctx.elicitUrl('k', 'm', '/relative'), accepting())
    expect(String(reported[0])).toContain('not an absolute URL')
  })
})

describe('F6 ctx.sample', () => {
  const model = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm-1' }
  const sampling = (capability: Body, answer: Body = model): RawClientOptions => ({
    capabilities: { sampling: capability },
    answers: { 'sampling/createMessage': () => answer },
  })

  it.each(handshakeVersions)('asks the model with a mere string in %s', async (version) => {
    const { client, text } = await run(
      async (ctx) => JSON.stringify((await ctx.sample('q', 'Capital of France?')).content),
      { version, ...sampling({}) },
    )
    expect(JSON.parse(text as string)).toEqual(model.content)
    expect(client.of('sampling/createMessage')[0]?.params).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
      maxTokens: 1000,
    })
  })

  it('takes what prompts take, beside the parameters of the protocol', async () => {
    const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }
    const said = (role: string, content: unknown) => ({ role, content })
    const hello = said('user', { type: 'text', text: 'hello' })
    for (const [prompt, messages] of [
      [user('hello'), [hello]],
      [
        ['hello', assistant('hi')],
        [hello, said('assistant', { type: 'text', text: 'hi' })],
      ],
      [{ messages: ['hello', user(image)] }, [hello, said('user', image)]],
      [{ messages: [user(['hello', image])] }, [said('user', [{ type: 'text', text: 'hello' }, image])]],
    ] as [SamplePrompt, unknown[]][]) {
      const { client } = await run((ctx) => ctx.sample('q', prompt).then(() => 'ok'), {
        version: '2025-11-25',
        ...sampling({}),
      })
      expect(client.of('sampling/createMessage')[0]?.params).toEqual({ messages, maxTokens: 1000 })
    }
  })

  it.each([[{ messages: 'hello' }], [{ messages: [{ text: 'hello' }] }], [user({ text: 'hello' } as never)], [7]])(
    'says on this side what is wrong with %j',
    async (prompt) => {
      const { reported, client } = await run((ctx) => ctx.sample('q', prompt as never), sampling({}))
      expect(String(reported[0])).toMatch(/TypeError: (ctx\.sample needs|Not a message|Not the content)/)
      expect(client.of('sampling/createMessage')).toEqual([])
    },
  )

  it('C-03 with tools needs a client that knows them', async () => {
    const params = { messages: [], maxTokens: 1, tools: [{ name: 'x', inputSchema: { type: 'object' as const } }] }
    const without = await run((ctx) => ctx.sample('q', params), sampling({}))
    expect(without.text).toContain('"sampling.tools"')
    const withTools = await run((ctx) => ctx.sample('q', params).then(() => 'ok'), sampling({ tools: {} }))
    expect(withTools.text).toBe('ok')
    expect(withTools.client.of('sampling/createMessage')[0]?.params).toEqual(params)
  })

  it('without the capability is refused', async () => {
    expect((await run((ctx) => ctx.sample('q', 'x'))).text).toContain('"sampling"')
  })

  it('an answer that is no message is an invalid answer', async () => {
    const { answer } = await run((ctx) => ctx.sample('q', 'x'), sampling({}, { role: 'assistant' }))
    expect(answer.error).toMatchObject({ data: { 'parley/kind': 'invalid_answer' } })
  })

  it('a refusal of the user reaches the handler, and is masked if it lets it pass', async () => {
    const refusing = sampling({}, { error: { code: -1, message: 'User rejected sampling request' } })
    const caught = await run((ctx) => ctx.sample('q', 'x').catch((error) => `caught ${error.code}`), refusing)
    expect(caught.text).toBe('caught -1')
    const passed = await run((ctx) => ctx.sample('q', 'x'), refusing)
    expect(passed.answer.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('failed because of an error in the server') }],
    })
  })
})

describe('F6 ctx.roots', () => {
  it('gives the list', async () => {
    const roots = [{ uri: 'file:///home', name: 'Home' }]
    const { text } = await run(async (ctx) => JSON.stringify(await ctx.roots()), {
      capabilities: { roots: {} },
      answers: { 'roots/list': () => ({ roots }) },
    })
    expect(JSON.parse(text as string)).toEqual(roots)
  })

  it('is refused without the capability, and an answer without a list is invalid', async () => {
    expect((await run((ctx) => ctx.roots())).text).toContain('"roots"')
    const { answer } = await run((ctx) => ctx.roots(), {
      capabilities: { roots: {} },
      answers: { 'roots/list': () => ({}) },
    })
    expect(answer.error).toMatchObject({ data: { 'parley/kind': 'invalid_answer' } })
  })
})

describe('ctx.once', () => {
  it('runs an effect once per call and key, and remembers failure', async () => {
    let runs = 0
    const { text } = await run(async (ctx) => {
      const effect = () => ++runs
      const failing = () => {
        runs++
        throw new Error('no')
      }
      const values = [await ctx.once('a', effect), await ctx.once('a', effect), await ctx.once('b', effect)]
      const failures = [await ctx.once('c', failing).catch(String), await ctx.once('c', failing).catch(String)]
      return JSON.stringify([values, failures])
    })
    expect(JSON.parse(text as string)).toEqual([
      [1, 1, 2],
      ['Error: no', 'Error: no'],
    ])
    expect(runs).toBe(3)
  })

  it('gives what JSON makes of the value, the same one each time', async () => {
    const { text } = await run(async (ctx) => {
      const effect = () => ({ at: new Date(0), seen: new Map([[1, 2]]), left: undefined })
      const [first, second] = [await ctx.once('a', effect), await ctx.once('a', effect)]
      return JSON.stringify([
        first.at === ('1970-01-01T00:00:00.000Z' as never),
        first,
        'left' in first,
        first === second,
        await ctx.once('b', () => undefined),
      ])
    })
    expect(JSON.parse(text as string)).toEqual([true, { at: '1970-01-01T00:00:00.000Z', seen: {} }, false, true, null])
  })

  it('the next call runs it again', async () => {
    let runs = 0
    const client = await rawClient(createServer(info).add(tool('t', {}, (_, ctx) => ctx.once('a', () => ++runs))))
    await client.result('tools/call', { name: 't' })
    await client.result('tools/call', { name: 't' })
    expect(runs).toBe(2)
  })
})

describe('F7 and M5 the rest of ctx', () => {
  it('progress reaches who asked for it', async () => {
    const handler = (ctx: Context) => {
      ctx.progress(1, 3, 'one')
      ctx.progress(1, 3)
      ctx.progress(2)
    }
    const asked = await run(handler, {}, { _meta: { progressToken: 'p' } })
    expect(asked.client.of('notifications/progress').map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, total: 3, message: 'one' },
      { progressToken: 'p', progress: 2 },
    ])
    expect((await run(handler)).client.of('notifications/progress')).toEqual([])
  })

  it('shows who asks, how, and in which version', async () => {
    const { text } = await run(
      (ctx) => {
        const { direction, transport, traceparent } = ctx.request.context
        return JSON.stringify([
          ctx.version,
          ctx.client.info?.name,
          ctx.client.capabilities,
          ctx.auth ?? null,
          ctx.request.method,
          direction,
          transport,
          traceparent,
        ])
      },
      { capabilities: { roots: {} } },
      { _meta: { traceparent: '00-1-2-01' } },
    )
    expect(JSON.parse(text as string)).toEqual([
      '2025-11-25',
      'raw',
      { roots: {} },
      null,
      'tools/call',
      'client_to_server',
      'memory',
      '00-1-2-01',
    ])
  })

  it('may be taken apart', async () => {
    const { client, text } = await run(
      async ({ log, once, roots }) => {
        log('info', 'x')
        return JSON.stringify([await once('k', () => 1), await roots()])
      },
      { capabilities: { roots: {} }, answers: { 'roots/list': () => ({ roots: [] }) } },
    )
    expect(text).toBe('[1,[]]')
    expect(client.of('notifications/message')).toHaveLength(1)
  })

  it('sends notifications of the handler’s own', async () => {
    const { client } = await run((ctx) => ctx.notify('notifications/example.com/tick', { n: 1 }))
    expect(client.of('notifications/example.com/tick').map(({ params }) => params)).toEqual([{ n: 1 }])
  })

  it('the signal of a question ends with the call', async () => {
    const server = createServer(info).add(tool('ask', {}, (_, ctx) => ctx.elicit('k', 'm', z.object({}))))
    const client = await rawClient(server, { capabilities: { elicitation: {} } })
    const id = client.nextId
    void client.request('tools/call', { name: 'ask' })
    while (client.of('elicitation/create').length === 0) await client.result('ping')
    client.notify('notifications/cancelled', { requestId: id })
    await client.result('ping')
    expect(client.of('notifications/cancelled').map(({ params }) => params?.['requestId'])).toEqual([
      client.of('elicitation/create')[0]?.id,
    ])
    expect(client.session.pending()).toEqual([])
  })
})
