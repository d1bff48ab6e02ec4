/** How HTTP sessions and servers end: limits, idleness, shutdown, and nothing left behind. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, serveHttp } from '../../src/node/index.ts'
import { createServer, resource } from '../../src/server.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { call, gate, initialize, Peer, serve, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(stopAll)

const MINUTE = 60_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('L2 a handshake that is never completed', () => {
  it('ends the session', async () => {
    const clock = fakeClock()
    const { port, serving } = await serve({ clock })
    await call(port, { body: initialize() })
    expect(serving.sessions).toBe(1)
    await clock.advance(31_000)
    expect(serving.sessions).toBe(0)
  })
})

describe('idle sessions', () => {
  it('end after a while, used ones do not', async () => {
    const clock = fakeClock()
    const { port, serving } = await serve({ clock, idleTimeout: '10m' })
    const [used, idle] = [await Peer.open(port), await Peer.open(port)]
    await clock.advance(6 * MINUTE)
    await used.post(toolCall(1, 'now'))
    await clock.advance(6 * MINUTE)
    expect(serving.sessions).toBe(1)
    expect((await idle.post(toolCall(1, 'now'))).status).toBe(404)
    expect((await used.post(toolCall(2, 'now'))).status).toBe(200)
    await clock.advance(20 * MINUTE)
    expect(serving.sessions).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('are not pinged', async () => {
    const clock = fakeClock()
    const { port } = await serve({ clock })
    const peer = await Peer.open(port)
    const own = await peer.listen()
    await clock.advance(5 * MINUTE)
    expect(own.messages).toEqual([])
    own.hangUp()
  })

  it('that listen or wait for an answer are not idle', async () => {
    const clock = fakeClock()
    const { port, serving, waiting, go } = await serve({ clock, answer: 'json' })
    const [listening, asking] = [await Peer.open(port), await Peer.open(port)]
    const own = await listening.listen()
    const answer = asking.post(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(40 * MINUTE)
    expect(serving.sessions).toBe(2)
    go.open()
    expect((await answer).status).toBe(200)
    own.hangUp()
    await own.end()
    // The server hears of it a moment later, and only then the time begins to run.
    while (serving.sessions > 0) await clock.advance(20 * MINUTE)
    expect((await listening.post(toolCall(1, 'now'))).status).toBe(404)
  })

  it('keep the events of finished answers for a minute only', async () => {
    const clock = fakeClock()
    const { MemoryEventLog } = await import('../../src/stores/index.ts')
    const eventLog = new MemoryEventLog()
    const { port, server } = await serve({ clock, eventLog, answer: 'sse' })
    const peer = await Peer.open(port)
    await (await peer.stream(toolCall(1, 'now'))).end()
    server.log('info', 'kept for the stream that may come')
    expect(eventLog.totalLength).toBeGreaterThan(200)
    await clock.advance(3 * MINUTE)
    expect(eventLog.totalLength).toBeLessThan(150)
    const own = await peer.listen()
    await own.until(({ messages }) => messages.length === 1)
    own.hangUp()
    await peer.delete()
    expect(eventLog.totalLength).toBe(0)
  })
})

describe('too many sessions', () => {
  it('the one idle longest makes room', async () => {
    const clock = fakeClock()
    const { port, serving } = await serve({ clock, maxSessions: 3 })
    const peers: Peer[] = []
    for (let n = 0; n < 3; n++) {
      peers.push(await Peer.open(port))
      await clock.advance(5000)
    }
    await peers[0]?.post(toolCall(1, 'now'))
    peers.push(await Peer.open(port))
    expect(serving.sessions).toBe(3)
    expect(await Promise.all(peers.map(async (peer) => (await peer.post(toolCall(2, 'now'))).status))).toEqual([
      200, 404, 200, 200,
    ])
  })

  it('with none idle, nobody is let in (503)', async () => {
    const { port, serving } = await serve({ maxSessions: 2 })
    const peers = [await Peer.open(port), await Peer.open(port)]
    const streams = await Promise.all(peers.map((peer) => peer.listen()))
    expect(await call(port, { body: initialize() })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      json: { error: { message: expect.stringContaining('too many') } },
    })
    expect(serving.sessions).toBe(2)
    await peers[0]?.delete()
    expect((await call(port, { body: initialize() })).status).toBe(200)
    for (const stream of streams) stream.hangUp()
  })

  it('10,000 opened and abandoned leave nothing', async () => {
    const clock = fakeClock()
    const { port, serving, server } = await serve({ clock, maxSessions: 10_000, session: { initialiseTimeout: '2h' } })
    const { Agent } = await import('node:http')
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const open = async () => expect((await call(port, { body: initialize(), agent })).status).toBe(200)
    for (let n = 0; n < 100; n++) await open()
    const before = heap()
    for (let round = 0; round < 99; round++) await Promise.all(Array.from({ length: 100 }, open))
    expect(serving.sessions).toBe(10_000)
    await open()
    expect(serving.sessions).toBe(10_000)
    await clock.advance(31 * MINUTE)
    expect(serving.sessions).toBe(0)
    expect(server.sessions).toHaveLength(0)
    expect(clock.pending).toBe(0)
    agent.destroy()
    // A session takes several KiB, so that all of them would be 30 MiB or more.
    expect(heap() - before).toBeLessThan(8 * 1024 * 1024)
  }, 60_000)
})

describe('L8 shutting down', () => {
  it('lets running requests finish, refuses new sessions, ends streams and stops listening', async () => {
    const { port, serving, waiting, go } = await serve()
    const peer = await Peer.open(port)
    const own = await peer.listen()
    const answer = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    const closing = serving.close({ drain: '5s' })
    go.open()
    expect((await answer).json).toMatchObject({ id: 1, result: { content: [{ text: 'waited' }] } })
    await own.end()
    expect(own.retry).toBe(1000)
    await closing
    await expect(call(port, { body: initialize() })).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/)
    await serving.close()
  })

  it('gives up on what takes too long', async () => {
    const { port, serving, waiting } = await serve()
    const peer = await Peer.open(port)
    const answer = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    await serving.close({ drain: 20 })
    expect(await answer).toMatchObject({
      status: 200,
      json: { id: 1, error: { data: { 'parley/kind': 'session_closed' } } },
    })
  })

  it('says so on a stream, too: there will be nobody to come back to', async () => {
    const clock = fakeClock()
    const { port, serving, waiting } = await serve({ clock })
    const peer = await Peer.open(port)
    const stream = peer.stream(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(1000)
    const events = await stream
    await serving.close({ drain: 0 })
    expect((await events.end()).messages).toMatchObject([
      { id: 1, error: { data: { 'parley/kind': 'session_closed' } } },
    ])
  })

  describe.each([[[1]], [[1, 'b']]])(
    'A-01 C-27 tells each request of a batch %j by its id, all in one array',
    (ids) => {
      const batch = ids.map((id) => toolCall(id, 'wait'))
      const told = ids.map((id) => ({ id, error: { code: -32600, data: { 'parley/kind': 'session_closed' } } }))

      it('as JSON', async () => {
        const { port, serving, waiting } = await serve()
        const answer = (await Peer.open(port, '2025-03-26')).post(batch)
        await waiting.opened
        await serving.close({ drain: 0 })
        expect(await answer).toMatchObject({ status: 200, json: told })
      })

      it('on its stream', async () => {
        const clock = fakeClock()
        const { port, serving, waiting } = await serve({ clock })
        const stream = (await Peer.open(port, '2025-03-26')).stream(batch)
        await waiting.opened
        await clock.advance(15_000)
        const events = await stream
        await serving.close({ drain: 0 })
        expect((await events.end()).messages).toMatchObject([told])
      })
    },
  )

  it.each(['json', 'sse'] as const)(
    'L6 D-62 a client reads again in its next session what it waited for, told by %s',
    async (answer) => {
      const begun = gate()
      const server = createServer({ name: 's', version: '1' }, { onError: () => {} }).add(
        resource('a://x', { name: 'x' }, async (_, ctx) => {
          begun.open()
          await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
          return { text: 'too late' }
        }),
      )
      const first = await serveHttp(server, { port: 0, answer })
      const client = await connect(first.url, { version: '2025-11-25', reconnect: { delays: ['5ms'] } })
      const reading = client.read('a://x')
      await begun.opened
      await first.close({ drain: 0 })
      const fresh = createServer({ name: 's', version: '2' }).add(
        resource('a://x', { name: 'x' }, () => ({ text: 'fresh' })),
      )
      const second = await serveHttp(fresh, { port: first.port })
      expect((await reading).contents).toMatchObject([{ text: 'fresh' }])
      await client.close()
      await second.close()
    },
  )

  it('ends connections that are kept open for nothing', async () => {
    const { Agent } = await import('node:http')
    const { port, serving } = await serve()
    const agent = new Agent({ keepAlive: true })
    await call(port, { body: initialize(), agent })
    await serving.close()
    agent.destroy()
  })

  it('a server that is disposed of is closed', async () => {
    const { port } = await (async () => {
      await using serving = await serveHttp(createServer({ name: 'x', version: '1' }), { port: 0 })
      return { port: serving.port }
    })()
    await expect(call(port, { body: initialize() })).rejects.toThrow()
  })

  it('the server value lives on, and can be served again', async () => {
    const { server, serving } = await serve()
    await serving.close()
    const again = await serveHttp(server, { port: 0 })
    const peer = await Peer.open(again.port)
    expect((await peer.post(toolCall(1, 'now'))).status).toBe(200)
    await again.close()
  })
})
