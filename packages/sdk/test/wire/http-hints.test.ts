import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type ServeSiteOptions, type SiteServing, serveSite } from '../../src/node.ts'
import { createServer, fetchHandler, tool } from '../../src/server.ts'
import { call, initialize } from './http-server.fixtures.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const server = () => createServer({ name: 'one', version: '1' }).add(tool('who', {}, () => 'one'))

async function site(options: ServeSiteOptions = {}): Promise<SiteServing> {
  const serving = await serveSite({ port: 0, onError: () => {}, ...options })
  closers.push(() => serving.close({ drain: 0 }))
  await serving.serve(server(), { sse: true, webSocket: true })
  return serving
}

const hint: NonNullable<ServeSiteOptions['hint']> = ({ method, path, header }, { status, message }) =>
  path === '/silent'
    ? undefined
    : { message: `${message} (hint)`, text: `${method} ${path} ${status} for ${header('x-who')}\n` }

const get = ({ port }: SiteServing, path: string, accept?: string, more: Record<string, string> = {}) =>
  call(port, { method: 'GET', path, headers: { accept, 'x-who': 'ann', ...more } })

/** What is turned away, and with which status, whatever the words. */
const TURNED_AWAY = [
  ['GET', '/elsewhere', 404],
  ['GET', '/mcp', 400],
  ['PUT', '/mcp', 405],
  ['POST', '/sse', 405],
  ['GET', '/messages', 405],
  ['POST', '/messages', 400],
  ['GET', '/ws', 426],
] as const

describe('words for who has come to the wrong place', () => {
  it.each(TURNED_AWAY)('are told to programs in the error, %s %s', async (method, path, status) => {
    const ask = async (serving: SiteServing) =>
      call(serving.port, { method, path, ...(method === 'POST' ? { body: {} } : {}) })
    const [plain, hinted] = [await ask(await site()), await ask(await site({ hint }))]
    expect([plain.status, hinted.status]).toEqual([status, status])
    expect(hinted.json.error).toEqual({ ...plain.json.error, message: `${plain.json.error?.message} (hint)` })
    expect([hinted.headers.allow, hinted.headers.upgrade]).toEqual([plain.headers.allow, plain.headers.upgrade])
  })

  it.each(TURNED_AWAY.filter(([method]) => method === 'GET'))(
    'are a text for people, %s %s',
    async (_, path, status) => {
      const seen = await get(await site({ hint }), path, BROWSER)
      expect([seen.status, seen.text]).toEqual([status, `GET ${path} ${status} for ann\n`])
      expect(seen.headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
    },
  )

  it.each([
    [BROWSER, 'text/plain'],
    ['text/html', 'text/plain'],
    ['text/plain, */*', 'text/plain'],
    ['application/json;q=0.5, text/plain', 'text/plain'],
    ['*/*', 'application/json'],
    ['text/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/event-stream, text/html', 'application/json'],
    ['text/html;q=0, */*', 'application/json'],
  ])('are for people who accept %s: %s', async (accept, type) => {
    expect((await get(await site({ hint }), '/elsewhere', accept)).headers['content-type']).toContain(type)
  })

  it('have a line of their own where the site has none', async () => {
    const words = 'Nothing is served at this path; the endpoint is /mcp'
    for (const serving of [await site(), await site({ hint })]) {
      expect((await get(serving, '/silent', BROWSER)).text).toBe(
        `This server is for MCP clients, not for browsers.\n${words}\n`,
      )
      expect((await get(serving, '/silent')).json.error?.message).toBe(words)
    }
  })

  it('are the same on other runtimes', async () => {
    const handler = fetchHandler(server(), { hint })
    closers.push(() => handler.close())
    const answer = await handler(
      new Request('http://localhost/elsewhere', { headers: { accept: BROWSER, 'x-who': 'ann' } }),
    )
    expect([answer.status, await answer.text()]).toEqual([404, 'GET /elsewhere 404 for ann\n'])
  })

  it('are told to who offers a WebSocket elsewhere, and cost nothing when they fail', async () => {
    const offer = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const words = 'Nothing is served at this path; WebSockets are taken at /ws'
    expect(await get(await site({ hint }), '/mcp', undefined, offer)).toMatchObject({
      status: 404,
      json: { error: { message: `${words} (hint)` } },
    })
    const told: unknown[] = []
    const broken = await site({
      hint: () => {
        throw new Error('broken')
      },
      onError: (error) => told.push((error as Error).message),
    })
    expect(await get(broken, '/mcp', undefined, offer)).toMatchObject({
      status: 404,
      json: { error: { message: words } },
    })
    expect((await get(broken, '/elsewhere')).status).toBe(500)
    expect(told).toEqual(['broken', 'broken'])
  })

  it('C-41 are not for strangers', async () => {
    const serving = await site({ hint })
    const strangers: Record<string, string>[] = [{ host: 'evil.example' }, { origin: 'https://evil.example' }]
    for (const path of ['/elsewhere', '/mcp', '/ws'])
      for (const stranger of strangers)
        expect(await get(serving, path, BROWSER, stranger)).toMatchObject({
          status: 403,
          text: expect.stringContaining('is not allowed'),
        })
  })

  it('are not in the way of clients', async () => {
    const { port } = await site({ hint })
    expect((await call(port, { body: initialize() })).status).toBe(200)
    expect(
      (await call(port, { method: 'GET', headers: { accept: BROWSER, 'mcp-session-id': 'unknown' } })).json.error
        ?.message,
    ).toContain('no such session')
  })
})

it('tells its owner, once, of clients that speak TLS where it is not spoken', async () => {
  const told: string[] = []
  const { port } = await site({ onError: (error) => told.push((error as Error).message) })
  for (let n = 0; n < 2; n++) {
    const socket = connectSocket(port, '127.0.0.1')
    socket.resume().write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]))
    await once(socket, 'close')
  }
  expect(told).toEqual(['A client speaks TLS to a port that does not: its address should begin with http:// or ws://'])
})
