import { describe, expect, it } from 'vitest'
import {
  deferring,
  HandClock,
  initializeParams,
  makeRig,
  openClient,
  openServer,
  type Rig,
  settled,
} from './session.fixtures.ts'

describe('L5 keep-alive', () => {
  for (const [name, open] of [
    ['server', () => Promise.resolve(openServer())],
    ['client', () => openClient()],
  ] as const) {
    it(`a ${name} pings a silent peer every 30 s and gives it up after 10 s without an answer`, async () => {
      const { session, link, clock } = await open()
      let reason: Error | undefined
      session.onClose((why) => {
        reason = why
      })
      for (let round = 0; round < 3; round++) {
        await clock.advance(30_000)
        const [ping] = link.take()
        expect(ping).toMatchObject({ method: 'ping' })
        link.deliver(
          round === 1
            ? { jsonrpc: '2.0', id: ping.id, error: { code: -32601, message: 'no ping here' } }
            : { jsonrpc: '2.0', id: ping.id, result: {} },
        )
        await settled()
      }
      const waiting = session.request('vendor/slow', {}, { timeout: name === 'server' ? '10m' : '25s' })
      const outcome = expect(waiting).rejects.toMatchObject(
        name === 'server' ? { kind: 'peer_unresponsive', advice: 'reconnect' } : { kind: 'request_timeout' },
      )
      await clock.advance(30_000)
      expect(session.phase).not.toBe('closed')
      await clock.advance(9_999)
      expect(session.phase).not.toBe('closed')
      await clock.advance(1)
      await outcome
      expect(session.phase).toBe('closed')
      expect(reason).toMatchObject({ kind: 'peer_unresponsive' })
      expect(link.closed).toBe(true)
      expect(clock.timers).toBe(0)
    })
  }

  /** Lets the time pass, and says what is sent meanwhile. */
  const sentIn = async ({ link, clock }: Pick<Rig, 'link' | 'clock'>, ms: number): Promise<string[]> => {
    await clock.advance(ms)
    return link
      .take()
      .map(({ method }) => method)
      .filter((method) => method !== 'notifications/cancelled')
  }

  it('a server that answers no ping while it works on a request is not given up before the time of that request is over', async () => {
    const rig = await openClient()
    rig.link.take()
    const waiting = rig.session.request('vendor/slow', {}, { timeout: '5m' })
    const late = expect(waiting).rejects.toMatchObject({ kind: 'request_timeout' })
    expect(await sentIn(rig, 299_999)).toEqual(['vendor/slow', ...Array(7).fill('ping')])
    expect(rig.session.phase).toBe('initialized')
    await sentIn(rig, 1)
    await late
    await sentIn(rig, 40_000)
    expect(rig.session.phase).toBe('closed')
  })

  it('a server that answers in the end goes on as if nothing had been', async () => {
    const rig = await openClient()
    rig.link.take()
    const waiting = rig.session.request('vendor/slow', {}, { timeout: '5m' })
    const [{ id }] = rig.link.take()
    await sentIn(rig, 250_000)
    rig.link.deliver({ jsonrpc: '2.0', id, result: { done: true } })
    expect(await waiting).toEqual({ done: true })
    expect(await sentIn(rig, 29_999)).toEqual([])
    expect(rig.session.phase).toBe('initialized')
    await rig.session.close()
  })

  it('a server is not excused by what it is asked while it is silent, however much that is', async () => {
    const rig = await openClient()
    const asked: Promise<unknown>[] = []
    // Whoever asks gives up after a minute, and another one asks before.
    for (let second = 0; second <= 360 && rig.session.phase !== 'closed'; second += 30) {
      const giveUp = new AbortController()
      rig.clock.after(60_000, () => giveUp.abort())
      asked.push(
        rig.session.request('vendor/slow', {}, { timeout: '5m', signal: giveUp.signal }).catch((error) => error.kind),
      )
      await rig.clock.advance(30_000)
      if (second < 270) expect([second, rig.session.phase]).toEqual([second, 'initialized'])
    }
    expect(rig.session.phase).toBe('closed')
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['request_cancelled', 'peer_unresponsive']))
  })

  it('a server that nobody waits for any more is given up like one that has nothing to do', async () => {
    const rig = await openClient()
    const giveUp = new AbortController()
    const waiting = rig.session.request('vendor/slow', {}, { timeout: '5m', signal: giveUp.signal }).catch(() => {})
    await rig.clock.advance(60_000)
    expect(rig.session.phase).toBe('initialized')
    giveUp.abort()
    await waiting
    await rig.clock.advance(40_000)
    expect(rig.session.phase).toBe('closed')
  })

  it('a peer that is heard is not asked', async () => {
    const { link, clock } = openServer()
    for (let round = 0; round < 10; round++) {
      await clock.advance(20_000)
      link.notify('notifications/roots/list_changed')
    }
    expect(link.take()).toEqual([])
    await clock.advance(30_000)
    expect(link.take()).toHaveLength(1)
  })

  it('a full queue does not make the peer look dead', async () => {
    const { session, link, clock } = openServer('2025-11-25', { maxPending: 1 })
    const waiting = session.request('roots/list', {}, { timeout: '10m' })
    link.take()
    await clock.advance(30_000)
    const [ping] = link.take()
    expect(ping).toMatchObject({ method: 'ping' })
    link.deliver({ jsonrpc: '2.0', id: ping.id, result: {} })
    await clock.advance(10_000)
    expect(session.phase).toBe('ready')
    await session.close()
    await expect(waiting).rejects.toMatchObject({ kind: 'connection_closed' })
  })

  it('can be switched off and set', async () => {
    const off = openServer('2025-11-25', { keepAlive: false })
    await off.clock.advance(1_000_000)
    expect(off.link.take()).toEqual([])
    const fast = openServer('2025-11-25', { keepAlive: { every: '1s', timeout: '500ms' } })
    await fast.clock.advance(1_500)
    expect(fast.session.phase).toBe('closed')
  })
})

