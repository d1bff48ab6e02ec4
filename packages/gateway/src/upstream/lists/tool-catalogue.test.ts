/** What the gateway reads of a server's tools, and where it stops. */
import type { Tool } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, scripted, text } from '../../addresses/server/peers.fixtures.ts'
import { ToolPins } from '../../catalogue/index.ts'
import { toolDefaults } from '../../config/defaults.ts'
import type { ServerConfig } from '../../config/index.ts'
import { type GatewayLog, silentLog } from '../../log/index.ts'

let rig: BridgeRig
let warnings: string[]
afterEach(() => rig.close())

const tool = (name: string, description = name): Tool => ({ name, description, inputSchema: { type: 'object' } })

/** `page` is asked with the number of pages that were read before. */
function listing(page: (read: number) => Body, more: Partial<ServerConfig> = {}): { readonly read: () => number } {
  let read = 0
  warnings = []
  const log: GatewayLog = { ...silentLog, warning: (message) => void warnings.push(message) }
  const server = scripted({
    version: '2025-11-25',
    answer: ({ method }) => (method === 'tools/list' ? page(read++) : text('done')),
  })
  rig = bridgeTo(server, undefined, more, { log })
  return { read: () => read }
}

const aboutLists = (): string[] => warnings.filter((warning) => warning.includes('list of tools'))

describe('L4 a list of tools that never ends', () => {
  it('is read until it has had 32 MiB, and what was read is known', async () => {
    const large = 'x'.repeat(1024 * 1024)
    const server = listing((read) => ({ tools: [tool(`t${read}`, large)], nextCursor: `c${read}` }))
    await rig.upstream.tools.seen()
    expect(server.read()).toBe(32)
    const { tools } = rig.upstream
    expect([tools.original('t0')?.name, tools.original('t31')?.name]).toEqual(['t0', 't31'])
    expect(aboutLists()).toHaveLength(1)
    // Calls of what is not known do not have it read again.
    await tools.seen()
    expect(await tools.headerParams('other')).toEqual([])
    expect(server.read()).toBe(32)
  })

  it('is read until there are 10 000 tools', async () => {
    const many = (from: number): Tool[] => Array.from({ length: 3000 }, (_, index) => tool(`t${from + index}`))
    const server = listing((read) => ({ tools: many(read * 3000), nextCursor: `c${read}` }))
    await rig.upstream.tools.seen()
    expect(server.read()).toBe(4)
    expect([rig.upstream.tools.original('t9999')?.name, rig.upstream.tools.original('t10000')]).toEqual([
      't9999',
      undefined,
    ])
    expect(aboutLists()).toHaveLength(1)
  })

  it('is read once when its cursor leads back', async () => {
    const server = listing((read) => ({ tools: [tool(`t${read}`)], nextCursor: 'again' }))
    await rig.upstream.tools.seen()
    expect(server.read()).toBe(2)
    expect(aboutLists()).toEqual([expect.stringContaining('leads back to itself')])
  })

  it('is no longer read when the server was removed', async () => {
    let last: Promise<void> = Promise.resolve()
    const server = listing((read) => {
      if (read === 3) last = rig.upstream.close()
      return { tools: [tool(`t${read}`)], nextCursor: `c${read}` }
    })
    await expect(rig.upstream.tools.seen()).rejects.toBeDefined()
    await last
    expect(server.read()).toBe(4)
  })

  it('nor do pages that clients read fill the memory, though the list never says that it has changed', async () => {
    listing((read) => ({ tools: Array.from({ length: 4000 }, (_, index) => tool(`t${read}-${index}`)) }))
    const client = new RawClient(rig.address)
    for (let time = 0; time < 4; time++) await client.ask('tools/list')
    const { tools } = rig.upstream
    expect(['t0-0', 't1-3999', 't3-3999'].map((name) => tools.original(name)?.name)).toEqual([
      't0-0',
      't1-3999',
      undefined,
    ])
  })
})

it('a list in many pages is no long one', async () => {
  const server = listing((read) => ({ tools: [tool(`t${read}`)], ...(read < 500 && { nextCursor: `c${read}` }) }))
  await rig.upstream.tools.seen()
  expect(server.read()).toBe(501)
  expect(rig.upstream.tools.original('t500')).toBeDefined()
  expect(aboutLists()).toEqual([])
})

it.each(['block', 'report'] as const)(
  'a tool that is not as it was pinned (%s): whoever runs the gateway learns how to accept it',
  async (pin) => {
    listing((read) => ({ tools: [tool('one', read === 0 ? 'adds' : 'deletes')] }), { tools: { ...toolDefaults, pin } })
    const { tools } = rig.upstream
    tools.pins = ToolPins.inMemory()
    await tools.seen()
    expect(warnings).toEqual([])
    await tools.relearn()
    expect(warnings).toEqual([
      expect.stringMatching(
        /"one" of server "rig" is not the one that was pinned.*take its line .* out of the pins file.* and restart/,
      ),
    ])
  },
)

describe('G settings that fit no tool are said once, with the tool that was meant', () => {
  const settings = {
    tools: { ...toolDefaults, allow: ['*_note', 'serach'], deny: ['remove_nte', 'zz*'], rename: { add_note: 'add' } },
  }
  const strays = [
    'tools.allow "serach" fits no tool of "rig"; did you mean "search"?',
    'tools.deny "remove_nte" fits no tool of "rig"; did you mean "remove_note"?',
    'tools.deny "zz*" fits no tool of "rig"',
  ]
  const [first, second] = [
    { tools: [tool('add_note'), tool('remove_note')], nextCursor: 'more' },
    { tools: [tool('search')] },
  ]

  it('as soon as the server is reached, by all pages of its list', async () => {
    listing((read) => (read % 2 === 0 ? first : second), settings)
    await rig.upstream.gatewayConversation()
    await vi.waitFor(() => expect(warnings).toEqual(strays))
    rig.upstream.listChanged('tools')
    await rig.upstream.tools.seen()
    expect(warnings).toEqual(strays)
  })

  it('but not by a part of a list', async () => {
    listing((read) => ({ tools: [tool(`t${read}`)], nextCursor: 'again' }), settings)
    await rig.upstream.tools.seen()
    expect(warnings).toEqual([expect.stringContaining('leads back to itself')])
  })

  it('and nothing is read for settings that name no tools', async () => {
    const server = listing(() => ({ tools: [tool('a')] }))
    await rig.upstream.gatewayConversation()
    await rig.upstream.tools.checkSettings()
    expect([server.read(), warnings]).toEqual([0, []])
  })
})

describe('G names of tools that some clients alone are shown', () => {
  it('count until such a list is read again after a change', async () => {
    listing(() => ({ tools: [tool('common')] }))
    const { tools } = rig.upstream
    await tools.seen()
    tools.note(['own'])
    tools.note(['other'])
    const known = (): boolean[] => ['common', 'own', 'other', 'none'].map((name) => tools.has(name))
    expect(known()).toEqual([true, true, true, false])
    const { generation } = tools
    rig.upstream.listChanged('tools')
    expect(tools.generation).not.toBe(generation)
    expect([tools.isComplete, ...known()]).toEqual([false, false, true, true, false])
    tools.note(['other'])
    await tools.seen()
    expect([tools.isComplete, ...known()]).toEqual([true, true, false, true, false])
  })
})
