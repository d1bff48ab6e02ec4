/** Event streams of Streamable HTTP: when there is one, what is on it, and how it is taken up again. */
import { afterEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../src/testing/index.ts'
import { Events, initialize, Peer, serve, start, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(stopAll)

const SSE = 'text/event-stream'
const texts = (events: Events) => events.messages.map(({ method, id }) => method ?? id)

describe('the form of an answer', () => {
  it('auto: JSON, until something comes before the answer', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    expect((await peer.post(toolCall(1, 'soon'))).headers['content-type']).toBe('application/json')
    const events = await (await peer.stream(toolCall(2, 'report', {}, { progressToken: 'p' }))).end()
    expect(events.headers).toMatchObject({
      'content-type': SSE,
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    expect(texts(events)).toEqual(['notifications/progress', 'notifications/progress', 2])
  })

  it('auto: a stream, when the answer takes long', async () => {
    const clock = fakeClock()
    const { port, go, waiting } = await serve({ clock })
    const peer = await Peer.open(port)
    const stream = peer.stream(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(15_000)
    const events = await stream
    expect(events.headers['content-type']).toBe(SSE)
    go.open()
    expect((await events.end()).messages).toMatchObject([{ id: 1 }])
  })

  it('json: always JSON; what belongs to the request goes to the stream of the session', async () => {
    const { port } = await serve({ answer: 'json' })
    const peer = await Peer.open(port)
    const own = await peer.listen()
    const answer = await peer.post(toolCall(1, 'report', {}, { progressToken: 'p' }))
    expect(answer.json).toMatchObject({ id: 1 })
    await own.until(({ messages }) => messages.length === 2)
    own.hangUp()
  })

  it('sse: always a stream', async () => {
    const clock = fakeClock()
    const { port, go, waiting } = await serve({ answer: 'sse', clock })
    const first = new Events(await start(port, { body: initialize() }))
    expect((await first.end()).messages).toMatchObject([{ id: 'init' }])
    const peer = new Peer(port, String(first.headers['mcp-session-id']), '2025-11-25')
    for (const name of ['now', 'soon']) {
      const events = await (await peer.stream(toolCall(name, name))).end()
      expect(events.headers['content-type']).toBe(SSE)
      expect(texts(events)).toEqual([name])
    }
    const slow = peer.stream(toolCall(3, 'wait'))
    await waiting.opened
    await clock.advance(0)
    const events = await (await slow).until(({ seen }) => seen.length === 1)
    go.open()
    expect(texts(await events.end())).toEqual([3])
  })
})

describe('C-40 a call that is silent for a second', () => {
  it('is a stream for clients that can come back with its first event, and they do', async () => {
    const clock = fakeClock()
    const { port, go, waiting } = await serve({ clock })
    const peer = await Peer.open(port)
    const called = peer.stream(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(1000)
    const events = await (await called).until(({ seen }) => seen.length === 1)
    expect(events.seen).toEqual([{ id: expect.stringMatching(/-0$/), data: '', retry: 1000 }])
    events.hangUp()
    await events.end()
    const resumed = await peer.listen({ 'last-event-id': events.lastEventId })
    go.open()
    expect((await resumed.end()).messages).toMatchObject([{ id: 1, result: { content: [{ type: 'text' }] } }])
  })

  it('is plain JSON when it is answered before', async () => {
    const clock = fakeClock()
    const { port, go, waiting } = await serve({ clock })
    const peer = await Peer.open(port)
    const called = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(499)
    go.open()
    expect((await called).headers['content-type']).toBe('application/json')
  })

  it.each(['2025-03-26', '2025-06-18'])('is plain JSON for clients of %s', async (version) => {
    const clock = fakeClock()
    const { port, go, waiting } = await serve({ clock })
    const peer = await Peer.open(port, version)
    const called = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(4999)
    go.open()
    expect((await called).headers['content-type']).toBe('application/json')
  })
})

describe('C-40 the first event', () => {
  const first = async (version: string) => {
    const { port } = await serve({ answer: 'sse', retry: 1234 })
    const peer = await Peer.open(port, version)
    return (await (await peer.stream(toolCall(1, 'now'))).end()).seen
  }

  it('is empty and has an id for clients that know it', async () => {
    const seen = await first('2025-11-25')
    expect(seen[0]).toEqual({ id: expect.stringMatching(/-0$/), data: '', retry: 1234 })
    expect(seen).toHaveLength(2)
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('is the first message for %s', async (version) => {
    const seen = await first(version)
    expect(seen.map(({ data }) => JSON.parse(data).id)).toEqual([1])
  })
})

describe('the stream of the session', () => {
  it('carries what belongs to no request', async () => {
    const { port, server } = await serve()
    const peer = await Peer.open(port)
    const own = await peer.listen()
    expect(own.headers['content-type']).toBe(SSE)
    server.log('info', 'hello')
    await own.until(({ messages }) => messages.length === 1)
    expect(own.messages).toMatchObject([{ method: 'notifications/message', params: { data: 'hello' } }])
    own.hangUp()
  })

  it('is one: a second is refused (409) until the first is over', async () => {
    const { port, server } = await serve()
    const peer = await Peer.open(port)
    const own = await peer.listen()
    expect(await peer.get()).toMatchObject({
      status: 409,
      json: { error: { message: expect.stringContaining('Last-Event-ID') } },
    })
    own.hangUp()
    await own.end()
    let again = await peer.listen()
    while (again.status === 409) again = await peer.listen()
    server.log('info', 'hello')
    await again.until(({ messages }) => messages.length === 1)
    again.hangUp()
  })

  it('begins with what was sent while nobody listened', async () => {
    const { port, server } = await serve()
    const peer = await Peer.open(port)
    server.log('info', 'one')
    server.log('info', 'two')
    const own = await peer.listen()
    server.log('info', 'three')
    await own.until(({ messages }) => messages.length === 3)
    expect(own.messages.map(({ params }) => params?.['data'])).toEqual(['one', 'two', 'three'])
    own.hangUp()
  })

  it('keeps only so much of that', async () => {
    const { port, server } = await serve({ eventLog: { maxEvents: 3 } })
    const peer = await Peer.open(port)
    for (let n = 0; n < 10; n++) server.log('info', n)
    const own = await peer.listen()
    await own.until(({ messages }) => messages.length === 3)
    expect(own.messages.map(({ params }) => params?.['data'])).toEqual([7, 8, 9])
    own.hangUp()
  })

  it('is kept alive by comments', async () => {
    const clock = fakeClock()
    const { port } = await serve({ clock })
    const peer = await Peer.open(port)
    const own = await peer.listen()
    await clock.advance(20_000)
    await own.until(({ text }) => text.includes(': keep-alive\n\n'))
    expect(own.messages).toEqual([])
    own.hangUp()
  })

  it('D-66 a waiting answer is kept alive, too, but not one that speaks anyway', async () => {
    const clock = fakeClock()
    const { port, go, waiting } = await serve({ clock, answer: 'sse' })
    const peer = await Peer.open(port)
    const stream = peer.stream(toolCall(1, 'wait'))
    await waiting.opened
    await clock.advance(40_000)
    const events = await (await stream).until(({ text }) => text.split(': keep-alive').length === 3)
    go.open()
    await events.end()
    // Those that look for what is idle: sessions, streams and connections.
    expect(clock.pending).toBeLessThanOrEqual(3)
  })
})

describe('server requests', () => {
  it('come on the stream of the call they belong to, and are answered by a post', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port, '2025-11-25', { roots: {} })
    const events = await (await peer.stream(toolCall(1, 'ask'))).until(({ messages }) => messages.length === 1)
    expect(events.messages[0]).toMatchObject({ method: 'roots/list' })
    const roots = [{ uri: 'file:///x' }]
    expect((await peer.post({ jsonrpc: '2.0', id: events.messages[0]?.id, result: { roots } })).status).toBe(202)
    await events.end()
    expect(events.messages[1]).toMatchObject({ id: 1, result: { content: [{ text: JSON.stringify(roots) }] } })
  })

  it('that get an answer nobody can read are told so, and so is the sender (400)', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port, '2025-11-25', { roots: {} })
    const events = await (await peer.stream(toolCall(1, 'ask'))).until(({ messages }) => messages.length === 1)
    expect((await peer.post({ jsonrpc: '2.0', id: events.messages[0]?.id, result: 'what' })).status).toBe(400)
    expect((await events.end()).messages[1]).toMatchObject({ id: 1 })
  })
})

describe('cancelling', () => {
  it('ends a waiting response without an answer (202)', async () => {
    const { port, waiting } = await serve()
    const peer = await Peer.open(port)
    const running = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    await peer.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await running).toMatchObject({ status: 202, text: '' })
    expect((await peer.post(toolCall(1, 'now'))).status).toBe(200)
  })

  it('ends a stream', async () => {
    const { port, waiting } = await serve()
    const peer = await Peer.open(port)
    const events = await peer.stream(toolCall(1, 'poll', {}, { progressToken: 1 }))
    await waiting.opened
    await peer.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await events.end()
    expect(texts(events)).toEqual(['notifications/progress'])
  })
})

describe('A-11 A-12 coming back', () => {
  it('hanging up is not cancelling: the answer can be fetched', async () => {
    const { port, go, waiting } = await serve({ answer: 'sse' })
    const peer = await Peer.open(port)
    const events = await (await peer.stream(toolCall(1, 'wait', {}, { progressToken: 'p' }))).until(
      ({ seen }) => seen.length === 1,
    )
    await waiting.opened
    events.hangUp()
    go.open()
    const again = await (await peer.listen({ 'last-event-id': events.lastEventId })).end()
    expect(texts(again)).toEqual(['notifications/progress', 1])
  })

  it('gives what came after the event the client names, again and again, and nothing of another stream', async () => {
    const { port, server } = await serve({ answer: 'sse' })
    const peer = await Peer.open(port)
    server.log('info', 'not yours')
    const [one, two] = await Promise.all(
      ['p', 'q'].map(async (token) =>
        (await peer.stream(toolCall(token, 'report', {}, { progressToken: token }))).end(),
      ),
    )
    const ids = one?.seen.map(({ id }) => String(id)) ?? []
    expect(new Set([...ids, ...(two?.seen.map(({ id }) => String(id)) ?? [])]).size).toBe(8)
    for (const [index, id] of ids.entries()) {
      const again = await (await peer.listen({ 'last-event-id': id })).end()
      expect(texts(again)).toEqual(['notifications/progress', 'notifications/progress', 'p'].slice(index))
      expect(again.seen.filter(({ data }) => data !== '').map((event) => event.id)).toEqual(ids.slice(index + 1))
    }
  })

  it('takes the stream of the session up where it broke off, replacing a connection that is still there', async () => {
    const { port, server } = await serve()
    const peer = await Peer.open(port)
    const own = await peer.listen()
    server.log('info', 1)
    await own.until(({ messages }) => messages.length === 1)
    const from = own.lastEventId
    server.log('info', 2)
    await own.until(({ messages }) => messages.length === 2)
    const again = await peer.listen({ 'last-event-id': from })
    expect(again.status).toBe(200)
    await own.end()
    server.log('info', 3)
    await again.until(({ messages }) => messages.length === 2)
    expect(again.messages.map(({ params }) => params?.['data'])).toEqual([2, 3])
    again.hangUp()
  })

  it('goes on live after the replay', async () => {
    const { port, go, waiting } = await serve({ answer: 'sse' })
    const peer = await Peer.open(port)
    const events = await (await peer.stream(toolCall(1, 'poll', {}, { progressToken: 'p' }))).end()
    await waiting.opened
    const again = await peer.listen({ 'last-event-id': events.seen[0]?.id })
    await again.until(({ messages }) => messages.length === 1)
    go.open()
    expect(texts(await again.end())).toEqual(['notifications/progress', 'notifications/progress', 1])
  })

  it.each(['nonsense', '', 'a.1-1', 'a-b', '../../x', 'x.99999999999999999999-1'])(
    '%j is no event of this session (400)',
    async (id) => {
      const { port } = await serve()
      const peer = await Peer.open(port)
      expect((await peer.get({ 'last-event-id': id })).status).toBe(400)
    },
  )

  it('events of another session, of the future, or forgotten, are refused (400)', async () => {
    const { port } = await serve({ answer: 'sse', eventLog: { maxEvents: 2 } })
    const [one, two] = [await Peer.open(port), await Peer.open(port)]
    const foreign = (await (await one.stream(toolCall(1, 'now'))).end()).lastEventId
    const own = (await (await two.stream(toolCall(1, 'now'))).end()).lastEventId
    expect((await two.get({ 'last-event-id': foreign })).json.error?.message).toContain('not an event of this session')
    expect((await two.get({ 'last-event-id': own.replace(/\d+$/, '7') })).status).toBe(400)
    expect((await two.get({ 'last-event-id': own.replace(/\.\d+-/, '.77-') })).status).toBe(400)
    expect((await two.listen({ 'last-event-id': own })).status).toBe(200)
    for (let id = 2; id < 5; id++) await (await two.stream(toolCall(id, 'now'))).end()
    expect(await two.get({ 'last-event-id': own })).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('no longer kept') } },
    })
  })

  it('a log that answers later loses nothing', async () => {
    const { MemoryEventLog } = await import('../../src/stores/index.ts')
    const memory = new MemoryEventLog()
    const reads: (() => void)[] = []
    const eventLog = {
      append: memory.append.bind(memory),
      forget: memory.forget.bind(memory),
      read: (session: string, stream: number) => {
        const kept = memory.read(session, stream)
        return new Promise<typeof kept>((resolve) => reads.push(() => resolve(kept)))
      },
    }
    const { port, server } = await serve({ eventLog })
    const peer = await Peer.open(port)
    server.log('info', 1)
    const listening = peer.listen()
    while (reads.length === 0) await new Promise((resolve) => setImmediate(resolve))
    server.log('info', 2)
    reads[0]?.()
    const own = await listening
    server.log('info', 3)
    await own.until(({ messages }) => messages.length === 3)
    expect(own.messages.map(({ params }) => params?.['data'])).toEqual([1, 2, 3])
    own.hangUp()
  })
})

