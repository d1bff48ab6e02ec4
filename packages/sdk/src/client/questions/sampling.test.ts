/** Requests for the model, and roots. */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { connect } from '../connect.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import type { RootsOption } from './roots.ts'
import { type SampleOption, type SampleQuestion, userRejected } from './sampling.ts'

const say = (text: string) => ({ type: 'text', text })
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const use = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: {} })
const outcome = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [say('sun')] })
const asking = (messages: unknown[], more: Body = {}): Body => ({ messages, maxTokens: 10, ...more })

async function asked(sample: SampleOption, params: Body) {
  const server = rawServer()
  await connect(server.link, { sample, onError: () => {} })
  return server.ask('sampling/createMessage', params)
}

const withTools = (answer: SampleOption = () => 'ok') => ({ answer: answer as () => string, tools: true })

describe('F6 sampling', () => {
  const offers: [string, SampleOption, Body][] = [
    ['a function', () => 'x', {}],
    ['an offer with tools', { answer: () => 'x', tools: true }, { tools: {} }],
    ['an offer with context', { answer: () => 'x', context: true }, { context: {} }],
  ]
  it.each(offers)('declares what %s says', async (_, sample, declared) => {
    const server = rawServer()
    await connect(server.link, { sample })
    expect(server.of('initialize')[0]?.params?.['capabilities']).toEqual({ sampling: declared })
  })

  it('makes a whole result of a text', async () => {
    expect((await asked(() => 'hi', asking([user(say('hello'))]))).result).toEqual({
      role: 'assistant',
      content: say('hi'),
      model: 'unknown',
      stopReason: 'endTurn',
    })
  })

  it('completes a result and keeps what it has', async () => {
    const answer = await asked(
      () => ({ content: { type: 'text', text: 'hi' }, model: 'm-1', stopReason: 'maxTokens' }),
      asking([user(say('hello'))]),
    )
    expect(answer.result).toEqual({ role: 'assistant', content: say('hi'), model: 'm-1', stopReason: 'maxTokens' })
  })

  it('gives the handler the parameters, the server and a signal, but not the envelope', async () => {
    let seen: SampleQuestion | undefined
    await asked(
      (question) => {
        seen = question
        return ''
      },
      asking([user(say('hello'))], { systemPrompt: 'be kind', _meta: { progressToken: 1 } }),
    )
    expect(seen).toMatchObject({ systemPrompt: 'be kind', maxTokens: 10, server: { name: 'raw' } })
    expect(seen?.signal).toBeInstanceOf(AbortSignal)
    expect(seen).not.toHaveProperty('_meta')
  })

  it('the user refuses: code -1', async () => {
    const answer = await asked(
      () => {
        throw userRejected()
      },
      asking([user(say('hello'))]),
    )
    expect(answer.error).toMatchObject({ code: -1, message: 'User rejected sampling request' })
  })

  it('masks other failures, and results that are none', async () => {
    const throwing = await asked(
      () => {
        throw new Error('key sk-123')
      },
      asking([user(say('x'))]),
    )
    expect(throwing.error).toEqual({ code: -32603, message: 'Internal error' })
    const wrong = await asked((() => ({ model: 'm' })) as never, asking([user(say('x'))]))
    expect(wrong.error).toEqual({ code: -32603, message: 'Internal error' })
  })

  it('is refused with -32601 when not offered', async () => {
    const server = rawServer()
    await connect(server.link)
    expect((await server.ask('sampling/createMessage', asking([]))).error?.code).toBe(-32601)
  })

  it('C-03 tools are refused with -32602 when not offered, and passed on when they are', async () => {
    const tools = [{ name: 'weather', inputSchema: { type: 'object' } }]
    const refused = await asked(() => 'x', asking([user(say('x'))], { tools }))
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining('sampling.tools') })
    const content = [{ type: 'tool_use' as const, id: 'c1', name: 'weather', input: {} }]
    const allowed = await asked(
      { answer: () => ({ content, stopReason: 'toolUse' }), tools: true },
      asking([user(say('x'))], { tools, toolChoice: { mode: 'auto' } }),
    )
    expect(allowed.result).toMatchObject({ content, stopReason: 'toolUse' })
  })

  it('C-06 accepts results that follow their uses', async () => {
    const messages = [
      user(say('?')),
      assistant([use('a'), use('b')]),
      user([outcome('a'), outcome('b')]),
      assistant(use('c')),
      user(outcome('c')),
    ]
    expect((await asked(withTools(), asking(messages))).result).toMatchObject({ content: say('ok') })
  })

  it.each([
    ['a result mixed with text', [assistant(use('a')), user([outcome('a'), say('and')])]],
    ['a missing result', [assistant([use('a'), use('b')]), user([outcome('a')])]],
    ['text before the result', [assistant(use('a')), user(say('wait')), user(outcome('a'))]],
    ['a result nobody asked for', [user(outcome('a'))]],
    ['an open use at the end', [user(say('?')), assistant(use('a'))]],
    ['a result said by the assistant', [assistant(use('a')), assistant(outcome('a'))]],
  ])('C-06 refuses %s with -32602', async (_, messages) => {
    expect((await asked(withTools(), asking(messages))).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/tool/),
    })
  })

  it.each([
    ['no messages', { maxTokens: 1 }],
    ['a message without role', asking([{ content: say('x') }])],
    ['content without type', asking([user({})])],
    ['no maxTokens', { messages: [] }],
  ])('refuses a request with %s', async (_, params) => {
    expect((await asked(() => 'x', params)).error?.code).toBe(-32602)
  })
})