describe('L7 pause, resume, health', () => {
  it('requests and notifications wait, in order; pings and answers do not', async () => {
    const { session, link, asked } = openServer()
    const heard: string[] = []
    session.onNotification('*', (_, method) => heard.push(method))
    const own = session.request('roots/list')
    const [{ id }] = link.take()
    session.pause()
    link.request(1, 'tools/list')
    link.request(2, 'prompts/list')
    link.notify('notifications/roots/list_changed')
    link.request(3, 'ping')
    link.deliver({ jsonrpc: '2.0', id, result: { roots: [] } })
    await own
    expect(link.take().map((frame) => frame.id)).toEqual([3])
    expect([asked, heard]).toEqual([[], []])
    expect(session.health()).toMatchObject({ paused: true, inFlight: 2, alive: true, phase: 'ready' })
    link.notify('notifications/cancelled', { requestId: 2 })
    session.resume()
    session.resume()
    expect(link.take().map((frame) => frame.id)).toEqual([1])
    expect(heard).toEqual(['notifications/roots/list_changed'])
  })

  it('an id that waits already is not taken twice', () => {
    const { session, link } = openServer()
    session.pause()
    link.request(7, 'tools/list')
    link.request(7, 'tools/list')
    expect(link.take()).toMatchObject([{ id: 7, error: { data: { 'parley/kind': 'duplicate_request_id' } } }])
    session.resume()
    expect(link.take()).toMatchObject([{ id: 7, result: {} }])
  })

  it('what waits is bounded', () => {
    const { session, link } = openServer('2025-11-25', { maxInFlight: 2, maxQueuedNotifications: 2 })
    session.pause()
    for (const id of [1, 2, 3]) link.request(id, 'tools/list')
    for (let tick = 0; tick < 5; tick++) link.notify('vendor/tick')
    expect(link.take()).toMatchObject([{ id: 3, error: { data: { 'parley/kind': 'too_many_requests' } } }])
    expect(session.stats().droppedNotifications).toBe(3)
  })

  it('health tells how long the peer has been silent', async () => {
    const { session, clock } = openServer('2025-11-25', { keepAlive: false })
    await clock.advance(1234)
    expect(session.health()).toMatchObject({ idleMs: 1234, pending: 0, inFlight: 0 })
    await session.close()
    expect(session.health().alive).toBe(false)
  })
})

