/** Who may talk to an HTTP server: hosts, origins, CORS, and addresses it listens on. */
import { afterEach, describe, expect, it } from 'vitest'
import { serveHttp } from '../../src/node/index.ts'
import { createServer } from '../../src/server.ts'
import { Guard, isLoopback } from '../../src/transport/index.ts'
import { call, initialize, Peer, serve, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(stopAll)

describe('C-41 Host and Origin', () => {
  it('lets a local client in, with or without a port, and a page of the server itself', async () => {
    const { port } = await serve()
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'localhost', 'LOCALHOST:1234']) {
      expect((await call(port, { body: initialize(), headers: { host } })).status).toBe(200)
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect((await call(port, { body: initialize(), headers: { host, origin: `http://${host}` } })).status).toBe(200)
    }
  })

  it.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
  ])('refuses host %j (403)', async (host) => {
    const { port, serving } = await serve()
    const answer = await call(port, { body: initialize(), headers: { host } })
    expect(answer.status).toBe(403)
    expect('id' in answer.json).toBe(false)
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(serving.sessions).toBe(0)
  })

  it.each(['http://evil.example', 'null', 'http://localhost.evil.example', 'http://localhost:1', 'file://', ''])(
    'refuses origin %j on every method (403)',
    async (origin) => {
      const { port } = await serve()
      const peer = await Peer.open(port)
      const answers = [
        await peer.post(toolCall(1, 'now'), { origin }),
        await peer.get({ origin }),
        await peer.delete({ origin }),
        await call(port, { method: 'OPTIONS', headers: { origin } }),
      ]
      for (const answer of answers) expect(answer.status).toBe(403)
      expect((await peer.post(toolCall(1, 'now'))).status).toBe(200)
    },
  )

  it('a rebound name is refused though host and origin agree (403)', async () => {
    const { port } = await serve()
    expect(
      (await call(port, { body: initialize(), headers: { host: 'evil.example', origin: 'http://evil.example' } }))
        .status,
    ).toBe(403)
  })

  it('takes names and origins that are listed', async () => {
    const { port } = await serve({
      allowedHosts: ['mcp.example', 'other.example:8080'],
      allowedOrigins: ['https://app.example/'],
    })
    const status = async (host: string, origin?: string) =>
      (await call(port, { body: initialize(), headers: { host, origin } })).status
    expect(await status('mcp.example')).toBe(200)
    expect(await status('mcp.example:99')).toBe(200)
    expect(await status('other.example:8080')).toBe(200)
    expect(await status('other.example')).toBe(403)
    expect(await status('localhost')).toBe(403)
    expect(await status('mcp.example', 'https://app.example')).toBe(200)
    expect(await status('mcp.example', 'https://mcp.example')).toBe(200)
    expect(await status('mcp.example', 'http://app.example')).toBe(403)
  })

  it("'any' host takes every host, but then no page's own word for its origin", () => {
    const guard = new Guard({ allowedHosts: 'any' })
    expect(guard.objection('whatever', undefined)).toBeUndefined()
    expect(guard.objection('evil.example', 'http://evil.example')).toContain('Origin')
    expect(new Guard({ allowedHosts: 'any', allowedOrigins: 'any' }).objection('a', 'http://b')).toBeUndefined()
  })

  it('is not fooled by a host it let through before', () => {
    const guard = new Guard()
    expect(guard.objection('localhost', undefined)).toBeUndefined()
    expect(guard.objection('evil.example', undefined)).toBeDefined()
    expect(guard.objection(undefined, undefined)).toBeDefined()
    expect(guard.objection('', undefined)).toBeDefined()
  })
})

describe('where it listens', () => {
  it('is the loopback address unless told otherwise, and then names are demanded', async () => {
    const server = createServer({ name: 'x', version: '1' })
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
      await expect(serveHttp(server, { port: 0, host })).rejects.toThrow(/allowedHosts/)
    }
    const serving = await serveHttp(server, { port: 0, host: '0.0.0.0', allowedHosts: ['mcp.example'] })
    expect((await call(serving.port, { body: initialize() })).status).toBe(403)
    expect((await call(serving.port, { body: initialize(), headers: { host: 'mcp.example' } })).status).toBe(200)
    await serving.close()
  })

  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['::1', true],
    ['0.0.0.0', false],
    ['128.0.0.1', false],
    ['127.0.0.1.evil', false],
  ])('%s loopback: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected)
  })

  it('a port that is taken is said clearly', async () => {
    const { port, server } = await serve()
    await expect(serveHttp(server, { port })).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`)
  })
})

describe('CORS', () => {
  const origin = 'https://app.example'

  it('is off: a listed origin is served, but not told', async () => {
    const { port } = await serve({ allowedOrigins: [origin] })
    const answer = await call(port, { body: initialize(), headers: { origin } })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('on: pages of listed origins can ask and read', async () => {
    const { port } = await serve({ allowedOrigins: [origin], cors: true })
    const preflight = await call(port, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': expect.stringContaining('mcp-session-id'),
        vary: 'origin',
      },
    })
    const answer = await call(port, { body: initialize(), headers: { origin } })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'mcp-session-id',
    })
    const stranger = await call(port, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } })
    expect(stranger.status).toBe(403)
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('whose session it is', () => {
  it('nobody else can use it, look into it or end it, though they know its id', async () => {
    const { port, serving } = await serve({ principal: (request) => request.header('x-user') })
    const opened = await call(port, { body: initialize(), headers: { 'x-user': 'ann' } })
    const id = String(opened.headers['mcp-session-id'])
    for (const other of [{ 'x-user': 'eve' }, {}] as Record<string, string>[]) {
      const headers = { ...other, 'mcp-session-id': id }
      expect((await call(port, { body: toolCall(2, 'now'), headers })).status).toBe(404)
      expect((await call(port, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' } })).status).toBe(
        404,
      )
      expect((await call(port, { method: 'DELETE', headers })).status).toBe(404)
    }
    expect(serving.sessions).toBe(1)
    expect(
      (await call(port, { body: toolCall(2, 'now'), headers: { 'x-user': 'ann', 'mcp-session-id': id } })).status,
    ).toBe(200)
  })
})
