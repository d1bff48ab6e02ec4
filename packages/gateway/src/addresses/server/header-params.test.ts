/**
 * D-60, F9: what stands between gateway and server may route calls by their arguments, so those travel in headers
 * whoever calls.
 */
import { ParleyError } from 'parley-mcp'
import type { Body, Inbound, Link, SendOptions } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../config/index.ts'
import { toolDefaults } from '../../config/settings/defaults.ts'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { RawClient, type ScriptedServer, scripted, text, textOf, until } from './peers.fixtures.ts'

const CALL: Body = { name: 'where', arguments: { region: 'eu', city: 'Rome' } }

let rig: BridgeRig
let headers: Record<string, string>[]
let header: string
afterEach(() => rig.close())

const listed = (): Body => ({
  tools: [
    {
      name: 'where',
      inputSchema: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': header }, city: { type: 'string' } },
      },
    },
  ],
})

/** A way on which messages have headers, and what was sent with each call. */
function mirrored(link: Link): Link {
  return {
    transport: 'http',
    mirrors: true,
    open: (events) => link.open(events),
    send: (frame: string, options?: SendOptions) => {
      if (frame.includes('"tools/call"')) headers.push({ ...options?.headers } as Record<string, string>)
      link.send(frame)
    },
    close: () => link.close(),
  }
}

function serverOf(answer?: (inbound: Inbound) => Body): ScriptedServer {
  return scripted({
    version: '2026-07-28',
    answer: (inbound) => (inbound.method === 'tools/list' ? listed() : (answer?.(inbound) ?? text('there'))),
  })
}

function rigOf(server: ScriptedServer, more: Partial<ServerConfig> = {}): void {
  headers = []
  header = 'Region'
  rig = bridgeTo(server, undefined, more, { wrap: mirrored })
}

const lists = ({ asked }: ScriptedServer): number => asked.filter(({ method }) => method === 'tools/list').length

async function handshaken(): Promise<RawClient> {
  const client = new RawClient(rig.address)
  await client.shakeHands('2025-11-25')
  return client
}

describe('D-60 a call for a server of 2026-07-28 carries its arguments in headers', () => {
  it('of clients of either era, without a look at the list for each', async () => {
    const server = serverOf()
    rigOf(server)
    const clients = [await handshaken(), await handshaken(), await handshaken()]
    for (const client of clients) expect(textOf(await client.request('tools/call', CALL))).toBe('there')
    expect(textOf(await new RawClient(rig.address).ask('tools/call', CALL))).toBe('there')
    expect(headers.map((sent) => sent['mcp-param-region'])).toEqual(['eu', 'eu', 'eu', 'eu'])
    expect(headers.every((sent) => sent['mcp-param-city'] === undefined)).toBe(true)
    // The second when the gateway began to listen: earlier changes were not reported.
    expect(lists(server)).toBeLessThanOrEqual(2)
  })

  it('under whatever name clients know the tool', async () => {
    rigOf(serverOf(), { tools: { ...toolDefaults, rename: { where: 'wo' } } })
    expect(textOf(await (await handshaken()).request('tools/call', { ...CALL, name: 'wo' }))).toBe('there')
    expect(headers).toMatchObject([{ 'mcp-name': 'where', 'mcp-param-region': 'eu' }])
  })

  it('as the list says now', async () => {
    const server = serverOf()
    rigOf(server)
    const client = await handshaken()
    await client.request('tools/call', CALL)
    header = 'Zone'
    await until(() => expect(server.listening.size).toBeGreaterThan(0))
    for (const listening of server.listening) listening.notify('notifications/tools/list_changed', {})
    await until(async () => {
      await client.request('tools/call', CALL)
      expect(headers.at(-1)).toMatchObject({ 'mcp-param-zone': 'eu' })
    })
  })

  it('as the server says it should be when it refuses one: the list is read again, once for all', async () => {
    let calls = 0
    const server = serverOf(() => {
      const sent = headers[calls++]
      if (sent?.[`mcp-param-${header.toLowerCase()}`] === undefined)
        throw new ParleyError('header_mismatch', { message: 'Header mismatch' })
      return text('there')
    })
    rigOf(server)
    const clients = [await handshaken(), await handshaken()]
    for (const client of clients) expect(textOf(await client.request('tools/call', CALL))).toBe('there')
    expect([calls, lists(server)]).toEqual([2, 1])
    // It has sent no notification.
    header = 'Zone'
    const outcomes = await Promise.all(clients.map((client) => client.request('tools/call', CALL)))
    expect(outcomes.map(textOf)).toEqual(['there', 'there'])
    expect([calls, lists(server)]).toEqual([6, 2])
  })

  it('or without them, when there is no list to be had', async () => {
    const server = scripted({
      version: '2026-07-28',
      answer: ({ method }) => {
        if (method === 'tools/list') throw new Error('no list')
        return text('there')
      },
    })
    rigOf(server)
    expect(textOf(await (await handshaken()).request('tools/call', CALL))).toBe('there')
    expect(headers).toHaveLength(1)
  })
})
