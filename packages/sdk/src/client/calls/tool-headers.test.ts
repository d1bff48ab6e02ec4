/** Arguments that travel in headers as well: which ones a client learns from lists of tools (D-46, D-60). */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { connect } from '../connect.ts'
import type { ConnectOptions } from '../options.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import { rawStateless } from '../raw-stateless.fixtures.ts'

const annotated = (header: unknown, type = 'string'): Body => ({
  type: 'object',
  properties: { region: { type, 'x-mcp-header': header } },
})
const good = { name: 'good', inputSchema: annotated('Region') }
const bad = { name: 'bad', inputSchema: annotated('no good name') }
const result = { content: [{ type: 'text', text: 'done' }] }

async function begin(tools: () => Body[], call: (params: Body) => Body, mirrors = true, options: ConnectOptions = {}) {
  const server = rawStateless({ mirrors, answers: { 'tools/list': () => ({ tools: tools() }), 'tools/call': call } })
  const warnings: [string, string][] = []
  const client = await connect(server.link, {
    version: '2026-07-28',
    onError: (error, { during }) => warnings.push([(error as Error).message, during]),
    ...options,
  })
  const headersOf = (method: string) => server.headers.filter((headers) => headers?.['mcp-method'] === method)
  return { server, client, warnings, headersOf }
}

describe('D-46 tools that say wrongly what travels in headers', () => {
  it('are left out where messages have headers, and one is told why, once', async () => {
    const { client, warnings } = await begin(
      () => [good, bad],
      () => result,
    )
    for (let round = 0; round < 2; round++) expect((await client.tools()).map(({ name }) => name)).toEqual(['good'])
    expect((await client.listTools()).tools).toHaveLength(1)
    expect(warnings).toEqual([[expect.stringMatching(/"bad".*x-mcp-header "no good name"/), 'tools/list']])
  })

  it('are told of again when they are wrong in another way', async () => {
    let tools = [bad]
    const { client, warnings } = await begin(
      () => tools,
      () => result,
    )
    await client.tools()
    tools = [{ ...bad, inputSchema: annotated('Region', 'object') }]
    await client.tools()
    tools = [{ ...good, name: 'bad' }]
    expect(await client.tools()).toHaveLength(1)
    tools = [bad]
    expect(await client.tools()).toEqual([])
    expect(warnings).toHaveLength(3)
  })

  it('stay where messages have none, and in the handshake era', async () => {
    const { client, warnings } = await begin(
      () => [good, bad],
      () => result,
      false,
    )
    expect(await client.tools()).toHaveLength(2)
    const server = rawServer({ answers: { 'tools/list': () => ({ tools: [good, bad] }) } })
    const old = await connect(
      {
        ...server.link,
        transport: 'http',
        mirrors: true,
        open: (events) => server.link.open(events),
        send: (frame) => server.link.send(frame),
        close: () => server.link.close(),
      },
      { version: '2025-11-25' },
    )
    expect(await old.tools()).toHaveLength(2)
    expect(warnings).toEqual([])
  })
})

describe('D-60 arguments in headers', () => {
  it('go with the calls of tools that were listed', async () => {
    const { client, headersOf } = await begin(
      () => [good],
      () => result,
    )
    await client.call('good', { region: 'eu' })
    await client.tools()
    await client.call('good', { region: 'eu' })
    await client.call('good', {})
    expect(headersOf('tools/call').map((headers) => headers?.['mcp-param-region'])).toEqual([
      undefined,
      'eu',
      undefined,
    ])
    expect(headersOf('tools/call')[1]).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-name': 'good' })
  })

  it('are learnt when the server misses them, once for all calls that fail together, and the calls made again', async () => {
    const seen = new Map<unknown, number>()
    const { client, server, headersOf } = await begin(
      () => [good],
      ({ arguments: args }) => {
        const { region } = args as { region: string }
        const count = (seen.get(region) ?? 0) + 1
        seen.set(region, count)
        return count === 1
          ? { error: { code: -32020, message: 'Header mismatch: mcp-param-region is missing' } }
          : result
      },
    )
    const outcomes = await Promise.all(['eu', 'us'].map((region) => client.call('good', { region })))
    expect(outcomes.map(({ text }) => text)).toEqual(['done', 'done'])
    expect(server.of('tools/list')).toHaveLength(1)
    expect(headersOf('tools/call').map((headers) => headers?.['mcp-param-region'])).toEqual([
      undefined,
      undefined,
      'eu',
      'us',
    ])
  })

  it('are asked for afresh even if the list is still fresh', async () => {
    let tools = [{ ...good, inputSchema: { type: 'object' } }] as Body[]
    let strict = false
    const server = rawStateless({
      mirrors: true,
      answers: {
        'tools/list': () => ({ tools, ttlMs: 60_000, cacheScope: 'public' }),
        'tools/call': () =>
          strict && server.headers.at(-1)?.['mcp-param-region'] === undefined
            ? { error: { code: -32020, message: 'missing' } }
            : result,
      },
    })
    const client = await connect(server.link, { version: '2026-07-28' })
    await client.tools()
    tools = [good]
    strict = true
    expect((await client.call('good', { region: 'eu' })).text).toBe('done')
    expect(server.of('tools/list')).toHaveLength(2)
  })

  it('are given up when the server refuses them a second time', async () => {
    const { client, server } = await begin(
      () => [good],
      () => ({ error: { code: -32020, message: 'never' } }),
    )
    await expect(client.call('good', { region: 'eu' })).rejects.toMatchObject({ kind: 'header_mismatch' })
    expect(server.of('tools/call')).toHaveLength(2)
  })
})
