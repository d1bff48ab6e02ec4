import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { connect } from '../../src/client.ts'
import { type ServeSiteOptions, type SiteServing, serveHttp, serveSite, webSocketTo } from '../../src/node.ts'
import { createServer, type Servable, type ServerOptions, tool } from '../../src/server.ts'
import { call, Events, gate, initialize, start, toolCall } from './http-server.fixtures.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function site(options: ServeSiteOptions = {}): Promise<SiteServing> {
  const serving = await serveSite({ port: 0, ...options })
  closers.push(() => serving.close({ drain: 0 }))
  return serving
}

/** A server that says its own name. */
function named(name: string, options: ServerOptions = {}, waits?: { opened: Promise<void>; begun: () => void }) {
  return createServer({ name, version: '1' }, { onError: () => {}, ...options }).add(
    tool('who', {}, () => name),
    tool('wait', {}, async () => {
      waits?.begun()
      await waits?.opened
      return `${name} waited`
    }),
  )
}

async function client(url: string, pin?: '2025-11-25' | '2026-07-28') {
  const made = await connect(url.startsWith('ws') ? await webSocketTo(url) : url, {
    keepAlive: false,
    ...(pin === undefined ? {} : { versions: [pin] }),
  })
  closers.push(() => made.close())
  return made
}

const SSE = { accept: 'text/event-stream' }

async function sse(port: number, path: string, headers: Record<string, string> = {}): Promise<Events> {
  const events = new Events(await start(port, { method: 'GET', path, headers: { ...SSE, ...headers } }))
  closers.push(() => events.hangUp())
  return events
}

async function open(port: number, path: string): Promise<{ status: number; id: string }> {
  const answer = await call(port, { path, body: initialize() })
  return { status: answer.status, id: String(answer.headers['mcp-session-id']) }
}

