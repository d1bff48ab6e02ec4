/** D-60: arguments of aggregated tools that travel in headers, over real HTTP. */
import { type Body, META } from 'parley-mcp/engine'
import { connect, type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it } from 'vitest'
import { AggregateRig } from './aggregate.fixtures.ts'

const region = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
} as const

let rig: AggregateRig
let serving: HttpServing
afterEach(async () => {
  await serving.close({ drain: 0 })
  await rig.close()
})

async function serve(): Promise<void> {
  const weather = (self: string) =>
    createServer({ name: self, version: '1' }).add(
      tool('weather', { input: region as never }, (args) => `${self} ${(args as Body)['region'] as string}`),
    )
  rig = new AggregateRig({
    old: { server: weather('old'), version: '2025-06-18' },
    new: { server: weather('new'), version: '2026-07-28' },
  })
  serving = await serveHttp(rig.aggregate, { port: 0 })
}

async function post(
  name: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: { result?: Body; error?: { code: number } } }> {
  const meta = {
    [META.version]: '2026-07-28',
    [META.clientInfo]: { name: 'c', version: '1' },
    [META.clientCapabilities]: {},
  }
  const response = await fetch(serving.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { region: 'eu' }, _meta: meta },
    }),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}')
  return { status: response.status, body: JSON.parse(json) }
}

describe.each(['old', 'new'])('D-60 x-mcp-header of a tool of the "%s" server', (server) => {
  it('is filled in by clients that have read the list', async () => {
    await serve()
    const client = await connect(serving.url, { version: '2026-07-28' })
    await client.tools()
    expect((await client.call(`${server}__weather`, { region: 'eu' })).text).toBe(`${server} eu`)
    await client.close()
  })

  it('must be what the argument is, also before anybody has read the list', async () => {
    await serve()
    expect(await post(`${server}__weather`, {})).toMatchObject({ status: 400, body: { error: { code: -32020 } } })
    expect(await post(`${server}__weather`, { 'mcp-param-region': 'us' })).toMatchObject({
      status: 400,
      body: { error: { code: -32020 } },
    })
    expect(await post(`${server}__weather`, { 'mcp-param-region': 'eu' })).toMatchObject({
      status: 200,
      body: { result: { content: [{ text: `${server} eu` }] } },
    })
  })
})

describe('D-60 an unknown tool', () => {
  it('is refused as such', async () => {
    await serve()
    expect((await post('gone__weather', { 'mcp-param-region': 'eu' })).body).toMatchObject({ error: { code: -32602 } })
  })
})