describe('F6 roots', () => {
  const listed = async (roots: RootsOption) => {
    const server = rawServer()
    const client = await connect(server.link, { roots, onError: () => {} })
    return { client, server, answer: await server.ask('roots/list') }
  }

  it('lists URIs and named roots, and declares listChanged', async () => {
    const { server, answer } = await listed(['file:///a', { uri: 'file:///b', name: 'B' }])
    expect(answer.result).toEqual({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b', name: 'B' }] })
    expect(server.of('initialize')[0]?.params?.['capabilities']).toEqual({ roots: { listChanged: true } })
  })

  it('asks a function each time', async () => {
    let calls = 0
    const { server } = await listed(async () => [`file:///${++calls}`])
    expect((await server.ask('roots/list')).result).toEqual({ roots: [{ uri: 'file:///2' }] })
  })

  it('tells the server of changes, or says that it may not', async () => {
    const { client, server } = await listed([])
    expect(client.rootsChanged()).toBe(true)
    await client.ping()
    expect(server.of('notifications/roots/list_changed')).toHaveLength(1)
    const without = rawServer()
    expect((await connect(without.link)).rootsChanged()).toBe(false)
    expect((await without.ask('roots/list')).error?.code).toBe(-32601)
  })

  it('masks a root that is no URI', async () => {
    expect((await listed(() => ['/home/me'])).answer.error).toEqual({ code: -32603, message: 'Internal error' })
  })

  it.each<[string, unknown, string]>([
    ['a path', ['file:///a', '/home/me'], 'A root must be a URI such as file:///home/me, not "/home/me"'],
    ['a root without URI', [{ name: 'B' }], 'A root must be a URI such as file:///home/me, not {"name":"B"}'],
    ['nothing', [undefined], 'A root must be a URI such as file:///home/me, not undefined'],
    ['no list', 'file:///a', '"roots" must be a list of URIs'],
  ])('%s in a list is refused before anything is sent', async (_, roots, message) => {
    const server = rawServer()
    const connecting = connect(server.link, { roots: roots as RootsOption })
    await expect(connecting).rejects.toThrow(TypeError)
    await expect(connecting).rejects.toThrow(message)
    expect(server.received).toEqual([])
  })
})
