/**
 * Clients that hang up, come twice or never finish, and what the other clients of an HTTP server notice of it: nothing.
 */
import { request } from 'node:http'
import { connect } from 'node:http2'
import { afterEach, describe, expect, it } from 'vitest'
import { serveHttp } from '../../src/node/index.ts'
import { createServer, fetchHandler, tool } from '../../src/server.ts'
import { type EventLog, type LoggedEvent, MemoryEventLog } from '../../src/stores/index.ts'
import { fakeClock, flush } from '../../src/testing/index.ts'
import { Guard } from '../../src/transport/index.ts'
import { call, gate, initialize, JSON_HEADERS, Peer, serve, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(stopAll)

const MINUTE = 60_000

/** Posts, waits until the call runs, and hangs up. */
async function askAndLeave({ port, id }: Peer, begun: Promise<void>): Promise<void> {
  const asked = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/mcp',
    headers: { ...JSON_HEADERS, 'mcp-session-id': id },
    agent: false,
  })
  asked.on('error', () => {})
  asked.end(JSON.stringify(toolCall(1, 'wait')))
  await begun
  const closed = new Promise((resolve) => asked.once('close', resolve))
  asked.destroy()
  await closed
}

/** A log whose reading takes until the test says so. */
class SlowLog implements EventLog {
  readonly #log = new MemoryEventLog()
  readonly reads: (() => void)[] = []

  append(session: string, event: LoggedEvent): void {
    this.#log.append(session, event)
  }

  async read(session: string, stream: number): Promise<readonly LoggedEvent[]> {
    const kept = this.#log.read(session, stream)
    await new Promise<void>((resolve) => this.reads.push(resolve))
    return kept
  }

  forget(session: string, except?: ReadonlySet<number>): void {
    this.#log.forget(session, except)
  }

  async asked(times: number): Promise<void> {
    while (this.reads.length < times) await flush()
  }
}

describe('A-11 a call whose client hung up', () => {
  it.each(['json', 'auto', 'sse'] as const)('does not keep its session for ever (%s)', async (answer) => {
    const clock = fakeClock()
    const { port, serving, server, waiting } = await serve({ clock, answer, idleTimeout: '10m' })
    const peer = await Peer.open(port)
    await askAndLeave(peer, waiting.opened)
    await clock.advance(5 * MINUTE)
    expect(serving.sessions).toBe(1)
    expect(server.health().inFlight).toBe(1)
    // The server hears of it a moment later, and only then the time begins to run.
    for (let n = 0; n < 20 && serving.sessions > 0; n++) await clock.advance(5 * MINUTE)
    expect(serving.sessions).toBe(0)
    expect(server.health().inFlight).toBe(0)
  })

  it('makes room for a new client', async () => {
    const { port, waiting } = await serve({ maxSessions: 1, answer: 'json' })
    await askAndLeave(await Peer.open(port), waiting.opened)
    let status = 503
    for (let n = 0; n < 1000 && status === 503; n++) status = (await call(port, { body: initialize() })).status
    expect(status).toBe(200)
  })

  it('an answer that came late leaves as much time as any other', async () => {
    const clock = fakeClock()
    const { port, serving, waiting, go } = await serve({ clock, answer: 'json', idleTimeout: '10m' })
    const peer = await Peer.open(port)
    const answer = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(30 * MINUTE)
    go.open()
    expect((await answer).status).toBe(200)
    await clock.advance(8 * MINUTE)
    expect(serving.sessions).toBe(1)
    await clock.advance(6 * MINUTE)
    expect(serving.sessions).toBe(0)
  })

  it('by fetch, the signal of the request says so', async () => {
    const clock = fakeClock()
    const begun = gate()
    const server = createServer({ name: 'x', version: '1' }).add(
      tool('wait', {}, () => {
        begun.open()
        return new Promise<string>(() => {})
      }),
    )
    const handler = fetchHandler(server, { clock, answer: 'json', idleTimeout: '10m' })
    const post = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      handler(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { ...JSON_HEADERS, ...headers },
          body: JSON.stringify(body),
          ...(signal === undefined ? {} : { signal }),
        }),
      )
    const id = String((await post(initialize())).headers.get('mcp-session-id'))
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': id })
    const leaving = new AbortController()
    void post(toolCall(1, 'wait'), { 'mcp-session-id': id }, leaving.signal)
    await begun.opened
    await clock.advance(15 * MINUTE)
    expect(handler.sessions).toBe(1)
    leaving.abort()
    await clock.advance(15 * MINUTE)
    expect(handler.sessions).toBe(0)
    await handler.close()
  })
})

