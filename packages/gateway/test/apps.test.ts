/**
 * MCP Apps through the gateway, between the official packages: a host with pages on one side, servers with the same
 * page URI on the other.
 */
import { fileURLToPath } from 'node:url'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { App } from '@modelcontextprotocol/ext-apps'
import { AppBridge, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge'
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allGone, Running, type RunningGateway, started } from './running.fixtures.ts'

const SERVER = fileURLToPath(new URL('./fixtures/app-server.mjs', import.meta.url))
const UI = { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } }
/** How the official client begins, and the version it comes to here. */
const CLIENTS = { '2025-11-25': 'legacy', '2026-07-28': 'auto' } as const
type Version = keyof typeof CLIENTS

const textOf = (result: unknown): string => (result as { content: [{ text: string }] }).content[0].text

describe.each(['legacy', 'modern'] as const)('MCP Apps with servers of the official SDK (%s)', (era) => {
  const running = new Running()
  const clients: Client[] = []
  let gateway: RunningGateway

  beforeAll(async () => {
    const member = (name: string): Record<string, unknown> => ({ args: [SERVER, name, era] })
    gateway = await running.gateway({ a: member('a'), b: member('b') })
    await started(running, 2)
  }, 60_000)

  afterAll(async () => {
    for (const client of clients) await client.close()
    gateway.child.kill('SIGTERM')
    expect(await gateway.ended).toBe(0)
    await allGone(running.mark)
    await running.clear()
  }, 60_000)

  async function connected(version: Version, path: string, extensions?: typeof UI): Promise<Client> {
    const client = new Client(
      { name: 'host', version: '1' },
      { capabilities: extensions ? { extensions } : {}, versionNegotiation: { mode: CLIENTS[version] } },
    )
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}${path}`)))
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    clients.push(client)
    return client
  }

  /** A page in the host, as the official packages connect them. */
  async function pageOf(client: Client): Promise<App> {
    const [host, page] = InMemoryTransport.createLinkedPair()
    const bridge = new AppBridge(client, { name: 'host', version: '1' }, { serverTools: {}, serverResources: {} })
    const app = new App({ name: 'page', version: '1' }, {}, { autoResize: false })
    await bridge.connect(host)
    await app.connect(page)
    return app
  }

  describe.each(Object.keys(CLIENTS) as Version[])('and a host of %s', (version) => {
    it('each tool shows the page of its own server, in lists and in results', async () => {
      const client = await connected(version, '/mcp', UI)
      expect(client.getServerCapabilities()?.extensions).toHaveProperty([EXTENSION_ID])
      const { tools } = await client.listTools()
      const { resources } = await client.listResources()
      expect(tools.map(({ name }) => name).sort()).toEqual(['a__refresh_a', 'a__show', 'b__refresh_b', 'b__show'])
      const pages = new Set<string>()
      for (const tool of tools) {
        const server = tool.name.slice(0, 1)
        const uri = getToolUiResourceUri(tool) ?? 'none'
        pages.add(uri)
        expect(tool._meta?.['ui/resourceUri']).toBe(uri)
        const { contents } = await client.readResource({ uri })
        expect(contents).toMatchObject([{ uri, mimeType: RESOURCE_MIME_TYPE, text: `<h1>page of ${server}</h1>` }])
        const result = await client.callTool({ name: tool.name })
        expect(textOf(result)).toMatch(new RegExp(`^(shown|refreshed) of ${server} for ${RESOURCE_MIME_TYPE}$`))
        expect(getToolUiResourceUri({ _meta: result._meta } as never)).toBe(uri)
        expect(result.content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri }))
      }
      expect(
        resources
          .map(({ uri }) => uri)
          .filter((uri) => uri.startsWith('ui://'))
          .sort(),
      ).toEqual([...pages].sort())
    }, 60_000)

    it('a page calls tools of its server by their own names where they are clear', async () => {
      const app = await pageOf(await connected(version, '/mcp', UI))
      for (const server of ['a', 'b'])
        expect(textOf(await app.callServerTool({ name: `refresh_${server}` }))).toContain(`refreshed of ${server} `)
      await expect(app.callServerTool({ name: 'show' })).rejects.toThrow(/a__show, b__show/)
      const read = await app.readServerResource({ uri: 'ui://b+app/index.html' })
      expect(read.contents).toMatchObject([{ text: '<h1>page of b</h1>' }])
    }, 60_000)

    it('names and URIs at the address of one server are its own, and it hears what the host declares', async () => {
      const client = await connected(version, '/servers/b/mcp', UI)
      const { tools } = await client.listTools()
      expect(tools.map((tool) => [tool.name, getToolUiResourceUri(tool)]).sort()).toEqual([
        ['refresh_b', 'ui://app/index.html'],
        ['show', 'ui://app/index.html'],
      ])
      expect(textOf(await client.callTool({ name: 'show' }))).toBe(`shown of b for ${RESOURCE_MIME_TYPE}`)
    }, 60_000)

    it.each(['/mcp', '/servers/a/mcp'])(
      'a server hears of no pages from a client that draws none, at %s',
      async (path) => {
        const client = await connected(version, path)
        const { tools } = await client.listTools()
        const show = tools.find(({ name }) => name.endsWith('show'))
        if (era === 'legacy') expect(getToolUiResourceUri(show ?? {})).toBeUndefined()
        expect(textOf(await client.callTool({ name: String(show?.name) }))).toMatch(/ of a for nobody who draws$/)
      },
      60_000,
    )
  })
})