describe('closing', () => {
  it('a server takes no new work, lets running work finish, then ends', async () => {
    const { answer, calls } = deferring()
    const { session, link } = openServer('2025-11-25', { answer })
    link.request(1, 'tools/list')
    const closing = session.close()
    expect(session.close()).toBe(closing)
    expect(session.phase).toBe('shutting_down')
    link.request(2, 'tools/list')
    link.request(3, 'ping')
    expect(link.take()).toMatchObject([
      { id: 2, error: { data: { 'parley/kind': 'shutting_down' } } },
      { id: 3, result: {} },
    ])
    await expect(session.request('roots/list')).rejects.toMatchObject({ kind: 'shutting_down' })
    calls[0]?.resolve({ tools: [] })
    await closing
    expect(link.take()).toMatchObject([{ id: 1, result: { tools: [] } }])
    expect(session.phase).toBe('closed')
    expect(link.closed).toBe(true)
  })

  it('a second close can shorten the wait', async () => {
    const { answer } = deferring()
    const { session, link, clock } = openServer('2025-11-25', { answer })
    link.request(1, 'tools/list')
    const closing = session.close({ drain: '1h' })
    session.close()
    await clock.advance(1000)
    expect(session.phase).toBe('shutting_down')
    session.close({ drain: '2s' })
    await clock.advance(2000)
    await closing
    expect(session.phase).toBe('closed')
  })

  it('a client that never said initialized gets its answer, too', async () => {
    const { answer, calls } = deferring()
    const { session, link } = makeRig('server', { answer })
    link.request(1, 'initialize', initializeParams())
    link.request(2, 'tools/list')
    link.take()
    const closing = session.close()
    calls[0]?.resolve({ tools: [] })
    await closing
    expect(link.take()).toMatchObject([{ id: 2, result: { tools: [] } }])
    expect(session.phase).toBe('closed')
  })

  it('work that does not finish is aborted when the drain time is over', async () => {
    const { answer, calls } = deferring()
    const { session, link, clock } = openServer('2025-11-25', { answer })
    link.request(1, 'tools/list')
    const signal = calls[0]?.inbound.signal as AbortSignal
    const closing = session.close({ drain: '2s' })
    await clock.advance(2000)
    await closing
    expect(signal.aborted).toBe(true)
    calls[0]?.resolve({ tools: [] })
    await settled()
    expect(link.take()).toHaveLength(1)
    expect(clock.timers).toBe(0)
  })

  it('a link that ends fails what waits, aborts what runs, and tells everybody once', async () => {
    const { answer, calls } = deferring()
    const { session, link } = openServer('2025-11-25', { answer })
    const told: unknown[] = []
    session.onClose((reason) => told.push(reason))
    session.onClose(() => {
      throw new Error('broken listener')
    })
    link.request(1, 'tools/list')
    const waiting = session.request('roots/list')
    const why = new Error('cable cut')
    link.hangUp(why)
    link.hangUp()
    await expect(waiting).rejects.toMatchObject({
      kind: 'connection_closed',
      message: expect.stringContaining('cable cut'),
    })
    expect(calls[0]?.inbound.signal.aborted).toBe(true)
    expect(told).toEqual([why])
    expect(session.inFlight()).toEqual([])
    link.request(2, 'ping')
    session.onClose((reason) => told.push(reason))
    expect(told).toEqual([why, undefined])
  })
})

describe('X2 losses are reported', () => {
  it('in the session, as events and as counters', async () => {
    const answer = () => ({ content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] })
    const { session, link, events } = openServer('2024-11-05', {
      answer,
      clientCapabilities: { roots: {}, sampling: {} },
    })
    link.request(1, 'tools/call', { name: 'x' })
    expect(link.take()[0].result.content[0]).toEqual({ type: 'text', text: '[Audio content: audio/wav]' })
    expect(session.losses()).toMatchObject([{ rule: 'A-04', path: 'content[0]', method: 'tools/call', severity: 'w' }])
    expect(session.stats().losses).toEqual({ 'A-04': 1 })
    expect(events.filter(({ type }) => type === 'loss')).toHaveLength(1)
  })

  it('an observer that throws harms nobody', () => {
    const { link } = openServer('2025-11-25', {
      onEvent: () => {
        throw new Error('broken')
      },
    })
    link.request(1, 'ping')
    expect(link.take()).toHaveLength(1)
  })
})

describe('counters', () => {
  it('are kept by method, however many names a peer makes up', () => {
    const { session, link } = openServer()
    for (let at = 0; at < 500; at++) link.request(at, `made/up${at}`)
    const { methods } = session.stats()
    expect(Object.keys(methods).length).toBeLessThanOrEqual(201)
    expect(methods['(other)']?.received).toBeGreaterThan(200)
  })

  it('a name of absurd length is counted with the others', () => {
    const { session, link } = openServer()
    link.request(1, `made/${'x'.repeat(100_000)}`)
    expect(session.stats().methods).toEqual({ '(other)': { sent: 0, received: 1, failed: 0 } })
  })

  it('the system clock runs tasks and can be stopped', async () => {
    const { systemClock, systemMint } = await import('./clock.ts')
    await new Promise<void>((resolve) => systemClock.after(1, resolve))
    systemClock.after(0, () => expect.unreachable())()
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000)
    expect(systemMint()).not.toBe(systemMint())
    expect(new HandClock().now()).toBeGreaterThan(0)
  })
})