describe('C-40 polling', () => {
  it('a handler lets the client hang up, and it comes back for the answer', async () => {
    const { port, go, waiting } = await serve()
    const peer = await Peer.open(port)
    const events = await (await peer.stream(toolCall(1, 'poll'))).end()
    expect(events.seen).toEqual([{ id: expect.any(String), data: '', retry: 1000 }])
    expect(events.retry).toBe(70)
    await waiting.opened
    go.open()
    const again = await (await peer.listen({ 'last-event-id': events.lastEventId })).end()
    expect(texts(again)).toEqual([1])
  })

  it.each(['2025-03-26', '2025-06-18'])('clients of %s are kept on the line', async (version) => {
    const { port, go, waiting } = await serve()
    const peer = await Peer.open(port, version)
    const events = peer.stream(toolCall(1, 'poll', {}, { progressToken: 'p' }))
    await waiting.opened
    go.open()
    expect(texts(await (await events).end())).toEqual(['notifications/progress', 'notifications/progress', 1])
  })
})

describe('a reader that does not read', () => {
  it('is hung up on, and can come back', async () => {
    const { port, server } = await serve({ maxUnread: 100_000 })
    const peer = await Peer.open(port)
    const response = await start(port, { method: 'GET', headers: { accept: SSE, 'mcp-session-id': peer.id } })
    response.on('error', () => {})
    response.pause()
    const cut = new Promise((resolve) => response.on('close', resolve))
    // More than sockets on both sides hold.
    for (let n = 0; n < 400; n++) server.log('info', 'x'.repeat(100_000))
    response.resume()
    await cut
    let again = await peer.listen()
    while (again.status === 409) again = await peer.listen()
    await again.until(({ messages }) => messages.length > 0)
    again.hangUp()
  })
})
