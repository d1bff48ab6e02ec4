/** The client over HTTP in the stateless era: news, arguments in headers, and what is left behind. */
import { afterEach, describe, expect, it } from 'vitest'
import type { ConnectOptions } from '../../src/client.ts'
import { connect, serveHttp } from '../../src/node.ts'
import { createServer, resource, tool } from '../../src/server.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const region = (name: string) =>
  tool(
    name,
    {
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        required: ['region'],
      } as const,
    },
    (args) => `in ${(args as { region: string }).region}`,
  )

async function begin(options: ConnectOptions = {}) {
  const server = createServer({ name: 's', version: '1' }).add(
    region('where'),
    resource('a://x', { name: 'x' }, () => 'text'),
    resource('a://y', { name: 'y' }, () => 'text'),
  )
  const site = await serveHttp(server, { port: 0 })
  ends.push(() => site.close({ drain: 0 }))
  const sent: Record<string, unknown>[] = []
  const client = await connect(site.url, {
    ...options,
    tap: (direction, frame) => direction === 'sent' && sent.push(JSON.parse(frame) as Record<string, unknown>),
  })
  ends.push(() => client.close())
  return { server, site, client, methods: () => sent.map(({ method }) => method) }
}

/** Resolves with what was heard once there is enough of it. */
function hearing(count: number) {
  const heard: string[] = []
  let enough = () => {}
  const all = new Promise<string[]>((resolve) => {
    enough = () => resolve(heard)
  })
  return { all, hear: (what: string) => heard.push(what) === count && enough() }
}

describe('F9 over HTTP', () => {
  it('D-19 one stream tells of resources and lists, and is replaced when more is wanted', async () => {
    const { server, client, methods } = await begin()
    expect(client.version).toBe('2026-07-28')
    const first = hearing(1)
    const x = await client.subscribe('a://x', (uri) => first.hear(uri))
    server.updated('a://x')
    expect(await first.all).toEqual(['a://x'])
    const both = hearing(2)
    client.onListChanged('tools', () => both.hear('tools'))
    await client.subscribe('a://y', (uri) => both.hear(uri))
    server.updated('a://y')
    server.add(region('elsewhere'))
    expect((await both.all).sort()).toEqual(['a://y', 'tools'])
    expect(methods().filter((method) => method === 'subscriptions/listen')).toHaveLength(2)
    await x.unsubscribe()
    expect(methods()).not.toContain('notifications/cancelled')
  })

  it('L6 a stream that broke with its server comes back with it, and what was missed is made up for', async () => {
    const { server, site, client } = await begin({ reconnect: { delays: [10] } })
    const twice = hearing(2)
    await client.subscribe('a://x', (uri) => twice.hear(uri))
    await site.close({ drain: 0 })
    const again = await serveHttp(server, { port: Number(new URL(site.url).port) })
    ends.splice(1, 0, () => again.close({ drain: 0 }))
    await client.subscribe('a://y', () => {})
    server.updated('a://x')
    expect(await twice.all).toEqual(['a://x', 'a://x'])
    expect(client.state).toBe('connected')
  })

  it('D-60 a call of a tool nobody has listed learns what belongs into headers', async () => {
    const { client, methods } = await begin()
    const { text } = await client.call('where', { region: 'Übersee' })
    expect(text).toBe('in Übersee')
    expect(methods().slice(-3)).toEqual(['tools/call', 'tools/list', 'tools/call'])
    await client.call('where', { region: 'eu' })
    expect(methods().slice(-1)).toEqual(['tools/call'])
  })
})