/** How a WebSocket handshake is answered when it is not taken. */
function handshake(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const offer = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const asked = request({ port, host: '127.0.0.1', path, headers: { ...offer, ...headers }, agent: false })
    asked.on('upgrade', (_, socket) => {
      socket.destroy()
      resolve({ status: 101, text: '' })
    })
    asked.on('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, text })
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function twoServers(options: ServeSiteOptions = {}) {
  const serving = await site(options)
  const paths = (name: string) => ({
    path: `/servers/${name}/mcp`,
    sse: { path: `/servers/${name}/sse`, messages: `/servers/${name}/messages` },
    webSocket: { path: `/servers/${name}/ws` },
  })
  const a = await serving.serve(named('a'), paths('a'))
  const b = await serving.serve(named('b'), paths('b'))
  return { serving, a, b, port: serving.port }
}

describe('many servers behind one port', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)('F9 each is reached at its own path in %s', async (version) => {
    const { serving } = await twoServers()
    for (const name of ['a', 'b']) {
      const one = await client(`${serving.url}/servers/${name}/mcp`, version)
      expect(await one.call('who')).toMatchObject({ content: [{ text: name }] })
    }
  })

  it('each is reached by HTTP+SSE and by WebSocket', async () => {
    const { serving, a, b, port } = await twoServers()
    const socket = await client(`${serving.url.replace('http', 'ws')}/servers/a/ws`)
    expect(await socket.call('who')).toMatchObject({ content: [{ text: 'a' }] })
    const events = await (await sse(port, '/servers/b/sse')).until(({ seen }) => seen.length > 0)
    expect(events.seen[0]?.data).toMatch(/^\/servers\/b\/messages\?sessionId=/)
    await call(port, { path: String(events.seen[0]?.data), body: initialize('2024-11-05') })
    await events.until(({ seen }) => seen.length > 1)
    expect(JSON.parse(events.seen[1]?.data ?? '')).toMatchObject({ result: { serverInfo: { name: 'b' } } })
    expect([a.sessions, b.sessions, serving.sessions]).toEqual([1, 1, 2])
  })

  it('a session of one does not exist for another', async () => {
    const { port } = await twoServers()
    const { id } = await open(port, '/servers/a/mcp')
    const ask = (name: string) =>
      call(port, { path: `/servers/${name}/mcp`, body: toolCall(1, 'who'), headers: { 'mcp-session-id': id } })
    await call(port, {
      path: '/servers/a/mcp',
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
      headers: { 'mcp-session-id': id },
    })
    expect((await ask('b')).status).toBe(404)
    expect((await ask('a')).status).toBe(200)
    expect(
      (await call(port, { method: 'DELETE', path: '/servers/b/mcp', headers: { 'mcp-session-id': id } })).status,
    ).toBe(404)
    expect((await ask('a')).status).toBe(200)
  })

  it('names the endpoints there are, but not too many of them', async () => {
    const serving = await site()
    const missing = async () => (await call(serving.port, { method: 'GET', path: '/elsewhere' })).json.error?.message
    expect(await missing()).toBe('Nothing is served at this path; there is no endpoint')
    for (let n = 0; n < 12; n++) await serving.serve(named('x'), { path: `/servers/s${n}/mcp` })
    expect(await missing()).toMatch(/the endpoints are \/servers\/s0\/mcp, .*\/servers\/s9\/mcp and 2 more$/)
  })

  it('matches paths as they are: no encoding, no dots, no slash more', async () => {
    const { port } = await twoServers()
    const status = async (path: string) => (await call(port, { path, body: initialize() })).status
    expect(await status('/servers/a/mcp?x=1')).toBe(200)
    for (const path of [
      '/servers/%61/mcp',
      '/servers/b/../a/mcp',
      '/servers/a/mcp/',
      '//servers/a/mcp',
      '/Servers/a/mcp',
    ])
      expect(await status(path)).toBe(404)
  })

  it('leads WebSocket handshakes to the server of their path, and refuses the others', async () => {
    const { port } = await twoServers()
    expect((await handshake(port, '/servers/a/ws?x=1')).status).toBe(101)
    const other = await handshake(port, '/servers/c/ws')
    expect(other.status).toBe(404)
    expect(other.text).toContain('WebSockets are taken at /servers/a/ws, /servers/b/ws')
    expect((await handshake(port, '/servers/a/mcp')).status).toBe(404)
    for (const path of ['/servers/a/ws', '/servers/c/ws'])
      expect((await handshake(port, path, { host: 'evil.example' })).status).toBe(403)
    for (const path of ['/servers/a/ws', '/servers/c/ws'])
      expect((await handshake(port, path, { origin: 'https://evil.example' })).status).toBe(403)
  })

  it('holds the limits of each server', async () => {
    const serving = await site()
    await serving.serve(named('small', { limits: { maxBytes: 300 } }), { path: '/small' })
    await serving.serve(named('usual'), { path: '/usual' })
    const long = initialize('2025-11-25', { experimental: { long: { text: 'x'.repeat(1000) } } })
    expect((await call(serving.port, { path: '/small', body: long })).status).toBe(413)
    expect((await call(serving.port, { path: '/usual', body: long })).status).toBe(200)
  })

  it('takes all paths of a server or none', async () => {
    const { serving, port } = await twoServers()
    await expect(
      serving.serve(named('c'), { path: '/c', sse: { path: '/servers/a/sse', messages: '/m' } }),
    ).rejects.toThrow('Path /servers/a/sse is taken')
    await expect(serving.serve(named('c'), { path: '/c', sse: { path: '/same', messages: '/same' } })).rejects.toThrow(
      'Path /same is taken',
    )
    await expect(
      serving.serve(named('c'), { path: '/c', webSocket: { path: '/w' }, mounts: { '/w': { handle: () => {} } } }),
    ).rejects.toThrow('taken')
    await expect(serving.serve(named('c'), { path: 'c' })).rejects.toThrow('A path begins with a slash: "c"')
    expect((await call(port, { path: '/c', body: initialize() })).status).toBe(404)
  })

  it('answers plain requests by what is mounted, also those of probes that come by address', async () => {
    const plain = { 'content-type': 'text/plain' }
    const serving = await site({
      mounts: {
        '/plain': { handle: (exchange) => exchange.respond(200, plain, `words for ${exchange.method}`) },
        '/probe': {
          handle: (exchange) => exchange.respond(200, plain, 'all'),
          strangers: (exchange) => {
            exchange.respond(200, plain, 'little')
            return true
          },
        },
      },
    })
    const get = async (path: string, host = `127.0.0.1:${serving.port}`) =>
      (await call(serving.port, { method: 'GET', path, headers: { host } })).text
    expect(await get('/plain')).toBe('words for GET')
    expect(await get('/plain', 'evil.example')).toContain('is not allowed')
    expect([await get('/probe'), await get('/probe', '10.1.2.3')]).toEqual(['all', 'little'])
  })
})

