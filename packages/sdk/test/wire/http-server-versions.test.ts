/** The same endpoint over HTTP/2, with TLS and without, and as a handler of `Request` and `Response`. */
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect as dial, type Socket } from 'node:net'
import { connect as dialTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { createServer, fetchHandler, tool } from '../../src/server.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { SseParser } from '../../src/transport/index.ts'
import { certificate } from './certificate.fixtures.ts'
import { call, initialize, JSON_HEADERS, Peer, serve, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(stopAll)

function ask(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{ headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':path': '/mcp',
      ':method': 'POST',
      ...(headers[':method'] === undefined ? JSON_HEADERS : {}),
      ...headers,
    })
    let text = ''
    let seen: IncomingHttpHeaders = {}
    stream.setEncoding('utf8')
    stream.on('response', (response) => {
      seen = response
    })
    stream.on('data', (chunk: string) => {
      text += chunk
    })
    stream.on('end', () => resolve({ headers: seen, text }))
    stream.on('error', reject)
    stream.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function conversation(session: ClientHttp2Session): Promise<void> {
  const opened = await ask(session, {}, initialize())
  expect(opened.headers[':status']).toBe(200)
  const id = String(opened.headers['mcp-session-id'])
  const named = { 'mcp-session-id': id }
  expect((await ask(session, named, { jsonrpc: '2.0', method: 'notifications/initialized' })).headers[':status']).toBe(
    202,
  )
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => ask(session, named, toolCall(n, 'echo', { text: `nr ${n} ☃` }))),
  )
  expect(answers.map(({ text }) => JSON.parse(text).result.content[0].text)).toEqual(
    Array.from({ length: 50 }, (_, n) => `nr ${n} ☃`),
  )
  const list = await ask(session, named, { jsonrpc: '2.0', id: 2, method: 'tools/list' })
  expect(JSON.parse(list.text).result.tools.length).toBeGreaterThan(3)
  const reported = await ask(session, named, toolCall(3, 'report', {}, { progressToken: 'p' }))
  expect(reported.headers['content-type']).toBe('text/event-stream')
  expect(new SseParser().push(reported.text).filter(({ data }) => data !== '')).toHaveLength(3)
  expect((await ask(session, { ...named, ':method': 'DELETE' })).headers[':status']).toBe(204)
  expect((await ask(session, named, toolCall(4, 'now'))).headers[':status']).toBe(404)
}

