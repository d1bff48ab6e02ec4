/** G: many servers with many tools, resources and pages behind one address. */
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it } from 'vitest'
import { scripted } from '../server/peers.fixtures.ts'
import { AggregateRig, type RigServer } from './aggregate.fixtures.ts'

const SERVERS = 200
const TOOLS = 50

let rig: AggregateRig
afterEach(() => rig.close())

const numbered = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

describe('G 200 servers with 50 tools each', () => {
  it('are listed in pages: each tool once, each server asked once, and each call finds its server', async () => {
    const asked = new Map<string, number>()
    const members = Object.fromEntries(
      numbered(SERVERS, 's').map((self): [string, RigServer] => {
        const tools = numbered(TOOLS, 't').map((name) => ({ name, inputSchema: { type: 'object' } }))
        const server = scripted({
          version: '2025-06-18',
          capabilities: { tools: {} },
          answer: ({ method, params }) => {
            asked.set(`${self} ${method}`, (asked.get(`${self} ${method}`) ?? 0) + 1)
            return method === 'tools/list'
              ? { tools }
              : { content: [{ type: 'text', text: `${self} ${String(params['name'])}` }] }
          },
        })
        return [self, { server }]
      }),
    )
    rig = new AggregateRig(members)
    const raw = rig.raw()
    await raw.shakeHands('2025-06-18')
    const names: string[] = []
    let pages = 0
    let cursor: string | undefined
    do {
      const { result } = await raw.request('tools/list', cursor === undefined ? {} : { cursor })
      const page = result as { tools: { name: string }[]; nextCursor?: string }
      names.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      pages++
    } while (cursor !== undefined)
    expect(names).toEqual(
      numbered(SERVERS, 's').flatMap((server) => numbered(TOOLS, 't').map((name) => `${server}__${name}`)),
    )
    expect(pages).toBe((SERVERS * TOOLS) / 200)
    // What the first page began is not asked for again.
    expect(Math.max(...numbered(SERVERS, 's').map((self) => asked.get(`${self} tools/list`) ?? 0))).toBe(1)
    for (const server of ['s0', 's77', 's199']) {
      const { result } = await raw.request('tools/call', { name: `${server}__t49`, arguments: {} })
      expect(result).toMatchObject({ content: [{ text: `${server} t49` }] })
    }
  })
})

describe('G one server with many pages', () => {
  it('each page costs its own items: 20 000 resources in 400 pages', async () => {
    const PAGES = 400
    const SIZE = 50
    const server = scripted({
      version: '2025-06-18',
      capabilities: { resources: {} },
      answer: ({ method, params }) => {
        if (method === 'resources/templates/list') return { resourceTemplates: [] }
        if (method !== 'resources/list') return { contents: [{ uri: String(params['uri']), text: 'read' }] }
        const page = Number(params['cursor'] ?? 0)
        const resources = numbered(SIZE, '').map((at) => ({ uri: `note://${page}/${at}`, name: at }))
        return page + 1 < PAGES ? { resources, nextCursor: String(page + 1) } : { resources }
      },
    })
    rig = new AggregateRig({ many: { server } })
    const client = await rig.connect({ version: '2025-06-18' })
    const resources = await client.resources()
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(1 + PAGES * SIZE)
    expect((await client.read(`note://${PAGES - 1}/7`)).contents).toMatchObject([{ text: 'read' }])
  })
})

describe('G names', () => {
  it('too long or odd ones are shortened to 64 characters and lead back, also for a client that has not read the list', async () => {
    const long = 'x'.repeat(80)
    const odd = createServer({ name: 'odd', version: '1' }).add(tool(long, {}, () => 'long'))
    rig = new AggregateRig({ [`s${'o'.repeat(40)}`]: { server: odd } })
    const client = await rig.connect()
    const [name = ''] = (await client.tools()).map((each) => each.name)
    expect(name.length).toBeLessThanOrEqual(64)
    await rig.close()
    rig = new AggregateRig({ [`s${'o'.repeat(40)}`]: { server: odd } })
    const other = await rig.connect()
    expect((await other.call(name)).text).toBe('long')
  })
})
