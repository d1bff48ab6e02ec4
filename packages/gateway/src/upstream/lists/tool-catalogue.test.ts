/** How much of the list of tools of a server is read, and what is warned about. */
import type { Tool } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, scripted, text } from '../../addresses/server/peers.fixtures.ts'
import { ToolPins } from '../../catalogue/index.ts'
import type { ServerConfig } from '../../config/index.ts'
import { toolDefaults } from '../../config/settings/defaults.ts'
import { type GatewayLog, silentLog } from '../../log/index.ts'

let rig: BridgeRig
let warnings: string[]
afterEach(() => rig.close())

const tool = (name: string, description = name): Tool => ({ name, description, inputSchema: { type: 'object' } })

/** `page`: called with the number of pages that were read before. */
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

describe('L4: a list of tools that never ends', () => {
  it('is read up to 32 MiB, and these tools are known', async () => {
    const large = 'x'.repeat(1024 * 1024)
    const server = listing((read) => ({ tools: [tool(`t${read}`, large)], nextCursor: `c${read}` }))
    await rig.upstream.tools.readOnce()
    expect(server.read()).toBe(32)
    const { tools } = rig.upstream
    expect([tools.original('t0')?.name, tools.original('t31')?.name]).toEqual(['t0', 't31'])
    expect(aboutLists()).toHaveLength(1)
    // Calls of unknown tools do not read the list again.
    await tools.readOnce()
    expect(await tools.headerParams('other')).toEqual([])
    expect(server.read()).toBe(32)
  })

  it('is read up to 10 000 tools', async () => {
    const many = (from: number): Tool[] => Array.from({ length: 3000 }, (_, index) => tool(`t${from + index}`))
    const server = listing((read) => ({ tools: many(read * 3000), nextCursor: `c${read}` }))
    await rig.upstream.tools.readOnce()
    expect(server.read()).toBe(4)
    expect([rig.upstream.tools.original('t9999')?.name, rig.upstream.tools.original('t10000')]).toEqual([
      't9999',
      undefined,
    ])
    expect(aboutLists()).toHaveLength(1)
  })

  it('is read once when a cursor repeats', async () => {
    const server = listing((read) => ({ tools: [tool(`t${read}`)], nextCursor: 'again' }))
    await rig.upstream.tools.readOnce()
    expect(server.read()).toBe(2)
    expect(aboutLists()).toEqual([expect.stringContaining('its pages repeat')])
  })

  it('is not read on when the server is removed', async () => {
    let last: Promise<void> = Promise.resolve()
    const server = listing((read) => {
      if (read === 3) last = rig.upstream.close()
      return { tools: [tool(`t${read}`)], nextCursor: `c${read}` }
    })
    await expect(rig.upstream.tools.readOnce()).rejects.toBeDefined()
    await last
    expect(server.read()).toBe(4)
  })

  it('does not fill the memory when clients read its pages', async () => {
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

it('a list in many pages is read to its end', async () => {
  const server = listing((read) => ({ tools: [tool(`t${read}`)], ...(read < 500 && { nextCursor: `c${read}` }) }))
  await rig.upstream.tools.readOnce()
  expect(server.read()).toBe(501)
  expect(rig.upstream.tools.original('t500')).toBeDefined()
  expect(aboutLists()).toEqual([])
})

it.each(['block', 'report'] as const)(
  'the warning about a tool that differs from its pin (%s) says how to accept it',
  async (pin) => {
    listing((read) => ({ tools: [tool('one', read === 0 ? 'adds' : 'deletes')] }), { tools: { ...toolDefaults, pin } })
    const { tools } = rig.upstream
    tools.usePins(ToolPins.inMemory())
    await tools.readOnce()
    expect(warnings).toEqual([])
    await tools.readAgain()
    expect(warnings).toEqual([
      expect.stringMatching(
        /"one" of server "rig" is not the one that was pinned.*take its line .* out of the pins file.* and restart/,
      ),
    ])
  },
)

describe('G: settings that fit no tool are warned about once, with a suggestion', () => {
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

  it('as soon as the server is reached, after all pages of its list', async () => {
    listing((read) => (read % 2 === 0 ? first : second), settings)
    await rig.upstream.gatewayConversation()
    await vi.waitFor(() => expect(warnings).toEqual(strays))
    rig.upstream.listChanged('tools')
    await rig.upstream.tools.readOnce()
    expect(warnings).toEqual(strays)
  })

  it('but not after a part of a list', async () => {
    listing((read) => ({ tools: [tool(`t${read}`)], nextCursor: 'again' }), settings)
    await rig.upstream.tools.readOnce()
    expect(warnings).toEqual([expect.stringContaining('its pages repeat')])
  })

  it('and no list is read for settings that name no tools', async () => {
    const server = listing(() => ({ tools: [tool('a')] }))
    await rig.upstream.gatewayConversation()
    await rig.upstream.tools.checkSettings()
    expect([server.read(), warnings]).toEqual([0, []])
  })
})

describe('G: names of tools that only some clients see', () => {
  it('count until such a list is read again after a change', async () => {
    listing(() => ({ tools: [tool('common')] }))
    const { tools } = rig.upstream
    await tools.readOnce()
    tools.noteShownToSome(['own'])
    tools.noteShownToSome(['other'])
    const known = (): boolean[] => ['common', 'own', 'other', 'none'].map((name) => tools.has(name))
    expect(known()).toEqual([true, true, true, false])
    const { generation } = tools
    rig.upstream.listChanged('tools')
    expect(tools.generation).not.toBe(generation)
    expect([tools.isComplete, ...known()]).toEqual([false, false, true, true, false])
    tools.noteShownToSome(['other'])
    await tools.readOnce()
    expect([tools.isComplete, ...known()]).toEqual([true, true, false, true, false])
  })
})
