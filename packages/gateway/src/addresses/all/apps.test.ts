/** G: pages of MCP Apps of several servers at one address. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import { fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { serverDefaults } from '../../config/index.ts'
import { type ScriptedServer, scripted } from '../server/peers.fixtures.ts'
import { AggregateRig, type RigServer } from './aggregate.fixtures.ts'

const PAGE = 'ui://app/index.html'
const CLIENTS: readonly ProtocolVersion[] = ['2025-06-18', '2025-11-25', '2026-07-28']
const SERVERS: readonly ProtocolVersion[] = ['2025-11-25', '2026-07-28']
let rig: AggregateRig
afterEach(() => rig.close())

interface Shown {
  readonly listed?: readonly string[]
  readonly templates?: readonly string[]
  readonly tools?: readonly string[]
}

/** Its tools show the same page as those of any other, and all it says names it. */
function appServer(
  self: string,
  version: ProtocolVersion,
  { listed = [PAGE], templates = [], tools = ['show', `refresh_${self}`] }: Shown = {},
): ScriptedServer {
  const meta = { ui: { resourceUri: PAGE }, 'ui/resourceUri': PAGE }
  return scripted({
    version,
    answer: ({ method, params }): Body => {
      switch (method) {
        case 'tools/list':
          return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' }, _meta: meta })) }
        case 'resources/list':
          return { resources: listed.map((uri) => ({ uri, name: self, mimeType: 'text/html;profile=mcp-app' })) }
        case 'resources/templates/list':
          return { resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: self })) }
        case 'resources/read':
          return {
            contents: [{ uri: String(params['uri']), text: `page of ${self}`, _meta: { ui: { prefersBorder: true } } }],
          }
        default:
          return {
            content: [
              { type: 'text', text: `${String(params['name'])} of ${self}` },
              { type: 'resource_link', uri: PAGE, name: 'page' },
              { type: 'resource', resource: { uri: PAGE, text: `embedded by ${self}` }, _meta: meta },
            ],
            _meta: meta,
          }
      }
    },
  })
}

function rigOf(members: Readonly<Record<string, RigServer>>, clock?: ReturnType<typeof fakeClock>): AggregateRig {
  rig = new AggregateRig(members, clock && { clock })
  return rig
}

const both = (version: ProtocolVersion, shown?: Shown): AggregateRig =>
  rigOf({
    a: { server: appServer('a', version, shown), version },
    b: { server: appServer('b', version, shown), version },
  })

const pairs = CLIENTS.flatMap((client) => SERVERS.map((server) => [client, server] as const))

describe.each(pairs)('G pages of two servers with one URI, for a client of %s and servers of %s', (version, spoken) => {
  it('each tool shows the page of its own server, in lists and in results', async () => {
    const client = await both(spoken).connect({ version })
    const listed = (await client.resources()).map(({ uri }) => uri).filter((uri) => uri.startsWith('ui:'))
    expect(listed).toEqual(['ui://a+app/index.html', 'ui://b+app/index.html'])
    for (const tool of await client.tools()) {
      const server = tool.name.slice(0, 1)
      const own = `ui://${server}+app/index.html`
      expect(tool._meta).toEqual({ ui: { resourceUri: own }, 'ui/resourceUri': own })
      const { contents } = await client.read(own)
      expect(contents).toEqual([{ uri: own, text: `page of ${server}`, _meta: { ui: { prefersBorder: true } } }])
      const { _meta, content } = await client.request('tools/call', { name: tool.name })
      expect(_meta).toMatchObject({ ui: { resourceUri: own }, 'ui/resourceUri': own })
      const [, second, third] = content as Body[]
      expect(JSON.stringify(second)).toContain(own)
      expect(third).toMatchObject({ resource: { uri: own }, _meta: { ui: { resourceUri: own } } })
    }
  })

  it('a page that no list has is shown by its own server all the same', async () => {
    const client = await rigOf({
      a: { server: appServer('a', spoken, { listed: [] }), version: spoken },
      b: { server: appServer('b', spoken), version: spoken },
    }).connect({ version })
    const [tool] = await client.tools()
    expect(tool?._meta).toMatchObject({ ui: { resourceUri: 'ui://a+app/index.html' } })
    expect(await client.read('ui://a+app/index.html')).toMatchObject({ contents: [{ text: 'page of a' }] })
  })

  it('a tool is called by its own name where one server has it, and refused with the candidates where several do', async () => {
    const client = await both(spoken).connect({ version })
    expect((await client.call('refresh_b')).text).toBe('refresh_b of b')
    expect((await client.call('refresh_a')).text).toBe('refresh_a of a')
    await expect(client.call('show')).rejects.toMatchObject({
      receivedCode: -32602,
      message: expect.stringMatching(/a__show, b__show$/),
    })
    await expect(client.call('refresh_c')).rejects.toMatchObject({
      receivedCode: -32602,
      message: expect.stringContaining('Unknown tool: refresh_c'),
    })
  })
})

