/** Lists that a server gives in the same words again: clients see no difference, and what changes they see at once. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import type { Body, EngineRequestOptions } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { type ScriptedServer, scripted } from '../../addresses/server/peers.fixtures.ts'

let rig: BridgeRig | undefined
afterEach(async () => await rig?.close())

const tool = (name: string): Body => ({ name, inputSchema: { type: 'object' } })

/** A list as the client gets it, in the words of the gateway. */
async function listed(client: Client): Promise<{ tools: unknown; json: string }> {
  let json = ''
  const options: EngineRequestOptions = {
    onText: (text) => {
      json = text
    },
  }
  const { tools } = await client.request('tools/list', {}, options)
  return { tools, json }
}

const listsAsked = ({ asked }: ScriptedServer): number => asked.filter(({ method }) => method === 'tools/list').length

const pairs: [client: ProtocolVersion, server: ProtocolVersion][] = [
  ['2025-11-25', '2025-11-25'],
  ['2024-11-05', '2025-11-25'],
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
  ['2026-07-28', '2026-07-28'],
]

describe('a list that is given again', () => {
  it.each(pairs)('is the same for a client of %s, and another when a server of %s says so', async (spoken, version) => {
    let tools = [tool('a')]
    const server = scripted({ version, answer: () => ({ tools }) })
    rig = bridgeTo(server, undefined)
    const client = await rig.connect({ versions: [spoken] })
    const first = await listed(client)
    const before = listsAsked(server)
    const second = await listed(client)
    expect(first.tools).toEqual([tool('a')])
    expect(second).toEqual(first)
    expect(listsAsked(server)).toBe(before + 1)
    tools = [tool('a'), tool('b')]
    expect((await listed(client)).tools).toEqual([tool('a'), tool('b')])
    tools = [tool('a')]
    expect(await listed(client)).toEqual(first)
    await client.close()
  })

  it('is without tools that have no name each time', async () => {
    const server = scripted({
      version: '2026-07-28',
      answer: () => ({ tools: [tool('a'), { inputSchema: { type: 'object' } }] }),
    })
    rig = bridgeTo(server, undefined)
    const client = await rig.connect({ versions: ['2026-07-28'] })
    const first = await listed(client)
    expect(first.tools).toEqual([tool('a')])
    expect(await listed(client)).toEqual(first)
    await client.close()
  })

  it('D-42 is not asked for while it is fresh', async () => {
    const server = scripted({
      version: '2026-07-28',
      answer: () => ({ tools: [tool('a')], ttlMs: 60_000, cacheScope: 'public' }),
    })
    rig = bridgeTo(server, undefined)
    const client = await rig.connect({ versions: ['2026-07-28'], cache: false })
    expect((await listed(client)).tools).toEqual([tool('a')])
    const before = listsAsked(server)
    expect((await listed(client)).tools).toEqual([tool('a')])
    expect(listsAsked(server)).toBe(before)
    await client.close()
  })
})
