import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type Client, type ConnectOptions, connect } from '../../src/client.ts'
import { serveHttp, serveWebSocket, type WebSocketHandle, webSocketTo } from '../../src/node.ts'
import { createServer, tool } from '../../src/server.ts'
import { certificate } from './certificate.fixtures.ts'

/** Machines can be busy. */
const SOON = { timeout: 10_000 }

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

let release: () => void = () => {}
const begun: string[] = []

function demo(options: Parameters<typeof createServer>[1] = {}) {
  begun.length = 0
  return createServer({ name: 'demo', version: '1.0.0' }, options).add(
    tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } as const }, ({ text }) =>
      String(text),
    ),
    tool('wait', {}, (_, ctx) => {
      begun.push('wait')
      return new Promise<string>((resolve) => {
        release = () => resolve('released')
        ctx.signal.addEventListener('abort', () => begun.push('aborted'))
      })
    }),
  )
}

async function served(options: Parameters<typeof serveWebSocket>[1] = {}, server = demo()): Promise<WebSocketHandle> {
  const handle = await serveWebSocket(server, { port: 0, ...options })
  closers.push(() => handle.close({ drain: 0 }))
  return handle
}

async function client(url: string, options: ConnectOptions = {}): Promise<Client> {
  const made = await connect(await webSocketTo(url), { keepAlive: false, ...options })
  closers.push(() => made.close())
  return made
}

/** A WebSocket without the SDK. */
async function raw(
  url: string,
  protocols: string | string[] = 'mcp',
  options: object = {},
): Promise<{ socket: WebSocket; messages: string[] }> {
  const socket = new WebSocket(url, protocols, options)
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  socket.on('error', () => {})
  closers.push(() => socket.terminate())
  await once(socket, 'open')
  return { socket, messages }
}

/** The status with which a handshake is refused, and the words. */
function refusal(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const handshake = request(url.replace(/^ws/, 'http'), {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    })
    handshake.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve({ status: 101, body: '' })
    })
    handshake.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
    })
    handshake.on('error', reject)
    handshake.end()
  })
}

describe('T WebSocket, served', () => {
  it('talks, tells its address, and ends with its sessions', async () => {
    const handle = await served()
    expect(handle.url).toBe(`ws://127.0.0.1:${handle.port}/ws`)
    const here = await client(handle.url)
    expect((await here.call('echo', { text: 'over the wire' })).text).toBe('over the wire')
    expect(handle.sessions).toHaveLength(1)
    const ended = new Promise((resolve) => here.session.onClose(resolve))
    await handle.close()
    await ended
    expect(handle.sessions).toHaveLength(0)
    await expect(webSocketTo(handle.url)).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringContaining(`Cannot connect to ${handle.url}`),
    })
  })

  it('lets what is running finish before it hangs up', async () => {
    const handle = await served()
    const here = await client(handle.url)
    const waiting = here.call('wait')
    await expect.poll(() => begun, SOON).toEqual(['wait'])
    const closing = handle.close()
    const late = refusal(handle.url)
    release()
    expect((await waiting).text).toBe('released')
    await closing
    expect((await late).status).toBe(503)
  })

  it('cancels what is in flight when the client goes', async () => {
    const handle = await served()
    const here = await client(handle.url)
    here.call('wait').catch(() => {})
    await expect.poll(() => begun, SOON).toEqual(['wait'])
    await here.close()
    await expect.poll(() => begun, SOON).toEqual(['wait', 'aborted'])
    expect(handle.sessions).toHaveLength(0)
  })

  it('a client that breaks off: the session ends, the server lives', async () => {
    const handle = await served()
    const { socket } = await raw(handle.url)
    await expect.poll(() => handle.sessions.length, SOON).toBe(1)
    socket.terminate()
    await expect.poll(() => handle.sessions.length, SOON).toBe(0)
    expect((await (await client(handle.url)).call('echo', { text: 'still' })).text).toBe('still')
  })

  it('refuses binary messages with 1003', async () => {
    const { socket } = await raw((await served()).url)
    socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'))
    expect((await once(socket, 'close'))[0]).toBe(1003)
  })

  it('answers garbage and what is too long by name, and goes on', async () => {
    const { socket, messages } = await raw((await served({}, demo({ limits: { maxBytes: 1000 } }))).url)
    socket.send('{')
    socket.send(`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"${'x'.repeat(1500)}"}}`)
    socket.send('{"jsonrpc":"2.0","id":8,"method":"ping"}')
    await expect.poll(() => messages.length, SOON).toBe(3)
    expect(messages.map((text) => JSON.parse(text))).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 7, error: { code: -32600, message: expect.stringContaining('1000 bytes') } },
      { id: 8, result: {} },
    ])
  })

  it('hangs up with 1009 on what is far too long', async () => {
    const { socket } = await raw((await served({}, demo({ limits: { maxBytes: 1000 } }))).url)
    socket.send('x'.repeat(100_000))
    expect((await once(socket, 'close'))[0]).toBe(1009)
  })

  it('hangs up with 1007 on what is not UTF-8', async () => {
    const { socket } = await raw((await served()).url)
    socket.send(Buffer.from([0x22, 0xc3, 0x28, 0x22]), { binary: false })
    expect((await once(socket, 'close'))[0]).toBe(1007)
  })
})