describe('A-11 a log that takes its time', () => {
  it('a stream whose client left meanwhile is free for the next', async () => {
    const eventLog = new SlowLog()
    const { port, server } = await serve({ eventLog })
    const peer = await Peer.open(port)
    server.log('info', 'one')
    const headers = { accept: 'text/event-stream', 'mcp-session-id': peer.id }
    const asked = request({ port, host: '127.0.0.1', path: '/mcp', headers, agent: false })
    asked.on('error', () => {})
    asked.end()
    await eventLog.asked(1)
    asked.destroy()
    // Another request on the way makes sure that the server has heard of it.
    for (let n = 0; n < 5; n++) await peer.post(toolCall(n, 'now'))
    eventLog.reads[0]?.()
    await flush()
    const again = peer.listen()
    await eventLog.asked(2)
    eventLog.reads[1]?.()
    const own = await again
    expect(own.status).toBe(200)
    await own.until(({ messages }) => messages.length === 1)
    own.hangUp()
  })

  it('the same over HTTP/2', async () => {
    const clock = fakeClock()
    const eventLog = new SlowLog()
    const { port, server, serving } = await serve({ eventLog, clock, http2: true, idleTimeout: '10m' })
    const peer = await Peer.open(port)
    server.log('info', 'one')
    const client = connect(`http://127.0.0.1:${port}`)
    const stream = client.request({ ':path': '/mcp', accept: 'text/event-stream', 'mcp-session-id': peer.id })
    stream.on('error', () => {})
    await eventLog.asked(1)
    stream.close(8)
    await new Promise((resolve) => stream.once('close', resolve))
    for (let n = 0; n < 5; n++) await peer.post(toolCall(n, 'now'))
    eventLog.reads[0]?.()
    await flush()
    await clock.advance(15 * MINUTE)
    expect(serving.sessions).toBe(0)
    client.destroy()
  })

  it('of two that take up a stream, the later has it, and misses nothing', async () => {
    const eventLog = new SlowLog()
    const { port, server } = await serve({ eventLog })
    const peer = await Peer.open(port)
    server.log('info', 'one')
    const first = peer.get()
    await eventLog.asked(1)
    server.log('info', 'two')
    const second = peer.listen()
    await eventLog.asked(2)
    server.log('info', 'three')
    eventLog.reads[0]?.()
    expect((await first).status).toBe(409)
    server.log('info', 'four')
    eventLog.reads[1]?.()
    const own = await (await second).until(({ messages }) => messages.length === 4)
    expect(own.messages.map(({ params }) => params?.['data'])).toEqual(['one', 'two', 'three', 'four'])
    own.hangUp()
  })

  it('a session that ended meanwhile has no stream', async () => {
    const eventLog = new SlowLog()
    const { port, server } = await serve({ eventLog })
    const peer = await Peer.open(port)
    server.log('info', 'one')
    const own = peer.get()
    await eventLog.asked(1)
    await peer.delete()
    eventLog.reads[0]?.()
    expect(await own).toMatchObject({ status: 404, json: { error: { data: { 'parley/kind': 'session_closed' } } } })
  })
})

describe('A-11 what is kept', () => {
  it('a session that listens does not keep the events of finished answers for ever', async () => {
    const clock = fakeClock()
    const eventLog = new MemoryEventLog()
    const { port } = await serve({ clock, eventLog, answer: 'sse' })
    const peer = await Peer.open(port)
    const own = await peer.listen()
    await (await peer.stream(toolCall(1, 'now'))).end()
    expect(eventLog.totalLength).toBeGreaterThan(0)
    await clock.advance(3 * MINUTE)
    expect(eventLog.totalLength).toBe(0)
    own.hangUp()
  })

  it('can be had again whatever characters session ids have', async () => {
    let count = 0
    const { port } = await serve({ answer: 'sse', mint: () => `a+b/c.d~${++count}.=` })
    const peer = await Peer.open(port)
    const events = await (await peer.stream(toolCall(1, 'now'))).end()
    const first = events.seen[0]?.id ?? ''
    const again = await (await peer.listen({ 'last-event-id': first })).end()
    expect(again.status).toBe(200)
    expect(again.messages).toMatchObject([{ id: 1 }])
  })
})