describe('a server that leaves', () => {
  it('L4 finishes what it works on, while others are not disturbed, and gives up its paths', async () => {
    const serving = await site()
    const [aGo, bGo, aBegun, bBegun] = [gate(), gate(), gate(), gate()]
    const a = await serving.serve(named('a', {}, { opened: aGo.opened, begun: aBegun.open }), { path: '/a' })
    await serving.serve(named('b', {}, { opened: bGo.opened, begun: bBegun.open }), { path: '/b' })
    const [toA, toB] = [await client(`${serving.url}/a`, '2025-11-25'), await client(`${serving.url}/b`, '2025-11-25')]
    const [fromA, fromB] = [toA.call('wait'), toB.call('wait')]
    await Promise.all([aBegun.opened, bBegun.opened])
    const closed = a.close()
    expect(await call(serving.port, { path: '/a', body: initialize() })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
    })
    aGo.open()
    expect(await fromA).toMatchObject({ content: [{ text: 'a waited' }] })
    await closed
    expect([a.sessions, serving.sessions]).toEqual([0, 1])
    expect((await call(serving.port, { path: '/a', body: initialize() })).json.error?.message).toContain(
      'the endpoint is /b',
    )
    bGo.open()
    expect(await fromB).toMatchObject({ content: [{ text: 'b waited' }] })
    await serving.serve(named('new'), { path: '/a' })
    expect(await (await client(`${serving.url}/a`)).call('who')).toMatchObject({ content: [{ text: 'new' }] })
  })

  it('ends its streams and sockets, and those of nobody else', async () => {
    const { serving, a, b, port } = await twoServers()
    const [gone, stays] = [await sse(port, '/servers/a/sse'), await sse(port, '/servers/b/sse')]
    const socket = new WebSocket(`ws://127.0.0.1:${port}/servers/a/ws`, 'mcp')
    await once(socket, 'open')
    expect([a.sessions, b.sessions]).toEqual([2, 1])
    await Promise.all([a.close({ drain: 0 }), gone.end(), once(socket, 'close')])
    expect([a.sessions, b.sessions, stays.ended]).toEqual([0, 1, false])
    expect((await handshake(port, '/servers/a/ws')).text).toContain('WebSockets are taken at /servers/b/ws')
    await serving.close({ drain: 0 })
    expect((await stays.end()).ended).toBe(true)
    await expect(serving.serve(named('late'))).rejects.toThrow('The site is closed')
  })

  it('answers a request whose body came only after that', async () => {
    const { a, port } = await twoServers()
    const text = JSON.stringify(initialize())
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': text.length,
      expect: '100-continue',
    }
    const asked = request({ port, host: '127.0.0.1', method: 'POST', path: '/servers/a/mcp', headers, agent: false })
    asked.flushHeaders()
    await once(asked, 'continue')
    await a.close({ drain: 0 })
    asked.end(text)
    const [response] = await once(asked, 'response')
    response.resume()
    expect(response.statusCode).toBe(503)
  })
})

