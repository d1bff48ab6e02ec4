/** D-64: the HTTP status is for what the endpoint refuses; an error that a server answers with is an answer. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { fromWire } from 'parley-mcp'
import { serveHttp } from 'parley-mcp/node'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../log/index.ts'
import { bridgeTo } from '../server/bridge.fixtures.ts'
import { envelope, scripted } from '../server/peers.fixtures.ts'
import { AggregateAddress } from './aggregate-address.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function served(server: Parameters<typeof serveHttp>[0]): Promise<string> {
  const serving = await serveHttp(server, { port: 0 })
  open.push(() => serving.close({ drain: 0 }))
  return serving.url
}

/** Answers every call, and every method that it does not know, with the error. */
function failing(version: '2025-06-18' | '2026-07-28', code: number) {
  return scripted({
    version,
    answer: ({ method }) => {
      if (method === 'tools/list') return { tools: [{ name: 'any', inputSchema: { type: 'object' } }] }
      throw fromWire({ code, message: 'Unknown tool: any' }, true)
    },
  })
}

async function post(
  url: string,
  method: string,
  params: Record<string, unknown>,
): Promise<{ status: number; code: number | undefined }> {
  const { name } = params
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope({}) } }),
  })
  const { error } = (await response.json()) as { error?: { code: number } }
  return { status: response.status, code: error?.code }
}

describe.each(['2025-06-18', '2026-07-28'] as const)('an error that a server of %s answers a call with', (version) => {
  it.each([-32601, -32600, -32700, -32602, -32603])('is an answer: %i', async (code) => {
    const rig = bridgeTo(failing(version, code), version)
    open.push(() => rig.close())
    const url = await served(rig.address)
    expect(await post(url, 'tools/call', { name: 'any', arguments: {} })).toEqual({ status: 200, code })
  })

  it('is one at the address of all servers', async () => {
    const rig = bridgeTo(failing(version, -32601), version)
    open.push(() => rig.close())
    const aggregate = new AggregateAddress({ translation: 'lenient', log: silentLog })
    aggregate.setServers([rig.address])
    open.push(() => aggregate.close())
    const url = await served(aggregate)
    expect(await post(url, 'tools/call', { name: 'rig__any', arguments: {} })).toEqual({ status: 200, code: -32601 })
  })

  it('is read with its code by the published client', async () => {
    const rig = bridgeTo(failing(version, -32601), version)
    open.push(() => rig.close())
    const client = new Client({ name: 'published', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(await served(rig.address))))
    open.push(() => client.close())
    await expect(client.callTool({ name: 'any', arguments: {} })).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('Unknown tool: any'),
    })
  })
})

describe('what the endpoint refuses', () => {
  it('has its status: an unknown method', async () => {
    const rig = bridgeTo(failing('2025-06-18', -32601), '2025-06-18')
    open.push(() => rig.close())
    expect(await post(await served(rig.address), 'odd/method', {})).toEqual({ status: 404, code: -32601 })
  })
})
