/** Lists: all pages, one page, and servers whose lists never end. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { connect } from '../connect.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import { allPages } from './pages.ts'

const paged = (params: Body): Body => {
  const page = params['cursor'] === undefined ? 0 : Number(params['cursor'])
  return {
    tools: [{ name: `t${page}`, inputSchema: { type: 'object' } }],
    ...(page < 3 ? { nextCursor: String(page + 1) } : {}),
  }
}

describe('F7 pagination', () => {
  it('walks all pages in order', async () => {
    const server = rawServer({ answers: { 'tools/list': paged } })
    const tools = await (await connect(server.link)).tools()
    expect(tools.map((tool) => tool.name)).toEqual(['t0', 't1', 't2', 't3'])
    expect(server.of('tools/list').map((message) => message.params?.['cursor'])).toEqual([undefined, '1', '2', '3'])
  })

  it('leaves out tools that cannot be called, and reports them', async () => {
    const answer = { tools: [null, { name: 'a', inputSchema: { type: 'object' } }, 'tool', { name: 7 }, {}] }
    const told: string[] = []
    const client = await connect(rawServer({ answers: { 'tools/list': () => answer } }).link, {
      onError: (error) => told.push((error as Error).message),
    })
    expect(await client.tools()).toEqual([{ name: 'a', inputSchema: { type: 'object' } }])
    expect(told).toEqual([expect.stringContaining('a tool without "name" is left out of the list: it has no "name"')])
  })

  it('reads one page by its cursor', async () => {
    const client = await connect(rawServer({ answers: { 'tools/list': paged } }).link)
    const page = await client.listTools({ cursor: '2' })
    expect(page.tools.map((tool) => tool.name)).toEqual(['t2'])
    expect(page.nextCursor).toBe('3')
  })

  it('knows the lists of resources, templates and prompts', async () => {
    const server = rawServer({
      answers: {
        'resources/list': () => ({ resources: [{ uri: 'a:b', name: 'r' }] }),
        'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'a:{b}', name: 't' }] }),
        'prompts/list': () => ({ prompts: [{ name: 'p' }] }),
      },
    })
    const client = await connect(server.link)
    expect(await client.resources()).toEqual([{ uri: 'a:b', name: 'r' }])
    expect(await client.templates()).toEqual([{ uriTemplate: 'a:{b}', name: 't' }])
    expect(await client.prompts()).toEqual([{ name: 'p' }])
  })

  it('D-52 an empty cursor is a cursor', async () => {
    const answer = (params: Body): Body =>
      params['cursor'] === undefined ? { tools: [], nextCursor: '' } : { tools: [] }
    const server = rawServer({ answers: { 'tools/list': answer } })
    await (await connect(server.link)).tools()
    expect(server.of('tools/list').map((message) => message.params?.['cursor'])).toEqual([undefined, ''])
  })

  it('stops when a cursor comes twice', async () => {
    const server = rawServer({ answers: { 'prompts/list': () => ({ prompts: [], nextCursor: 'again' }) } })
    await expect((await connect(server.link)).prompts()).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: expect.stringContaining('same cursor twice'),
    })
    expect(server.of('prompts/list')).toHaveLength(2)
  })

  it('stops after the most pages it is willing to read', async () => {
    let page = 0
    const endless = allPages(
      'tools/list',
      async () => ({ nextCursor: String(page++) }),
      () => [],
      5,
    )
    await expect(endless).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: expect.stringContaining('more than 5 pages'),
    })
    expect(page).toBe(5)
  })

  it('leaves out one tool that is nested too deep, and reads the others', async () => {
    let schema: Record<string, unknown> = { type: 'object' }
    for (let level = 0; level < 100; level++) schema = { type: 'object', allOf: [schema] }
    const told: string[] = []
    const tools = [
      { name: 'deep', inputSchema: schema },
      { name: 'untyped', inputSchema: {} },
    ]
    const client = await connect(rawServer({ answers: { 'tools/list': () => ({ tools }) } }).link, {
      onError: (error) => told.push((error as Error).message),
    })
    for (let count = 0; count < 2; count++)
      expect(await client.tools()).toEqual([{ name: 'untyped', inputSchema: { type: 'object' } }])
    expect(told).toEqual(['tool "deep" is left out of the list: it is nested deeper than 120 levels'])
    expect(client.losses()[0]).toMatchObject({ rule: 'R-01', severity: 'w', path: 'tools[0]' })
  })

  it('reads a list that its server declares and does not know as an empty one', async () => {
    const unknown = () => ({ error: { code: -32601, message: 'Method not found' } })
    const answers = { 'resources/list': () => ({}), 'resources/templates/list': unknown, 'prompts/list': unknown }
    const client = await connect(rawServer({ answers }).link)
    expect([await client.resources(), await client.templates(), await client.prompts()]).toEqual([[], [], []])
  })

  it('refuses an answer without its list', async () => {
    const client = await connect(rawServer({ answers: { 'tools/list': () => ({}) } }).link)
    await expect(client.tools()).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: 'The answer to tools/list has no list of tools',
    })
  })

  it('gives every item of any split into pages exactly once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer(), { maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        async (pages) => {
          const all = await allPages(
            'x',
            async (cursor) => {
              const at = cursor === undefined ? 0 : Number(cursor)
              return { items: pages[at] ?? [], ...(at + 1 < pages.length ? { nextCursor: String(at + 1) } : {}) }
            },
            (page) => page.items,
          )
          expect(all).toEqual(pages.flat())
        },
      ),
    )
  })
})
