/** Tools of one server as its clients see them: chosen, renamed and pinned, whatever is asked and however. */
import { type ProtocolVersion, versions } from 'parley-mcp'
import type { Body, EngineRequestOptions, Link, LinkEvents } from 'parley-mcp/engine'
import { flush } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { REPORT_KEY } from '../../calls/report.ts'
import { ToolPins } from '../../catalogue/index.ts'
import type { ServerConfig, ToolSettings } from '../../config/index.ts'
import { toolDefaults } from '../../config/settings/defaults.ts'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { RawClient, type RawMessage, type ScriptedServer, scripted, text, textOf } from './peers.fixtures.ts'

let rig: BridgeRig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

/** Lists its tools in pages of one; says which one was called. */
function serverOf(version: ProtocolVersion, tools: Body[]): ScriptedServer {
  return scripted({
    version,
    answer: ({ method, params }) => {
      if (method !== 'tools/list') return text(String(params['name']))
      const at = Number(params['cursor'] ?? 0)
      return { tools: tools.slice(at, at + 1), ...(at + 1 < tools.length && { nextCursor: String(at + 1) }) }
    },
  })
}

const tool = (name: string, description = name): Body => ({ name, description, inputSchema: { type: 'object' } })
const settings = (more: Partial<ToolSettings>): Partial<ServerConfig> => ({ tools: { ...toolDefaults, ...more } })

type Ask = (method: string, params?: Body) => Promise<RawMessage>

async function clientOf(
  server: ScriptedServer,
  version: ProtocolVersion,
  more: Partial<ServerConfig>,
): Promise<{ ask: Ask; raw: RawClient }> {
  rig = bridgeTo(server, undefined, more)
  const raw = new RawClient(rig.address)
  if (version === '2026-07-28') return { raw, ask: (method, params) => raw.ask(method, params) }
  await raw.shakeHands(version)
  return { raw, ask: (method, params) => raw.request(method, params) }
}

async function listed(ask: Ask, meta: Body = {}): Promise<string[]> {
  const names: string[] = []
  let cursor: unknown
  do {
    const { result } = await ask('tools/list', { ...(cursor !== undefined && { cursor }), _meta: meta })
    names.push(...(result as { tools: { name: string }[] }).tools.map(({ name }) => name))
    cursor = result?.['nextCursor']
  } while (cursor !== undefined)
  return names
}

const pairs = versions.flatMap((client) => versions.map((server) => ({ client, server })))

describe.each(pairs)('G3 a client of $client and a server of $server', ({ client: version, server }) => {
  const chosen = settings({ deny: ['secret*'], rename: { two: 'zwei' } })
  const tools = [tool('one'), tool('two'), tool('secretOne')]

  it('sees what was chosen, by the names that were chosen, and can call nothing else', async () => {
    const { ask } = await clientOf(serverOf(server, tools), version, chosen)
    expect(await listed(ask)).toEqual(['one', 'zwei'])
    expect(textOf(await ask('tools/call', { name: 'zwei', arguments: {} }))).toBe('two')
    for (const name of ['secretOne', 'two'])
      expect((await ask('tools/call', { name, arguments: {} })).error).toMatchObject({ code: -32602 })
  })

  it('also when it asks what translation has lost (X2)', async () => {
    const { ask } = await clientOf(serverOf(server, tools), version, chosen)
    expect(await listed(ask, { [REPORT_KEY]: true })).toEqual(['one', 'zwei'])
  })

  it('does not see a tool whose definition is not the one that was pinned', async () => {
    const definitions = [tool('one'), tool('two')]
    const { ask } = await clientOf(serverOf(server, definitions), version, settings({ pin: 'block' }))
    ;(rig as BridgeRig).upstream.tools.usePins(ToolPins.inMemory())
    expect(await listed(ask)).toEqual(['one', 'two'])
    definitions[1] = tool('two', 'does something else now')
    ;(rig as BridgeRig).upstream.tools.forget()
    expect(await listed(ask)).toEqual(['one'])
    expect((await ask('tools/call', { name: 'two', arguments: {} })).error).toBeDefined()
    expect(textOf(await ask('tools/call', { name: 'one', arguments: {} }))).toBe('one')
  })
})

describe('G3 a definition that says two things at once', () => {
  const twofold = (link: Link): Link => {
    const open = link.open.bind(link)
    const told = (frame: string) =>
      frame.replaceAll('"description":"seen"', '"description":"unseen","description":"seen"')
    link.open = (events: LinkEvents) =>
      open({ ...events, frame: (frame, _, origin) => events.frame(told(frame), undefined, origin) })
    return link
  }

  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-11-25'],
    ['2025-11-25', '2026-07-28'],
    ['2026-07-28', '2025-11-25'],
    ['2026-07-28', '2026-07-28'],
  ] as const)('a client of %s is shown what was pinned of it, by a server of %s', async (spoken, version) => {
    rig = bridgeTo(serverOf(version, [tool('one', 'seen')]), undefined, settings({ pin: 'block' }), { wrap: twofold })
    rig.upstream.tools.usePins(ToolPins.inMemory())
    const client = await rig.connect({ versions: [spoken] })
    let told = ''
    const onText = (json: string): void => {
      told = json
    }
    const options: EngineRequestOptions = { onText }
    await client.request('tools/list', {}, options)
    await client.close()
    expect(told).toContain('"description":"seen"')
    expect(told).not.toContain('unseen')
  })
})

describe('what is known of tools', () => {
  it('covers later pages although clients have only read the first', async () => {
    const required: Body = { ...tool('slow'), execution: { taskSupport: 'required' } }
    const server = scripted({
      version: '2025-11-25',
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      answer: ({ method, params }) => {
        if (method === 'tools/list')
          return params['cursor'] === undefined ? { tools: [tool('one')], nextCursor: '1' } : { tools: [required] }
        if (method === 'tasks/result') return text('as a task')
        const now = new Date(0).toISOString()
        return params['task'] === undefined
          ? text('not as a task')
          : { task: { taskId: 't', status: 'completed', createdAt: now, lastUpdatedAt: now, ttl: null } }
      },
    })
    const { ask } = await clientOf(server, '2026-07-28', {})
    await ask('tools/list')
    expect(textOf(await ask('tools/call', { name: 'slow', arguments: {} }))).toBe('as a task')
  })

  it('is forgotten when the list changes, also while it is being read', async () => {
    let read = 0
    const server = scripted({
      version: '2025-11-25',
      answer: ({ method, session }) => {
        if (method !== 'tools/list') return text('done')
        if (read++ === 0) session.notify('notifications/tools/list_changed')
        return { tools: [tool(read === 1 ? 'before' : 'after')] }
      },
    })
    await clientOf(server, '2026-07-28', settings({ deny: ['x'] }))
    const { tools } = (rig as BridgeRig).upstream
    await tools.readOnce()
    await flush()
    await tools.readOnce()
    expect([tools.definition('before'), tools.definition('after')?.name]).toEqual([undefined, 'after'])
  })
})
