/** Calling tools: values, failures, validation against promised schemas. */
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { connect } from '../connect.ts'
import { rawServer } from '../raw-server.fixtures.ts'

const answering = (result: Body, tools: readonly Body[] = []) =>
  rawServer({ answers: { 'tools/call': () => result, 'tools/list': () => ({ tools }) } })

describe('F1 call', () => {
  it('sends name and arguments, and gives the text as value', async () => {
    const server = answering({ content: [{ type: 'text', text: 'hello' }] })
    const client = await connect(server.link)
    const outcome = await client.call('greet', { who: 'you' })
    expect(outcome).toEqual({
      value: 'hello',
      text: 'hello',
      content: [{ type: 'text', text: 'hello' }],
      structured: undefined,
      isError: false,
      meta: undefined,
    })
    expect(server.of('tools/call')[0]?.params).toEqual({ name: 'greet', arguments: { who: 'you' } })
  })

  it('joins several text blocks and leaves other blocks in content', async () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' }
    const server = answering({ content: [{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }] })
    const { text, content } = await (await connect(server.link)).call('t')
    expect(text).toBe('one\ntwo')
    expect(content[1]).toEqual(image)
  })

  it('gives structured content as value, whatever JSON it is', async () => {
    for (const structuredContent of [{ a: 1 }, [1, 2], 0, false, null]) {
      const server = answering({ content: [{ type: 'text', text: 'copy' }], structuredContent })
      expect((await (await connect(server.link)).call('t')).value).toEqual(structuredContent)
    }
  })

  it('sends meta and returns meta', async () => {
    const server = answering({ content: [], _meta: { trace: 'back' } })
    const { meta } = await (await connect(server.link)).call('t', {}, { meta: { trace: 'there' } })
    expect(server.of('tools/call')[0]?.params?.['_meta']).toEqual({ trace: 'there' })
    expect(meta).toEqual({ trace: 'back' })
  })

  it('throws what the tool reports as a ToolError with everything attached', async () => {
    const server = answering({
      content: [{ type: 'text', text: 'no such city' }],
      structuredContent: { code: 7 },
      isError: true,
    })
    const failure = await (await connect(server.link)).call('t').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ToolError)
    expect(failure).toMatchObject({ message: 'no such city', structured: { code: 7 }, outcome: { isError: true } })
  })

  it('says something even when the tool does not', async () => {
    const client = await connect(answering({ content: [], isError: true }).link)
    await expect(client.call('t')).rejects.toThrow('The tool failed without saying why')
  })

  it('returns failures with throwOnError: false', async () => {
    const client = await connect(answering({ content: [{ type: 'text', text: 'bad' }], isError: true }).link)
    expect(await client.call('t', {}, { throwOnError: false })).toMatchObject({ isError: true, text: 'bad' })
  })

  it('treats content that is no list as an invalid answer', async () => {
    const client = await connect(answering({ content: 'text' }).link)
    await expect(client.call('t')).rejects.toMatchObject({ kind: 'invalid_answer' })
  })

  it('passes on the error of the server with code and data', async () => {
    const server = rawServer({
      answers: { 'tools/call': () => ({ error: { code: -32602, message: 'Unknown tool: x', data: { name: 'x' } } }) },
    })
    await expect((await connect(server.link)).call('x')).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool: x',
      data: { name: 'x' },
    })
  })
})

describe('F1 output schemas', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const tools = [{ name: 't', inputSchema: { type: 'object' }, outputSchema }]
  const bad = { content: [], structuredContent: { n: 'one' } }

  it('are not asked for, so nothing is checked before a listing', async () => {
    const server = answering(bad, tools)
    const client = await connect(server.link)
    expect((await client.call('t')).value).toEqual({ n: 'one' })
    expect(server.of('tools/list')).toEqual([])
  })

  it('are checked once the tools are known', async () => {
    const client = await connect(answering(bad, tools).link)
    await client.tools()
    await expect(client.call('t')).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: expect.stringMatching(/"t".*n/),
    })
    await expect(client.call('t', {}, { throwOnError: false })).rejects.toMatchObject({ kind: 'invalid_answer' })
    expect((await client.call('t', {}, { validate: false })).value).toEqual({ n: 'one' })
    expect((await client.call('t', {}, { validate: false, throwOnError: false })).value).toEqual({ n: 'one' })
  })

  it('accept what fits', async () => {
    const client = await connect(answering({ content: [], structuredContent: { n: 1 } }, tools).link)
    await client.tools()
    expect((await client.call('t')).value).toEqual({ n: 1 })
  })

  it('make structured content a duty, except in failures', async () => {
    const client = await connect(answering({ content: [] }, tools).link)
    await client.tools()
    await expect(client.call('t')).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: expect.stringContaining('without structured content'),
    })
    const failing = await connect(answering({ content: [{ type: 'text', text: 'no' }], isError: true }, tools).link)
    await failing.tools()
    await expect(failing.call('t')).rejects.toBeInstanceOf(ToolError)
    expect(await failing.call('t', {}, { throwOnError: false })).toMatchObject({ isError: true })
  })

  it('are forgotten when the server says that its tools changed', async () => {
    const server = answering(bad, tools)
    const client = await connect(server.link)
    await client.tools()
    server.notify('notifications/tools/list_changed')
    await client.ping()
    expect((await client.call('t')).value).toEqual({ n: 'one' })
  })

  it('of a tool that no longer has one are dropped at the next listing', async () => {
    let listed: Body[] = tools
    const server = rawServer({ answers: { 'tools/call': () => bad, 'tools/list': () => ({ tools: listed }) } })
    const client = await connect(server.link)
    await client.tools()
    listed = [{ name: 't', inputSchema: { type: 'object' } }]
    await client.tools()
    expect((await client.call('t')).value).toEqual({ n: 'one' })
  })
})