describe('G the page of one server', () => {
  it('is found by its own URI while no other server has one like it', async () => {
    const only = { listed: ['ui://only/here.html'] }
    const client = await rigOf({
      a: { server: appServer('a', '2025-11-25'), version: '2025-11-25' },
      b: { server: appServer('b', '2025-11-25', only), version: '2025-11-25' },
    }).connect()
    expect(await client.read('ui://only/here.html')).toMatchObject({
      contents: [{ uri: 'ui://only/here.html', text: 'page of b' }],
    })
    await expect(client.read('ui://none/here.html')).rejects.toThrow('no server here lists it')
  })

  it('is refused by its own URI with the candidates where several have it', async () => {
    const client = await both('2025-11-25').connect()
    await expect(client.read(PAGE)).rejects.toThrow('ask for ui://a+app/index.html or ui://b+app/index.html')
    await client.resources()
    await expect(client.read(PAGE)).rejects.toThrow('ask for ui://a+app/index.html or ui://b+app/index.html')
  })

  it('has a template that leads to it once it is filled in', async () => {
    const client = await both('2025-11-25', { templates: ['ui://app/{page}'] }).connect()
    const templates = (await client.templates()).map(({ uriTemplate }) => uriTemplate)
    expect(templates).toEqual(['ui://a+app/{page}', 'ui://b+app/{page}'])
    expect(await client.read('ui://b+app/7')).toMatchObject({ contents: [{ uri: 'ui://b+app/7', text: 'page of b' }] })
  })

  it.each(['2025-11-25', '2026-07-28'] as const)('is followed by the URI it is shown with: %s', async (version) => {
    const server = appServer('b', '2025-11-25')
    const client = await rigOf({
      a: { server: appServer('a', '2025-11-25'), version: '2025-11-25' },
      b: { server, version: '2025-11-25' },
    }).connect({ version })
    const updated: string[] = []
    await client.subscribe('ui://b+app/index.html', (uri) => updated.push(uri))
    expect(
      server.told.filter(({ method }) => method === 'resources/subscribe').map(({ params }) => params['uri']),
    ).toEqual([PAGE])
    for (const session of server.sessions) session.notify('notifications/resources/updated', { uri: PAGE })
    await expect.poll(() => updated.includes('ui://b+app/index.html')).toBe(true)
    expect(new Set(updated)).toEqual(new Set(['ui://b+app/index.html']))
  })
})