describe('T WebSocket: who is let in', () => {
  it.each([
    ['a page of somewhere else', { origin: 'https://evil.example' }, 403],
    ['a page of nowhere', { origin: 'null' }, 403],
    ['a name rebound to this machine', { host: 'evil.example' }, 403],
    ['a page of its own', {}, 101],
    ['another subprotocol', { 'sec-websocket-protocol': 'graphql-ws' }, 400],
    ['several subprotocols with the right one', { 'sec-websocket-protocol': 'x, mcp' }, 101],
    ['an old version of WebSocket', { 'sec-websocket-version': '7' }, 400],
    ['no key', { 'sec-websocket-key': '' }, 400],
  ])('%s (C-41)', async (_, headers, status) => {
    expect((await refusal((await served()).url, headers)).status).toBe(status)
  })

  it('says why, as JSON without an id', async () => {
    const { body } = await refusal((await served()).url, { origin: 'https://evil.example' })
    expect(JSON.parse(body)).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.stringContaining('https://evil.example') },
    })
    expect(JSON.parse(body)).not.toHaveProperty('id')
  })

  it('listed origins are let in', async () => {
    const { url } = await served({ allowedOrigins: ['https://app.example'] })
    expect((await refusal(url, { origin: 'https://app.example' })).status).toBe(101)
  })

  it('another path, and no WebSocket at all', async () => {
    const { url } = await served()
    expect((await refusal(url.replace('/ws', '/other'))).status).toBe(404)
    const response = await fetch(url.replace('ws:', 'http:'))
    expect({ status: response.status, upgrade: response.headers.get('upgrade') }).toEqual({
      status: 426,
      upgrade: 'websocket',
    })
  })

  it('no more than allowed', async () => {
    const { url } = await served({ maxConnections: 1 })
    await raw(url)
    expect((await refusal(url)).status).toBe(503)
  })

  it('refuses to listen for everybody without a list of names', async () => {
    await expect(serveWebSocket(demo(), { host: '0.0.0.0', port: 0 })).rejects.toThrow(/allowedHosts/)
  })

  it('a port that is taken is named', async () => {
    const { port } = await served()
    await expect(serveWebSocket(demo(), { port })).rejects.toThrow(new RegExp(`${port}.*in use`))
  })
})

