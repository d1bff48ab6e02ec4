/**
 * How requests of the stateless era end over real HTTP: hang-ups, limits, listeners, shutdown, and nothing left behind.
 */
import { request } from 'node:http'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchHandler, tool } from '../../src/server.ts'
import { fakeClock, flush } from '../../src/testing/index.ts'
import { SseParser } from '../../src/transport/index.ts'
import { call, gate, JSON_HEADERS } from './http-server.fixtures.ts'
import { ask, posting, serveStateless, stopStateless, stream, Told, tellingServer } from './http-stateless.fixtures.ts'

afterEach(stopStateless)

const LISTEN = 'subscriptions/listen'
const FOR_TOOLS = { notifications: { toolsListChanged: true } }

/** A request that is sent and can be dropped. */
function leaver(port: number, method: string, params: Record<string, unknown>): { leave(): void } {
  const { body, headers } = posting(method, params)
  const asked = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/mcp',
    headers: { ...JSON_HEADERS, ...headers },
    agent: false,
  })
  asked.on('error', () => {})
  asked.end(JSON.stringify(body))
  return { leave: () => void asked.destroy() }
}

/** A request as it goes over a connection. */
function raw(method: string, params: Record<string, unknown>, meta?: Record<string, unknown>): string {
  const { body, headers } = posting(method, params, meta === undefined ? {} : { meta })
  const content = JSON.stringify(body)
  const all = { ...JSON_HEADERS, ...headers, host: 'localhost', 'content-length': String(Buffer.byteLength(content)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${content}`
}

function overHttp2(session: ClientHttp2Session, method: string, params: Record<string, unknown>): ClientHttp2Stream {
  const { body, headers } = posting(method, params)
  const asked = session.request({ ':path': '/mcp', ':method': 'POST', ...JSON_HEADERS, ...headers })
  asked.on('error', () => {})
  asked.end(JSON.stringify(body))
  return asked
}

async function textOf(asked: ClientHttp2Stream): Promise<string> {
  let text = ''
  for await (const chunk of asked.setEncoding('utf8')) text += chunk
  return text
}

describe('D-63 hanging up cancels', () => {
  it.each(['auto', 'json', 'sse'] as const)('a call that has not said anything (%s)', async (answer) => {
    const { port, told, server } = await serveStateless({ answer })
    const one = leaver(port, 'tools/call', { name: 'wait' })
    await told.until('begun')
    expect(server.health().inFlight).toBe(1)
    one.leave()
    await told.until('aborted')
    expect(server.health().inFlight).toBe(0)
    expect(told.words).toEqual(['begun', 'aborted'])
  })

  it('a call whose stream is open', async () => {
    const { port, told, server } = await serveStateless()
    const events = await stream(port, 'tools/call', { name: 'announce' }, { meta: { progressToken: 1 } })
    await events.until(({ messages }) => messages.length === 1)
    events.hangUp()
    await told.until('aborted')
    expect(server.health().inFlight).toBe(0)
  })

  it('that call only', async () => {
    const { port, told, go } = await serveStateless()
    const staying = ask(port, 'tools/call', { name: 'wait' })
    const leaving = leaver(port, 'tools/call', { name: 'wait' })
    await told.until('begun', 2)
    leaving.leave()
    await told.until('aborted')
    go.open()
    expect((await staying).json.result).toMatchObject({ content: [{ text: 'waited' }] })
  })

  it('over HTTP/2, of one request on a connection', async () => {
    const { port, told, server } = await serveStateless({ http2: true })
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    const asked = overHttp2(session, 'tools/call', { name: 'wait' })
    await told.until('begun')
    asked.close(8)
    await told.until('aborted')
    const listening = overHttp2(session, LISTEN, FOR_TOOLS)
    await new Promise((resolve) => listening.once('data', resolve))
    expect(server.health().inFlight).toBe(1)
    listening.close(8)
    while (server.health().inFlight > 0) await flush()
    expect(JSON.parse(await textOf(overHttp2(session, 'tools/call', { name: 'now' })))).toMatchObject({
      result: { resultType: 'complete' },
    })
    session.destroy()
  })

  it('all requests of a connection, also those behind one that is not answered', async () => {
    const { port, told, server } = await serveStateless()
    const socket = dial(port, '127.0.0.1')
    socket.write(raw(LISTEN, FOR_TOOLS) + raw('tools/call', { name: 'wait' }) + raw(LISTEN, FOR_TOOLS))
    await told.until('begun')
    while (server.health().inFlight < 3) await flush()
    socket.destroy()
    await told.until('aborted')
    while (server.health().inFlight > 0) await flush()
  })

  it('also where conversations are recorded for crash reports', async () => {
    const { port, told, server } = await serveStateless({ crashReports: join(tmpdir(), 'parley-never-written') })
    expect((await ask(port, 'tools/call', { name: 'now' })).status).toBe(200)
    expect((await ask(port, 'odd/method')).status).toBe(404)
    const one = leaver(port, 'tools/call', { name: 'wait' })
    await told.until('begun')
    one.leave()
    await told.until('aborted')
    expect(server.health().inFlight).toBe(0)
  })

  it('an answered call is not aborted when its connection ends later', async () => {
    const { port, told, go } = await serveStateless()
    go.open()
    await ask(port, 'tools/call', { name: 'wait' })
    await ask(port, 'tools/call', { name: 'now' })
    expect(told.words).toEqual(['begun'])
  })
})

describe('by fetch', () => {
  const rig = (options = {}) => {
    const [told, go] = [new Told(), gate()]
    const server = tellingServer(told, go)
    const handler = fetchHandler(server, options)
    const post = (method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<Response> => {
      const { body, headers } = posting(method, params)
      const init = {
        method: 'POST',
        headers: { ...JSON_HEADERS, ...(headers as Record<string, string>) },
        body: JSON.stringify(body),
      }
      return handler(new Request('http://localhost/mcp', signal === undefined ? init : { ...init, signal }))
    }
    return { told, go, server, handler, post }
  }

  it('answers, and refuses', async () => {
    const { post, handler } = rig()
    const answer = await post('tools/call', { name: 'echo', arguments: { text: 'x' } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ id: 1, result: { resultType: 'complete', content: [{ text: 'x' }] } })
    expect(await (await post('tools/list', {})).json()).toMatchObject({ result: { tools: expect.any(Array) } })
    expect((await post('odd/method', {})).status).toBe(404)
    expect(handler.sessions).toBe(0)
    await handler.close()
  })

  it('D-63 the signal of the request cancels it', async () => {
    const { told, post, handler, server } = rig()
    const leaving = new AbortController()
    void post('tools/call', { name: 'wait' }, leaving.signal)
    await told.until('begun')
    leaving.abort()
    expect(told.words).toEqual(['begun', 'aborted'])
    expect(server.health().inFlight).toBe(0)
    await handler.close()
  })

  it('D-63 so does who stops reading', async () => {
    const { post, handler, server } = rig()
    const response = await post(LISTEN, FOR_TOOLS)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    expect(server.health().inFlight).toBe(1)
    await reader.cancel()
    expect(server.health().inFlight).toBe(0)
    await handler.close()
  })

  it('the end of the handler ends listeners with an answer', async () => {
    const { post, handler } = rig()
    const response = await post(LISTEN, FOR_TOOLS)
    const text = response.text()
    await handler.close()
    const messages = new SseParser().push(await text).map(({ data }) => JSON.parse(data))
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
      { id: 1, result: { resultType: 'complete' } },
    ])
  })
})

describe('D-29 listening', () => {
  it.each(['auto', 'json', 'sse'] as const)(
    'is acknowledged first, then told what was asked for (%s)',
    async (answer) => {
      const { port, server } = await serveStateless({ answer })
      const events = await stream(
        port,
        LISTEN,
        { notifications: { toolsListChanged: true, promptsListChanged: false } },
        { id: 'ear' },
      )
      expect(events).toMatchObject({
        status: 200,
        headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      })
      await events.until(({ messages }) => messages.length === 1)
      const about = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' } }
      expect(events.messages).toMatchObject([
        {
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: { toolsListChanged: true }, ...about },
        },
      ])
      server.remove('prompt', 'greet')
      server.add(tool('fresh', {}, () => 'new'))
      await events.until(({ messages }) => messages.length === 2)
      expect(events.messages[1]).toMatchObject({ method: 'notifications/tools/list_changed', params: about })
      expect(events.text).not.toMatch(/^(id|retry):/m)
      events.hangUp()
      while (server.health().inFlight > 0) await flush()
    },
  )

  it('what is wrong with it is told by JSON', async () => {
    const { port } = await serveStateless()
    expect(await ask(port, LISTEN, {})).toMatchObject({
      headers: { 'content-type': 'application/json' },
      json: { error: { code: -32602 } },
    })
  })

  it('D-66 is kept alive by comments', async () => {
    const clock = fakeClock()
    const { port } = await serveStateless({ clock })
    const events = await stream(port, LISTEN, FOR_TOOLS)
    await events.until(({ messages }) => messages.length === 1)
    await clock.advance(31_000)
    await events.until(({ text }) => text.split(': keep-alive').length === 3)
    expect(events.messages).toHaveLength(1)
    events.hangUp()
  })

  it('D-66 a call that takes long becomes a stream as well', async () => {
    const clock = fakeClock()
    const { port, told, go } = await serveStateless({ clock })
    const opening = stream(port, 'tools/call', { name: 'wait' })
    await told.until('begun')
    await clock.advance(31_000)
    const events = await opening
    await events.until(({ text }) => text.includes(': keep-alive'))
    go.open()
    expect((await events.end()).messages).toMatchObject([{ id: 1, result: { content: [{ text: 'waited' }] } }])
  })
})

describe('limits', () => {
  it('more requests than may wait are refused (429), of whoever', async () => {
    const { port, told, go } = await serveStateless({ maxRequests: 2 })
    const events = await stream(port, LISTEN, FOR_TOOLS)
    const waiting = ask(port, 'tools/call', { name: 'wait' })
    await told.until('begun')
    const refused = await ask(port, 'tools/call', { name: 'now' }, { id: 'late' })
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { id: 'late', error: { data: { 'parley/kind': 'too_many_requests' } } },
    })
    go.open()
    await waiting
    expect((await ask(port, 'tools/call', { name: 'now' })).status).toBe(200)
    events.hangUp()
  })

  it('the limits of a session are not those of all clients together', async () => {
    const { port, told, go } = await serveStateless({}, { maxInFlight: 1 })
    const waiting = [1, 2, 3].map((id) => ask(port, 'tools/call', { name: 'wait' }, { id }))
    await told.until('begun', 3)
    go.open()
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
  })

  it('a client that does not read is hung up on, and its call cancelled', async () => {
    const { port, server, told } = await serveStateless({ maxUnread: 100_000 })
    server.add(
      tool('flood', {}, async (_, ctx) => {
        for (let n = 0; !ctx.signal.aborted && n < 10_000; n++) {
          ctx.progress(n, undefined, 'x'.repeat(50_000))
          await flush()
        }
        told.say(ctx.signal.aborted ? 'stopped' : 'drowned')
        return ''
      }),
    )
    const socket = dial(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(raw('tools/call', { name: 'flood' }, { progressToken: 1 }))
    await told.until('stopped')
    expect(server.health().inFlight).toBe(0)
    socket.destroy()
  })
})

describe('L10 shutdown', () => {
  it('ends listeners with an answer, lets calls finish, and refuses what comes', async () => {
    const { port, serving, told, go } = await serveStateless()
    const events = await stream(port, LISTEN, FOR_TOOLS, { id: 'ear' })
    await events.until(({ messages }) => messages.length === 1)
    const waiting = ask(port, 'tools/call', { name: 'wait' })
    await told.until('begun')
    const closed = serving.close()
    await events.end()
    expect(events.messages[1]).toMatchObject({
      id: 'ear',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' } },
    })
    go.open()
    expect((await waiting).json.result).toMatchObject({ content: [{ text: 'waited' }] })
    await closed
  })

  it('tells calls that take too long why there is no answer', async () => {
    const { port, serving, told } = await serveStateless()
    const waiting = ask(port, 'tools/call', { name: 'wait' })
    const events = await stream(port, 'tools/call', { name: 'announce' }, { id: 2, meta: { progressToken: 1 } })
    await events.until(({ messages }) => messages.length === 1)
    await told.until('begun')
    await serving.close({ drain: 0 })
    const why = { error: { data: { 'parley/kind': 'shutting_down' } } }
    expect(await waiting).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, json: { id: 1, ...why } })
    expect((await events.end()).messages[1]).toMatchObject({ id: 2, ...why })
    expect(told.words).toEqual(['begun', 'aborted', 'aborted'])
  })

  it('of the sessions only, by the server itself, is no end: the next request is answered', async () => {
    const { port, server } = await serveStateless()
    expect((await ask(port, 'tools/call', { name: 'now' })).status).toBe(200)
    await server.close({ drain: 0 })
    expect((await ask(port, 'tools/call', { name: 'now' })).status).toBe(200)
  })

  it('leaves no timers', async () => {
    const clock = fakeClock()
    const { port, serving, told } = await serveStateless({ clock })
    void ask(port, 'tools/call', { name: 'wait' })
    await (await stream(port, LISTEN, FOR_TOOLS)).until(({ messages }) => messages.length === 1)
    await told.until('begun')
    await clock.advance(31_000)
    await serving.close({ drain: 0 })
    expect(clock.pending).toBe(0)
    await expect(call(port, posting('tools/list'))).rejects.toThrow()
  })
})