describe('T HTTP/2', () => {
  it('with TLS, chosen by the client', async () => {
    const { port, serving } = await serve({ tls: certificate })
    expect(serving.url).toBe(`https://127.0.0.1:${port}/mcp`)
    const session = connectHttp2(`https://localhost:${port}`, { ca: certificate.cert })
    await conversation(session)
    expect(session.alpnProtocol).toBe('h2')
    session.close()
  })

  it('with TLS, a client of HTTP/1.1 is served, too', async () => {
    const { port } = await serve({ tls: certificate })
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpsRequest(
        {
          port,
          host: 'localhost',
          path: '/mcp',
          method: 'POST',
          headers: JSON_HEADERS,
          ca: certificate.cert,
          agent: false,
        },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
      request.on('error', reject)
      request.end(JSON.stringify(initialize()))
    })
    expect(status).toBe(200)
  })

  it('can be switched off', async () => {
    const { port } = await serve({ tls: certificate, http2: false })
    const session = connectHttp2(`https://localhost:${port}`, { ca: certificate.cert })
    await expect(new Promise((resolve, reject) => session.on('connect', resolve).on('error', reject))).rejects.toThrow()
  })

  it('without TLS, beside HTTP/1.1 on one port', async () => {
    const { port } = await serve({ http2: true })
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    await conversation(session)
    session.close()
    const peer = await Peer.open(port)
    expect((await peer.post(toolCall(1, 'now'))).status).toBe(200)
    const long = await peer.post(toolCall(2, 'echo', { text: 'x'.repeat(1_000_000) }))
    expect(long.text.length).toBeGreaterThan(1_000_000)
  })

  it('checks hosts and origins', async () => {
    const { port } = await serve({ http2: true })
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    expect((await ask(session, { ':authority': 'evil.example' }, initialize())).headers[':status']).toBe(403)
    expect((await ask(session, { origin: 'http://evil.example' }, initialize())).headers[':status']).toBe(403)
    session.close()
  })

  it('a body without end is given up on (408)', async () => {
    const clock = fakeClock()
    const { port } = await serve({ http2: true, clock })
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    const stream = session.request({ ':path': '/mcp', ':method': 'POST', ...JSON_HEADERS })
    const status = new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])))
    stream.write('{"json')
    // When this is answered, the one before has been seen.
    await ask(session, {}, initialize())
    await clock.advance(30_000)
    expect(await status).toBe(408)
    session.destroy()
  })

  const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
  const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const ticks = async (enough: () => boolean) => {
    while (!enough()) await new Promise((resolve) => setImmediate(resolve))
  }
  const dialled = async (port: number, secure: boolean) => {
    const socket: Socket = secure
      ? dialTls({ port, host: 'localhost', ca: certificate.cert, ALPNProtocols: ['h2'] })
      : dial({ port, host: '127.0.0.1' })
    let heard = 0
    let over = false
    socket
      .on('error', () => {})
      .on('close', () => {
        over = true
      })
    socket.on('data', (chunk) => {
      heard += chunk.length
    })
    await new Promise((resolve) => socket.once(secure ? 'secureConnect' : 'connect', resolve))
    return { socket, heard: () => heard, over: () => over }
  }

  it.each([
    ['half a preface', false, ['PRI * HTTP']],
    ['a preface and no settings', false, [PREFACE]],
    ['nothing, over TLS', true, []],
    ['a preface and no settings, over TLS', true, [PREFACE]],
  ])('hangs up after 10 s on %s', async (_, secure, said) => {
    const clock = fakeClock()
    const { port } = await serve({ clock, ...(secure ? { tls: certificate } : { http2: true }) })
    const { socket, over } = await dialled(port, secure)
    for (const part of said) socket.write(part)
    await ticks(() => clock.pending > 0)
    await clock.advance(9_000)
    expect(over()).toBe(false)
    await clock.advance(1_000)
    await ticks(over)
    await ticks(() => clock.pending === 0)
  })

  it.each([false, true])(
    'hangs up after 75 s without a request (TLS: %s), also on a client that does not',
    async (secure) => {
      const clock = fakeClock()
      const { port } = await serve({ clock, ...(secure ? { tls: certificate } : { http2: true }) })
      const { socket, heard, over } = await dialled(port, secure)
      socket.allowHalfOpen = true
      socket.write(Buffer.concat([Buffer.from(PREFACE), SETTINGS]))
      // Its settings and that it has seen ours.
      await ticks(() => heard() >= 24)
      await clock.advance(74_000)
      expect(over()).toBe(false)
      await clock.advance(1_000)
      await ticks(() => clock.pending === 0)
      socket.end()
      await ticks(over)
    },
  )

  it('a stream that is open keeps the connection, and the time begins when it ends', async () => {
    const clock = fakeClock()
    const { port } = await serve({ http2: true, clock, idleTimeout: '1h' })
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => {})
    const id = String((await ask(session, {}, initialize())).headers['mcp-session-id'])
    await ask(session, { 'mcp-session-id': id }, { jsonrpc: '2.0', method: 'notifications/initialized' })
    const stream = session.request({
      ':path': '/mcp',
      ':method': 'GET',
      accept: 'text/event-stream',
      'mcp-session-id': id,
    })
    await new Promise((resolve) => stream.on('response', resolve))
    stream.resume()
    await clock.advance(200_000)
    expect((await ask(session, { 'mcp-session-id': id }, toolCall(1, 'now'))).headers[':status']).toBe(200)
    await clock.advance(200_000)
    expect(session.closed).toBe(false)
    stream.close()
    await new Promise((resolve) => stream.on('close', resolve))
    await ask(session, { 'mcp-session-id': id }, toolCall(2, 'now'))
    await clock.advance(74_000)
    expect(session.closed).toBe(false)
    await clock.advance(2_000)
    await ticks(() => session.closed)
  })

  it('goes away with the server, streams and all', async () => {
    const { port, serving } = await serve({ http2: true })
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    const id = String((await ask(session, {}, initialize())).headers['mcp-session-id'])
    const stream = session.request({
      ':path': '/mcp',
      ':method': 'GET',
      accept: 'text/event-stream',
      'mcp-session-id': id,
    })
    await new Promise((resolve) => stream.on('response', resolve))
    stream.resume()
    const over = new Promise((resolve) => stream.on('close', resolve))
    session.on('error', () => {})
    await serving.close()
    await over
    session.destroy()
  })
})