/** An HTTP server of somebody else. */
async function listening(): Promise<{ http: HttpServer; url: string }> {
  const http = createHttpServer((_, response) => response.end('plain'))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  closers.push(() => new Promise((resolve) => http.close(resolve)))
  return { http, url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}` }
}

describe('T WebSocket beside HTTP', () => {
  it('on a server that is there already, and that stays', async () => {
    const { http, url } = await listening()
    const handle = await serveWebSocket(demo(), { server: http, path: '/talk' })
    expect(handle.url).toBe(`${url}/talk`)
    expect((await (await client(handle.url)).call('echo', { text: 'shared' })).text).toBe('shared')
    expect(await (await fetch(url.replace('ws', 'http'), { headers: { connection: 'close' } })).text()).toBe('plain')
    await handle.close()
    expect(http.listening).toBe(true)
    expect(http.listenerCount('upgrade')).toBe(0)
  })

  it('leaves the handshakes of other paths to others, if there are any', async () => {
    const { http, url } = await listening()
    const handle = await serveWebSocket(demo(), { server: http })
    closers.push(() => handle.close())
    expect((await refusal(`${url}/other`)).status).toBe(404)
    http.on('upgrade', (asked, socket) => {
      if (asked.url === '/other') socket.end('HTTP/1.1 418 I\r\nconnection: close\r\n\r\n')
    })
    expect((await refusal(`${url}/other`)).status).toBe(418)
    expect((await refusal(handle.url)).status).toBe(101)
  })

  it('as an option of serveHttp, which ends it, too', async () => {
    const serving = await serveHttp(demo(), { port: 0, webSocket: true })
    closers.push(() => serving.close())
    const url = `ws://127.0.0.1:${serving.port}/ws`
    const here = await client(url)
    expect((await here.call('echo', { text: 'both' })).text).toBe('both')
    expect(serving.sessions).toBe(1)
    expect((await fetch(url.replace('ws:', 'http:'), { headers: { connection: 'close' } })).status).toBe(426)
    expect((await refusal(url, { origin: 'https://evil.example' })).status).toBe(403)
    const ended = new Promise((resolve) => here.session.onClose(resolve))
    await serving.close()
    await ended
  })
})

describe('T WebSocket beside HTTP: offers to upgrade to something else', () => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  }

  /** As curl --http2 does it. */
  function offer(
    url: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number | undefined; body: string }> {
    return new Promise((resolve, reject) => {
      const made = (url.startsWith('https:') ? secureRequest : request)(url, {
        method: 'POST',
        ca: certificate.cert,
        agent: false,
        headers: {
          connection: 'Upgrade, HTTP2-Settings',
          upgrade: 'h2c',
          'http2-settings': 'AAMAAABkAAQAAP__',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      })
      made.on('error', reject)
      made.on('response', async (response) => {
        let said = ''
        for await (const chunk of response.setEncoding('utf8')) said += chunk
        resolve({ status: response.statusCode, body: said })
      })
      const text = JSON.stringify(body)
      // The rest comes when the offer has been looked at.
      made.write(text.slice(0, 10))
      setImmediate(() => made.end(text.slice(10)))
    })
  }

  it.each([
    ['over HTTP', {}],
    ['beside HTTP/2', { http2: true }],
    ['over HTTPS', { tls: certificate, http2: false }],
    ['over HTTPS beside HTTP/2', { tls: certificate }],
  ])('are ignored, and the request is served, %s', async (_, options) => {
    const serving = await serveHttp(demo(), { port: 0, webSocket: true, ...options })
    closers.push(() => serving.close({ drain: 0 }))
    const url = serving.url.replace('127.0.0.1', 'localhost')
    for (const extra of [{} as Record<string, string>, { 'content-length': String(JSON.stringify(message).length) }]) {
      const { status, body } = await offer(url, message, extra)
      expect({ status, answer: JSON.parse(body) }).toMatchObject({
        status: 200,
        answer: { id: 1, result: { protocolVersion: '2025-11-25' } },
      })
    }
    expect((await offer(url, message, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await offer(url.replace('/mcp', '/ws'), message)).status).toBe(426)
  })

  it('still go to whoever takes them', async () => {
    const serving = await serveHttp(demo(), {
      port: 0,
      webSocket: true,
      onUpgrade: (_, socket) =>
        void socket.end('HTTP/1.1 418 Teapot\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    })
    closers.push(() => serving.close({ drain: 0 }))
    expect((await offer(serving.url, message)).status).toBe(418)
    expect((await offer(serving.url.replace('/mcp', '/ws'), message)).status).toBe(426)
  })

  it('are refused with the reason on a server that is not ours', async () => {
    const handle = await served()
    const { status, body } = await offer(handle.url.replace('ws:', 'http:'), message)
    expect({ status, ...JSON.parse(body) }).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/websocket only, at \/ws; leave the header Upgrade out/) },
    })
  })
})

