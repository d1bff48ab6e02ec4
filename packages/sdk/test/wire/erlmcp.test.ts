/**
 * The dialect of erlmcp over a real connection: lists the server keeps as text are rewritten, too, and notices find
 * their stream.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, serveHttp, serveTcp, tcpLink } from '../../src/node.ts'
import { createServer, resource, tool } from '../../src/server.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const makeServer = () =>
  createServer({ name: 'shop', version: '1' }, { dialect: 'erlmcp', pageSize: 1, onError: () => {} }).add(
    tool(
      'pack',
      { input: z.object({ what: z.string() }), execution: { taskSupport: 'optional' } },
      ({ what }) => `${what}, packed`,
    ),
    tool('plain', {}, () => 'plain'),
    resource('file:///docs/readme.md', { name: 'readme' }, () => 'Read me'),
  )

describe.each(['http', 'tcp'] as const)('D the dialect over %s', (transport) => {
  it('a whole conversation', async () => {
    const server = makeServer()
    const served = transport === 'http' ? await serveHttp(server, { port: 0 }) : await serveTcp(server, { port: 0 })
    ends.push(() => served.close())
    await using client = await connect(served.url.startsWith('tcp:') ? () => tcpLink(served.url) : served.url, {
      dialect: 'erlmcp',
    })
    expect(client.version).toBe('2025-11-25')
    for (let round = 0; round < 2; round++)
      expect((await client.tools({ fresh: true })).map(({ name }) => name)).toEqual(['pack', 'plain'])
    expect((await (await client.callAsTask('pack', { what: 'tea' })).result()).value).toBe('tea, packed')
    await expect(client.read('file:///nope')).rejects.toMatchObject({ kind: 'resource_not_found', code: -32002 })
    const updated = new Promise<void>(
      (resolve) =>
        void client
          .subscribe('file:///docs/readme.md', () => resolve())
          .then(() => server.updated('file:///docs/readme.md')),
    )
    await updated
    expect(client.losses()).toEqual([])
  })
})

describe('D the same over HTTP, seen from outside', () => {
  it('has the words of the dialect', async () => {
    await using served = await serveHttp(makeServer(), { port: 0 })
    const post = (body: object, session?: string) =>
      fetch(served.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      })
    const opened = await post({
      id: 1,
      method: 'initialize',
      params: { capabilities: { tools: true }, clientInfo: { name: 'erl', version: '1' } },
    })
    const session = opened.headers.get('mcp-session-id') as string
    await opened.text()
    await post({ method: 'notifications/initialized' }, session)
    const list = await (await post({ id: 2, method: 'tools/list', params: { limit: 10 } }, session)).text()
    expect(list).toContain('"cursor":')
    expect(list).not.toContain('nextCursor')
    const missing = await (await post({ id: 3, method: 'tools/call', params: { name: 'nope' } }, session)).text()
    expect(missing).toContain('-32002')
  })
})