describe('limits of a whole site', () => {
  it('has room for so many sessions, whatever server and transport they are of', async () => {
    const { port, serving } = await twoServers({ maxSessions: 2 })
    await sse(port, '/servers/a/sse')
    const socket = new WebSocket(`ws://127.0.0.1:${port}/servers/b/ws`, 'mcp')
    await once(socket, 'open')
    expect(serving.sessions).toBe(2)
    expect((await open(port, '/servers/b/mcp')).status).toBe(503)
    expect((await call(port, { method: 'GET', path: '/servers/b/sse', headers: SSE })).status).toBe(503)
    expect(await handshake(port, '/servers/a/ws')).toMatchObject({
      status: 503,
      text: expect.stringContaining('too many sessions'),
    })
    socket.terminate()
    await expect.poll(() => serving.sessions).toBe(1)
    expect((await open(port, '/servers/b/mcp')).status).toBe(200)
  })

  it('makes room by ending what is idle, of another server if need be', async () => {
    const { port, a, b } = await twoServers({ maxSessions: 2 })
    await open(port, '/servers/a/mcp')
    await open(port, '/servers/a/mcp')
    await sse(port, '/servers/b/sse')
    expect([a.sessions, b.sessions]).toEqual([1, 1])
    expect((await open(port, '/servers/b/mcp')).status).toBe(200)
    expect([a.sessions, b.sessions]).toEqual([0, 2])
  })

  it('a handshake that fails takes no place', async () => {
    const { port } = await twoServers({ maxSessions: 1 })
    for (let n = 0; n < 3; n++)
      expect((await handshake(port, '/servers/a/ws', { 'sec-websocket-key': 'short' })).status).toBe(400)
    const broken: Servable = {
      accept: () => {
        throw new Error('broken')
      },
    }
    const serving = await site({ maxSessions: 1, onError: () => {} })
    await serving.serve(broken, { sse: true, webSocket: true })
    await serving.serve(named('whole'), { path: '/whole' })
    await (await sse(serving.port, '/sse')).end()
    expect((await handshake(serving.port, '/ws')).status).toBe(101)
    expect((await open(serving.port, '/whole')).status).toBe(200)
    expect((await handshake(port, '/servers/a/ws')).status).toBe(101)
  })
})

describe('C-41 whom a conversation is with', () => {
  const principal: NonNullable<ServeSiteOptions['principal']> = ({ header }) => header('X-User')

  it('is told to the server, whatever the transport', async () => {
    const inner = named('told')
    const seen: unknown[] = []
    const told: Servable = {
      accept: (link, options) => {
        seen.push([link.transport, options?.principal])
        return inner.accept(link, options)
      },
    }
    const serving = await site({ principal })
    await serving.serve(told, { sse: true, webSocket: true })
    const headers = { 'x-user': 'ann' }
    await call(serving.port, { body: initialize(), headers })
    await sse(serving.port, '/sse', headers)
    await handshake(serving.port, '/ws', headers)
    await call(serving.port, { body: initialize() })
    expect(seen).toEqual([
      ['http', 'ann'],
      ['sse', 'ann'],
      ['websocket', 'ann'],
      ['http', undefined],
    ])
  })

  it('nobody else posts to a stream of HTTP+SSE', async () => {
    const serving = await serveHttp(named('one'), { port: 0, sse: true, principal })
    closers.push(() => serving.close({ drain: 0 }))
    const events = await (await sse(serving.port, '/sse', { 'x-user': 'ann' })).until(({ seen }) => seen.length > 0)
    const post = async (user: string) =>
      (
        await call(serving.port, {
          path: String(events.seen[0]?.data),
          body: initialize('2024-11-05'),
          headers: { 'x-user': user },
        })
      ).status
    expect([await post('bob'), await post('ann')]).toEqual([404, 202])
  })
})

describe('serveSite', () => {
  it('C-41 needs to know its names when it can be reached from elsewhere', async () => {
    await expect(serveSite({ port: 0, host: '0.0.0.0' })).rejects.toThrow(
      'serveSite on 0.0.0.0 can be reached from elsewhere: list the names',
    )
  })

  it('answers who offers another protocol like anybody else, on a connection that goes on', async () => {
    const serving = await site()
    await serving.serve(named('one'))
    const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' }
    const answer = await call(serving.port, { body: initialize(), headers: offer })
    expect([answer.status, answer.headers.connection]).toEqual([200, 'keep-alive'])
    await serving.serve(named('two'), { path: '/two', webSocket: true })
    expect((await call(serving.port, { body: initialize(), headers: offer })).status).toBe(200)
    expect((await handshake(serving.port, '/ws')).status).toBe(101)
  })

  it('says which port is in use', async () => {
    const { port } = await site()
    await expect(serveSite({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`)
  })
})
