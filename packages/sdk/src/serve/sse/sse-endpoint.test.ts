import { afterEach, describe, expect, it } from 'vitest'
import { createServer, tool } from '../../server/index.ts'
import { type FakeClock, fakeClock } from '../../testing/index.ts'
import { type SseEvent, SseParser } from '../../transport/index.ts'
import { type FetchHandler, fetchHandler } from '../fetch-handler.ts'
import type { HttpOptions } from '../options.ts'

/** Machines can be busy. */
const SOON = { timeout: 10_000 }

const BASE = 'http://localhost'
let handler: FetchHandler
afterEach(() => handler?.close({ drain: 0 }))

const seen: string[] = []

function serve(options: HttpOptions = {}): void {
  seen.length = 0
  const server = createServer({ name: 'demo', version: '1.0.0' }).add(
    tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } as const }, ({ text }) =>
      String(text),
    ),
    tool('wait', {}, (_, ctx) => {
      seen.push('begun')
      return new Promise<string>(() => ctx.signal.addEventListener('abort', () => seen.push('aborted')))
    }),
  )
  handler = fetchHandler(server, { sse: true, ...options })
}

interface Stream {
  status: number
  comments: () => number
  next(): Promise<SseEvent>
  /** Resolves when the server has ended it. */
  ended: Promise<void>
  cancel(): Promise<void>
}

async function open(path = '/sse', headers: Record<string, string> = {}): Promise<Stream> {
  const response = await handler(new Request(BASE + path, { headers: { accept: 'text/event-stream', ...headers } }))
  const events: SseEvent[] = []
  const waiting: ((event: SseEvent) => void)[] = []
  let comments = 0
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const read = async (): Promise<void> => {
    const parser = new SseParser()
    const decoder = new TextDecoder()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const text = decoder.decode(part.value)
      if (text.startsWith(':')) comments++
      for (const event of parser.push(text)) {
        const taker = waiting.shift()
        if (taker === undefined) events.push(event)
        else taker(event)
      }
    }
  }
  const next = (): Promise<SseEvent> => {
    const event = events.shift()
    return event === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(event)
  }
  return { status: response.status, comments: () => comments, next, ended: read(), cancel: () => reader.cancel() }
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return handler(
    new Request(BASE + path, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', ...headers },
    }),
  )
}

const initialize = (protocolVersion = '2024-11-05') => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
})

async function connected(version?: string): Promise<{ stream: Stream; address: string }> {
  const stream = await open()
  const { data: address } = await stream.next()
  await post(address, initialize(version))
  await stream.next()
  await post(address, { jsonrpc: '2.0', method: 'notifications/initialized' })
  return { stream, address }
}