describe('T WebSocket over TLS', () => {
  /** The certificate is its own authority. */
  const trusting = (url: string) =>
    webSocketTo(url, { dial: (to, { protocol }) => new WebSocket(to, protocol, { ca: certificate.cert }) })

  it('on a port of its own', async () => {
    const handle = await served({ tls: certificate })
    expect(handle.url).toMatch(/^wss:/)
    const here = await connect(await trusting(handle.url), { keepAlive: false })
    expect((await here.call('echo', { text: 'sealed' } as never)).text).toBe('sealed')
    await here.close()
    await expect(webSocketTo(handle.url)).rejects.toThrow(/Cannot connect/)
  })

  it('beside HTTP/2 on one port', async () => {
    const serving = await serveHttp(demo(), { port: 0, tls: certificate, webSocket: true })
    closers.push(() => serving.close())
    const here = await connect(await trusting(`wss://127.0.0.1:${serving.port}/ws`), { keepAlive: false })
    expect((await here.call('echo', { text: 'sealed' } as never)).text).toBe('sealed')
    await here.close()
  })
})

describe('T WebSocket: a published client', () => {
  it('that of the 1.32 SDK talks to this server', async () => {
    const { url } = await served()
    const before = globalThis.WebSocket
    globalThis.WebSocket ??= WebSocket as never
    closers.push(() => Object.assign(globalThis, { WebSocket: before }))
    const { Client: TheirClient } = await import('sdk-2025-11-25/client/index.js')
    const { WebSocketClientTransport } = await import('sdk-2025-11-25/client/websocket.js')
    const theirs = new TheirClient({ name: 'theirs', version: '1.0.0' })
    await theirs.connect(new WebSocketClientTransport(new URL(url)) as never)
    closers.push(() => theirs.close())
    expect((await theirs.listTools()).tools.map((each) => each.name)).toEqual(['echo', 'wait'])
    expect(await theirs.callTool({ name: 'echo', arguments: { text: 'hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
    })
  })
})

describe('T WebSocket, connected to', () => {
  it('sends headers with the handshake, and asks for the subprotocol', async () => {
    const { http, url } = await listening()
    const asked: unknown[] = []
    http.on('upgrade', ({ headers }, socket) => {
      asked.push([headers.authorization, headers['sec-websocket-protocol']])
      socket.end('HTTP/1.1 418 No\r\nconnection: close\r\n\r\n')
    })
    await expect(webSocketTo(url, { headers: { authorization: 'mine' } })).rejects.toThrow(/Cannot connect/)
    expect(asked).toEqual([['mine', 'mcp']])
  })

  it('to a port that no runtime would use', async () => {
    await expect(webSocketTo('ws://127.0.0.1:1/ws')).rejects.toThrow(
      /Cannot connect to ws:\/\/127\.0\.0\.1:1\/ws: (?!no answer)/,
    )
  })

  it('to something that never answers the handshake', async () => {
    const { http, url } = await listening()
    http.on('upgrade', (_, socket) => closers.push(() => socket.destroy()))
    await expect(webSocketTo(url, { connectTimeout: 50 })).rejects.toThrow(/within 50 ms/)
  })
})