describe('L2 too many sessions', () => {
  it('those that never finished their handshake make room first', async () => {
    const clock = fakeClock()
    const { port, serving } = await serve({ clock, maxSessions: 3 })
    const settled = await Peer.open(port)
    await clock.advance(5000)
    const unfinished = await call(port, { body: initialize() })
    await clock.advance(5000)
    const another = await Peer.open(port)
    await Peer.open(port)
    expect(serving.sessions).toBe(3)
    expect((await settled.post(toolCall(1, 'now'))).status).toBe(200)
    expect((await another.post(toolCall(1, 'now'))).status).toBe(200)
    const late = new Peer(port, String(unfinished.headers['mcp-session-id']), '2025-11-25')
    expect((await late.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(404)
  })

  it('however young: a flood of handshakes does not end the sessions of others', async () => {
    const clock = fakeClock()
    const { port, serving } = await serve({ clock, maxSessions: 5 })
    const peers = await Promise.all(Array.from({ length: 4 }, () => Peer.open(port)))
    for (const peer of peers) await peer.post(toolCall(1, 'now'))
    for (let flood = 0; flood < 100; flood++) {
      expect((await call(port, { body: initialize() })).status).toBe(200)
      await clock.advance(10)
    }
    expect(serving.sessions).toBe(5)
    expect(await Promise.all(peers.map(async (peer) => (await peer.post(toolCall(2, 'now'))).status))).toEqual([
      200, 200, 200, 200,
    ])
  })

  it('of the principal that has the most, and of the others none', async () => {
    const { port, serving } = await serve({ maxSessions: 6, principal: ({ header }) => header('x-user') })
    const open = (user: string) => call(port, { body: initialize(), headers: { 'x-user': user } })
    const quiet = [await open('ann'), await open('bea')].map(({ headers }) => String(headers['mcp-session-id']))
    for (let flood = 0; flood < 50; flood++) expect((await open('mallory')).status).toBe(200)
    expect(serving.sessions).toBe(6)
    const called = quiet.map((id, at) =>
      call(port, {
        body: toolCall(1, 'now'),
        headers: { ...JSON_HEADERS, 'mcp-session-id': id, 'x-user': at === 0 ? 'ann' : 'bea' },
      }),
    )
    // Their handshake is not complete, but they are still there.
    for (const { json } of await Promise.all(called))
      expect(json).not.toMatchObject({ error: { data: { 'parley/kind': 'session_closed' } } })
  })

  it.each([
    ['a moment ago stays', 60_000, 503, 202],
    ['long ago makes room, and its client is told to begin anew', 120_000, 200, 404],
  ])('a session whose client was asked something %s', async (_, silence, status, forOld) => {
    const clock = fakeClock()
    const server = createServer({ name: 'x', version: '1' }, { clock }).add(
      tool('ask', {}, async (_input, ctx) =>
        JSON.stringify(await ctx.elicit('go', 'Go on?', { type: 'object', properties: {} } as never)),
      ),
    )
    const serving = await serveHttp(server, { port: 0, clock, maxSessions: 1 })
    const { port } = serving
    const capabilities = { elicitation: {} }
    const opened = await call(port, {
      body: { ...initialize(), params: { ...(initialize() as { params: object }).params, capabilities } },
    })
    const peer = new Peer(port, String(opened.headers['mcp-session-id']), '2025-11-25')
    await peer.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const asked = await peer.stream(toolCall(1, 'ask'))
    await asked.until(({ messages }) => messages.some(({ method }) => method === 'elicitation/create'))
    await clock.advance(silence)
    expect((await call(port, { body: initialize() })).status).toBe(status)
    const late = await peer.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
    expect(late.status).toBe(forOld)
    if (forOld === 404) {
      expect(late.json).toMatchObject({
        error: { message: expect.stringContaining('begin a new one with initialize') },
      })
      expect((await asked.end()).messages.at(-1)).toMatchObject({
        id: 1,
        error: { data: { 'parley/kind': 'session_closed' } },
      })
    } else asked.hangUp()
    await serving.close({ drain: 0 })
  })
})

describe('C-41 the guard', () => {
  it('lets probes ask for the health by any name, and tells them nothing else', async () => {
    const { port } = await serve({ healthPath: '/healthz' })
    const asked = (method: string) => call(port, { method, path: '/healthz', headers: { host: '10.0.0.7:3000' } })
    expect(await asked('GET')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    expect((await asked('HEAD')).status).toBe(200)
    expect((await asked('POST')).status).toBe(403)
    expect((await call(port, { body: initialize(), headers: { host: '10.0.0.7:3000' } })).status).toBe(403)
  })

  it('a server on another loopback address can be reached by it', async () => {
    await using serving = await serveHttp(createServer({ name: 'x', version: '1' }), { port: 0, host: '127.0.0.2' })
    const response = await fetch(serving.url, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: JSON.stringify(initialize()),
    })
    expect(response.status).toBe(200)
    await response.text()
  })

  it.each(['127.0.0.2.evil.example', '127.0.0.256', '127.0.2', '128.0.0.1', 'x127.0.0.2'])(
    '%s is no loopback address',
    (host) => {
      expect(new Guard().objection(host, undefined)).toBeDefined()
    },
  )

  it('hosts that are listed are all there are', () => {
    expect(new Guard({ allowedHosts: ['mcp.example'] }).objection('127.0.0.2', undefined)).toBeDefined()
  })
})