describe('T HTTP+SSE, served (A-09)', () => {
  it('names the address to post to first; answers come as messages, and posts are merely accepted', async () => {
    serve()
    const stream = await open()
    const first = await stream.next()
    expect(first).toEqual({ event: 'endpoint', data: expect.stringMatching(/^\/messages\?sessionId=[\w-]{36}$/) })
    const response = await post(first.data, initialize())
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 202, body: '' })
    const answer = await stream.next()
    expect(answer.event).toBe('message')
    expect(JSON.parse(answer.data)).toMatchObject({
      id: 1,
      result: { protocolVersion: '2024-11-05', serverInfo: { name: 'demo' } },
    })
    expect(handler.sessions).toBe(1)
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'A-13: version %s runs over it, too',
    async (version) => {
      serve()
      const { stream, address } = await connected(version)
      await post(
        address,
        {
          jsonrpc: '2.0',
          id: 2,
          method: 'tools/call',
          params: { name: 'echo', arguments: { text: 'Tromsø 🌲\nnext' } },
        },
        { 'mcp-protocol-version': version },
      )
      expect(JSON.parse((await stream.next()).data)).toMatchObject({
        id: 2,
        result: { content: [{ text: 'Tromsø 🌲\nnext' }] },
      })
    },
  )

  it('batches are taken where the version has them', async () => {
    serve()
    const { stream, address } = await connected('2025-03-26')
    await post(
      address,
      [2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
    )
    expect(JSON.parse((await stream.next()).data)).toEqual([2, 3].map((id) => ({ jsonrpc: '2.0', id, result: {} })))
  })

  it('A-12: the session ends with the stream, and what is in flight is cancelled', async () => {
    serve()
    const { stream, address } = await connected()
    await post(address, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait', arguments: {} } })
    await expect.poll(() => seen, SOON).toEqual(['begun'])
    await stream.cancel()
    await expect.poll(() => seen, SOON).toEqual(['begun', 'aborted'])
    expect(handler.sessions).toBe(0)
    expect((await post(address, { jsonrpc: '2.0', id: 3, method: 'ping' })).status).toBe(404)
  })

  it('the stream ends when the server does, and new clients are refused', async () => {
    serve()
    const { stream } = await connected()
    await handler.close()
    await stream.ended
    expect((await open()).status).toBe(503)
  })

  it('keeps a silent stream alive with comments, for as long as it is there', async () => {
    const clock: FakeClock = fakeClock()
    serve({ clock, heartbeat: '10s' })
    const { stream } = await connected()
    await clock.advance(25_000)
    await expect.poll(() => stream.comments(), SOON).toBe(2)
    await stream.cancel()
    await clock.advance(60_000)
    expect(clock.pending).toBe(0)
  })

  it('has its paths where they are wanted', async () => {
    serve({ sse: { path: '/one/sse', messages: '/one/messages' } })
    expect((await (await open('/one/sse')).next()).data).toMatch(/^\/one\/messages\?/)
    expect((await handler(new Request(`${BASE}/sse`))).status).toBe(404)
  })

  it('is not there unless asked for', async () => {
    serve({ sse: false })
    expect((await handler(new Request(`${BASE}/sse`))).status).toBe(404)
  })
})

describe('T HTTP+SSE: what is refused', () => {
  const call = { jsonrpc: '2.0', id: 9, method: 'ping' }

  it.each([
    ['an unknown session', '/messages?sessionId=nobody', call, {}, 404],
    ['no session', '/messages', call, {}, 400],
    ['another content type', undefined, call, { 'content-type': 'text/plain' }, 415],
    ['no JSON', undefined, '{', {}, 400],
    ['no message', undefined, { jsonrpc: '1.0', id: 4, method: 'ping' }, {}, 400],
    ['too much', undefined, { ...call, params: { x: 'x'.repeat(3000) } }, {}, 413],
    ['a page of somewhere else (C-41)', undefined, call, { origin: 'https://evil.example' }, 403],
    ['a name rebound to this machine (C-41)', undefined, call, { host: 'evil.example' }, 403],
  ])('%s', async (_, path, body, headers, status) => {
    serve({ session: { limits: { maxBytes: 2000 } } })
    const { stream, address } = await connected()
    const response = await post(path ?? address, body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } })
    await post(address, call)
    expect(JSON.parse((await stream.next()).data)).toEqual({ jsonrpc: '2.0', id: 9, result: {} })
  })

  it.each([
    ['POST', '/sse', 'GET'],
    ['DELETE', '/sse', 'GET'],
    ['GET', '/messages?sessionId=x', 'POST'],
  ])('%s %s', async (method, path, allow) => {
    serve()
    const response = await handler(new Request(BASE + path, { method }))
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow })
  })

  it('a client that does not take event streams', async () => {
    serve()
    expect((await handler(new Request(`${BASE}/sse`, { headers: { accept: 'application/json' } }))).status).toBe(406)
  })

  it('one session too many', async () => {
    serve({ maxSessions: 1 })
    const first = await open()
    expect((await open()).status).toBe(503)
    await first.cancel()
    expect((await open()).status).toBe(200)
  })

  it('a client that does not read is disconnected', async () => {
    serve({ maxUnread: 10_000 })
    const response = await handler(new Request(`${BASE}/sse`))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    const address = /data: (\S+)/.exec(first)?.[1] ?? ''
    await post(address, initialize())
    await post(address, { jsonrpc: '2.0', method: 'notifications/initialized' })
    for (let id = 2; id < 5; id++) {
      await post(address, {
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'x'.repeat(10_000) } },
      })
    }
    await expect.poll(() => handler.sessions, SOON).toBe(0)
    await expect(reader.read()).rejects.toThrow()
  })
})
