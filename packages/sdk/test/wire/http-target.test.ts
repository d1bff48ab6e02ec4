/** What a request says of where it goes, and of the form its body has. */
import { afterEach, describe, expect, it } from 'vitest'
import { hangUpAll, type RawRequest, Wire } from './http-fast.fixtures.ts'
import { initialize, serve, stopAll } from './http-server.fixtures.ts'

afterEach(async () => {
  hangUpAll()
  await stopAll()
})

const body = initialize()
const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
}

describe.each([false, true])('T requests to a server, fastHttp: %s', (fastHttp) => {
  async function status(request: (port: number) => RawRequest): Promise<number> {
    const { port } = await serve({ fastHttp, sse: true, webSocket: true, healthPath: '/health' })
    const wire = await Wire.open(port)
    return (await wire.ask(request(port))).status
  }

  it.each([
    ['one that may not come in second', '127.0.0.1', 'evil.example'],
    ['one that may not come in first', 'evil.example', '127.0.0.1'],
    ['the same one', '127.0.0.1', '127.0.0.1'],
  ])('C-41 names two hosts, %s: 400', async (_, host, Host) => {
    const headers = { host, Host }
    expect(await status(() => ({ headers, body }))).toBe(400)
    expect(await status(() => ({ method: 'GET', path: '/health', headers }))).toBe(400)
    expect(await status(() => ({ method: 'GET', path: '/ws', headers: { ...headers, ...upgrade } }))).toBe(400)
    expect(await status(() => ({ method: 'GET', path: '/nowhere', headers: { ...headers, ...upgrade } }))).toBe(400)
  })

  it.each([
    ['is served', 'http://127.0.0.1:PORT/mcp', '127.0.0.1:PORT', 200],
    ['is served with a query', 'HTTP://localhost/mcp?a=/b', 'localhost', 200],
    ['is served where it names another allowed host than the header', 'http://localhost/mcp', '127.0.0.1', 200],
    ['is looked up by its path', 'http://localhost/other', 'localhost', 404],
    ['has a path without saying so', 'http://localhost?a', 'localhost', 404],
    ['names somebody else', 'http://evil.example/mcp', '127.0.0.1', 403],
    ['names somebody else as a user', 'http://127.0.0.1@evil.example/mcp', '127.0.0.1', 403],
    ['comes with the host of somebody else', 'http://127.0.0.1/mcp', 'evil.example', 403],
  ])('C-41 a target in absolute form %s: %s, host %s', async (_, path, host, expected) => {
    expect(
      await status((port) => ({
        path: path.replace('PORT', `${port}`),
        headers: { host: host.replace('PORT', `${port}`) },
        body,
      })),
    ).toBe(expected)
  })

  it.each([
    ['http://localhost/ws', 101],
    ['http://evil.example/ws', 403],
  ])('C-41 a WebSocket is asked for in absolute form: %s', async (path, expected) => {
    expect(await status(() => ({ method: 'GET', path, headers: upgrade }))).toBe(expected)
  })

  it.each([
    ['gzip', 415],
    ['br, gzip', 415],
    ['identity', 200],
    ['Identity', 200],
  ])('a body that is said to be %s: %i', async (coding, expected) => {
    expect(await status(() => ({ headers: { 'content-encoding': coding }, body }))).toBe(expected)
    if (expected === 415)
      expect(
        await status(() => ({ path: '/messages?sessionId=x', headers: { 'content-encoding': coding }, body })),
      ).toBe(415)
  })
})