describe('G a tool that is called by its own name', () => {
  const hiding = (tools: Partial<ReturnType<typeof serverDefaults>['tools']>) => ({
    tools: {
      ...serverDefaults('x', { kind: 'command', command: '', args: [], env: {}, cwd: undefined }).tools,
      ...tools,
    },
  })

  it('is not one that is hidden: neither found, nor a second candidate', async () => {
    const client = await rigOf({
      a: {
        server: appServer('a', '2025-11-25'),
        version: '2025-11-25',
        config: hiding({ deny: ['show', 'refresh_a'] }),
      },
      b: { server: appServer('b', '2025-11-25'), version: '2025-11-25' },
    }).connect()
    expect((await client.call('show')).text).toBe('show of b')
    await expect(client.call('refresh_a')).rejects.toThrow('Unknown tool: refresh_a')
  })

  it('has the name that clients see when it is renamed', async () => {
    const client = await rigOf({
      a: {
        server: appServer('a', '2025-11-25'),
        version: '2025-11-25',
        config: hiding({ rename: { show: 'display' } }),
      },
      b: { server: appServer('b', '2025-11-25'), version: '2025-11-25' },
    }).connect()
    expect((await client.call('display')).text).toBe('show of a')
    expect((await client.call('show')).text).toBe('show of b')
  })

  it('yields to a name that clients are shown', async () => {
    const client = await rigOf({
      a: { server: appServer('a', '2025-11-25'), version: '2025-11-25' },
      b: { server: appServer('b', '2025-11-25', { tools: ['a__show'] }), version: '2025-11-25' },
    }).connect()
    expect((await client.call('a__show')).text).toBe('show of a')
  })

  it('is ambiguous as soon as another server says that it has one, too', async () => {
    const tools = ['show']
    const server = appServer('b', '2025-11-25', { tools })
    const client = await rigOf({ a: { server: appServer('a', '2025-11-25') }, b: { server } }).connect({
      version: '2025-11-25',
    })
    expect((await client.call('refresh_a')).text).toBe('refresh_a of a')
    tools.push('refresh_a')
    for (const session of server.sessions) session.notify('notifications/tools/list_changed')
    await expect
      .poll(() => client.call('refresh_a').then(String, (error: Error) => error.message))
      .toMatch(/a__refresh_a, b__refresh_a/)
  })

  it('waits once for a server that never shows its tools', async () => {
    const clock = fakeClock()
    const silent = scripted({ version: '2025-11-25', answer: () => new Promise<Body>(() => {}) })
    rigOf({ a: { server: appServer('a', '2025-11-25') }, silent: { server: silent } }, clock)
    const raw = rig.raw()
    await raw.shakeHands('2025-11-25')
    const first = raw.request('tools/call', { name: 'refresh_a' })
    await flush()
    clock.advance(5000)
    expect((await first).result).toMatchObject({ content: [{ text: 'refresh_a of a' }, {}, {}] })
    expect((await raw.request('tools/call', { name: 'refresh_a' })).result).toMatchObject({
      content: [{ text: 'refresh_a of a' }, {}, {}],
    })
  })

  it.each(pairs)(
    'is found where a server has it for clients of an extension alone: %s, %s',
    async (version, spoken) => {
      const extensions = { 'io.modelcontextprotocol/ui': {} }
      const called: string[] = []
      const choosy = (self: string): ScriptedServer =>
        scripted({
          version: spoken,
          answer: ({ method, params, caller }): Body => {
            const { extensions: declared = {} } = caller.capabilities as { extensions?: Body }
            const names = 'io.modelcontextprotocol/ui' in declared ? ['show', `refresh_${self}`] : []
            if (method === 'tools/list')
              return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }
            called.push(`${String(params['name'])} of ${self}`)
            return { content: [{ type: 'text', text: called.at(-1) }] }
          },
        })
      rigOf({ a: { server: choosy('a') }, b: { server: choosy('b') } })
      const client = await rig.connect({ version, extensions })
      expect((await client.call('refresh_b')).text).toBe('refresh_b of b')
      await expect(client.call('show')).rejects.toThrow(/a__show, b__show$/)
      expect(called).toEqual(['refresh_b of b'])
      const other = await rig.connect({ version })
      expect(await other.tools()).toEqual([])
    },
  )
})