describe('T fetchHandler', () => {
  const url = 'http://localhost/mcp'
  const make = (options: Parameters<typeof fetchHandler>[1] = {}) => {
    const server = createServer({ name: 'fetched', version: '1' }, { onError: () => {} }).add(
      tool('now', { description: 'Answers' }, () => 'here'),
      tool('report', { description: 'Reports' }, async (_, ctx) => {
        ctx.progress(1)
        return 'reported'
      }),
    )
    return { server, handler: fetchHandler(server, options) }
  }
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    new Request(url, {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const open = async (handler: ReturnType<typeof fetchHandler>) => {
    const response = await handler(post(initialize()))
    const id = String(response.headers.get('mcp-session-id'))
    await handler(post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': id }))
    return { 'mcp-session-id': id }
  }

  it('opens, answers, lists, streams, ends', async () => {
    const { handler } = make()
    const named = await open(handler)
    expect(handler.sessions).toBe(1)
    expect(await (await handler(post(toolCall(1, 'now'), named))).json()).toMatchObject({
      id: 1,
      result: { content: [{ text: 'here' }] },
    })
    const list = await handler(post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, named))
    expect(list.headers.get('content-type')).toBe('application/json')
    expect(await list.json()).toMatchObject({ id: 2, result: { tools: [{ name: 'now' }, { name: 'report' }] } })
    const reported = await handler(post(toolCall(3, 'report', {}, { progressToken: 'p' }), named))
    expect(reported.headers.get('content-type')).toBe('text/event-stream')
    expect(new SseParser().push(await reported.text()).filter(({ data }) => data !== '')).toHaveLength(2)
    expect((await handler(new Request(url, { method: 'DELETE', headers: named }))).status).toBe(204)
    expect((await handler(post(toolCall(4, 'now'), named))).status).toBe(404)
  })

  it('gives the session its stream, and notices when nobody reads it any more', async () => {
    const { handler, server } = make()
    const named = await open(handler)
    const listen = () => handler(new Request(url, { headers: { ...named, accept: 'text/event-stream' } }))
    const own = await listen()
    server.log('info', 'hello')
    const reader = (own.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (!text.includes('hello')) text += decoder.decode((await reader.read()).value, { stream: true })
    expect((await listen()).status).toBe(409)
    await reader.cancel()
    const again = await listen()
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  it('refuses as the socket does', async () => {
    const { handler } = make({ session: { limits: { maxBytes: 1000 } } })
    const named = await open(handler)
    expect((await handler(post('{', named))).status).toBe(400)
    expect((await handler(post(toolCall(1, 'x'.repeat(2000)), named))).status).toBe(413)
    expect(
      (await handler(new Request('http://evil.example/mcp', { method: 'POST', headers: JSON_HEADERS, body: '{}' })))
        .status,
    ).toBe(403)
    expect((await handler(post(initialize(), { origin: 'http://evil.example' }))).status).toBe(403)
    expect((await handler(new Request('http://localhost/other'))).status).toBe(404)
    const head = await handler(new Request(url, { method: 'HEAD' }))
    expect([head.status, await head.text()]).toEqual([405, ''])
    const bytes = new Request(url, {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...named },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    })
    expect((await handler(bytes)).status).toBe(400)
  })

  it('gives up on a body without end (408), and cuts one that grows too long (413)', async () => {
    const clock = fakeClock()
    const { handler } = make({ clock, session: { limits: { maxBytes: 1000 } } })
    const endless = (size: number) =>
      new Request(url, {
        method: 'POST',
        headers: JSON_HEADERS,
        body: new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(size).fill(0x20)) }),
        duplex: 'half',
      } as RequestInit)
    const slow = handler(endless(10))
    await clock.advance(30_000)
    expect((await slow).status).toBe(408)
    expect((await handler(endless(2000))).status).toBe(413)
    expect(clock.pending).toBe(0)
  })

  it('hangs up on a reader that does not read', async () => {
    const { handler, server } = make({ maxUnread: 1000 })
    const named = await open(handler)
    const own = await handler(new Request(url, { headers: { ...named, accept: 'text/event-stream' } }))
    for (let n = 0; n < 5; n++) server.log('info', 'x'.repeat(500))
    await expect(own.text()).rejects.toThrow()
  })

  it('lets listed origins read, when told to', async () => {
    const { handler } = make({ cors: true, allowedOrigins: ['https://app.example'] })
    const response = await handler(post(initialize(), { origin: 'https://app.example' }))
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
  })

  it('closes: sessions end, new ones are refused', async () => {
    const { handler, server } = make()
    const named = await open(handler)
    const own = await handler(new Request(url, { headers: { ...named, accept: 'text/event-stream' } }))
    await handler.close()
    await own.text()
    expect(server.sessions).toHaveLength(0)
    expect((await handler(post(initialize()))).status).toBe(503)
    expect((await handler(post(toolCall(1, 'now'), named))).status).toBe(404)
  })
})

describe('T a handler behind another server', () => {
  it('works with whatever turns requests into Request', async () => {
    const { serving } = await serve()
    const answer = await fetch(serving.url, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: JSON.stringify(initialize()),
    })
    expect(answer.status).toBe(200)
    expect(
      (
        await call(serving.port, {
          method: 'DELETE',
          headers: { 'mcp-session-id': String(answer.headers.get('mcp-session-id')) },
        })
      ).status,
    ).toBe(204)
  })
})
