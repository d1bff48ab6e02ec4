/** A client that does not wait for the answer to its `initialize`, while whoever answers still prepares itself. */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { everything, initializeParams, makeRig, type Rig, settled, type TestLink } from '../session.fixtures.ts'

interface HastyRig extends Rig {
  readonly called: unknown[]
  ready(): Promise<void>
  fail(error: unknown): Promise<void>
}

/** Whoever asks for a prompt waits for ever. */
function hasty(options: Parameters<typeof makeRig>[1] = {}): HastyRig {
  const called: unknown[] = []
  let settle: { resolve(): void; reject(error: unknown): void } | undefined
  const endpoint: Endpoint = {
    prepare: () =>
      new Promise<void>((resolve, reject) => {
        settle = { resolve, reject }
      }),
    introduce: () => ({ info: { name: 'x', version: '1' }, capabilities: everything }),
    opened: () => void called.push('opened'),
    notified: (method) => void called.push(method),
    answer: ({ method, id }) => {
      called.push(id)
      return method === 'prompts/get' ? new Promise<Body>(() => {}) : { tools: [] }
    },
  }
  const rig = makeRig('server', { endpoint, ...options })
  return {
    ...rig,
    called,
    ready: () => {
      settle?.resolve()
      return settled()
    },
    fail: (error) => {
      settle?.reject(error)
      return settled()
    },
  }
}

/** A client that has something to say to the first thing it hears, at once. */
function onFirstSend(link: TestLink, run: () => void): void {
  const send = link.send.bind(link)
  link.send = (frame) => {
    link.send = send
    send(frame)
    run()
  }
}

const NOT_YET = { message: expect.stringContaining('not allowed before initialize') }

describe('what is written right after initialize', () => {
  it('waits for its answer and is then taken in its order', async () => {
    const { session, link, called, ready } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.notify('notifications/initialized')
    link.request(1, 'tools/list')
    link.notify('notifications/roots/list_changed')
    link.request(2, 'tools/list')
    await settled()
    expect([link.take(), called, session.phase]).toEqual([[], [], 'initialization'])
    await ready()
    expect(link.take()).toMatchObject([
      { id: 0, result: { protocolVersion: '2025-11-25' } },
      { id: 1, result: { tools: [] } },
      { id: 2, result: { tools: [] } },
    ])
    expect([called, session.phase]).toEqual([['opened', 1, 'notifications/roots/list_changed', 2], 'ready'])
    expect(session.stats().ignored).toEqual({})
  })

  it('comes before what the client says when it has heard the answer', async () => {
    const { link, called, ready } = hasty()
    onFirstSend(link, () => link.request(9, 'tools/list'))
    link.request(0, 'initialize', initializeParams())
    link.notify('notifications/initialized')
    link.request(1, 'tools/list')
    await ready()
    expect(called).toEqual(['opened', 1, 9])
    expect(link.take().map(({ id }) => id)).toEqual([0, 1, 9])
  })

  it('the session stays open: the time for the handshake is not counted any more', async () => {
    const { session, link, clock, ready } = hasty({ initialiseTimeout: '30s', keepAlive: false })
    link.request(0, 'initialize', initializeParams())
    link.notify('notifications/initialized')
    await ready()
    await clock.advance(60_000)
    expect([session.phase, clock.timers]).toEqual(['ready', 0])
  })

  it('may be long, as it may be afterwards', async () => {
    const { link, ready } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.request(1, 'tools/call', { name: 'x', arguments: { text: 'x'.repeat(100_000) } })
    await ready()
    expect(link.take()).toMatchObject([
      { id: 0, result: {} },
      { id: 1, result: {} },
    ])
  })

  it('may be a batch, in the version that has them (A-01)', async () => {
    const { link, ready } = hasty()
    const item = (id: number): Body => ({ jsonrpc: '2.0', id, method: 'tools/list' })
    link.request(0, 'initialize', initializeParams('2025-03-26'))
    link.deliver([item(1), item(2)])
    await ready()
    const [first, second] = link.take()
    expect(first).toMatchObject({ id: 0, result: {} })
    expect(second).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ])
  })

  it('in a batch can be cancelled, too: the others are answered', async () => {
    const { session, link, ready } = hasty()
    const item = (id: number, method: string): Body => ({ jsonrpc: '2.0', id, method })
    link.request(0, 'initialize', initializeParams('2025-03-26'))
    link.deliver([item(1, 'prompts/get'), item(2, 'tools/list')])
    link.notify('notifications/cancelled', { requestId: 1 })
    await ready()
    expect(link.take()[1]).toMatchObject([{ id: 2, result: {} }])
    expect([session.health().inFlight, session.stats().ignored]).toEqual([0, {}])
  })

  it('can be cancelled: it is neither begun nor answered', async () => {
    const { session, link, called, ready } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.request(1, 'tools/list')
    link.request(2, 'tools/list')
    link.notify('notifications/cancelled', { requestId: 1 })
    await ready()
    expect([link.take().map(({ id }) => id), called, session.stats().ignored]).toEqual([[0, 2], [2], {}])
  })

  it('speaks of no session when initialize is refused, and is told so; the next attempt begins anew', async () => {
    const { session, link, called, ready, fail } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.notify('notifications/initialized')
    link.request(1, 'tools/list')
    await fail(new ParleyError('refusal_unavailable', { message: 'It does not start' }))
    expect(link.take()).toMatchObject([
      { id: 0, error: { message: 'It does not start' } },
      { id: 1, error: NOT_YET },
    ])
    link.request(2, 'tools/list')
    expect(link.take()).toMatchObject([{ id: 2, error: NOT_YET }])
    expect([called, session.phase, session.health().inFlight]).toEqual([[], 'initialization', 0])
    link.request(3, 'initialize', initializeParams())
    link.request(4, 'tools/list')
    await ready()
    expect(link.take()).toMatchObject([
      { id: 3, result: {} },
      { id: 4, result: {} },
    ])
  })

  it('and another initialize at once when the first is refused: what came after it waits for that one', async () => {
    const { link, called, ready, fail } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.request(1, 'tools/list')
    onFirstSend(link, () => link.request(2, 'initialize', initializeParams()))
    await fail(new Error('not yet'))
    expect(link.take()).toMatchObject([{ id: 0, error: {} }])
    await ready()
    expect([link.take().map(({ id }) => id), called]).toEqual([[2, 1], [1]])
  })

  it.each<[string, Parameters<typeof makeRig>[1], string]>([
    ['requests', { maxInFlight: 2 }, '2 requests'],
    ['characters', { limits: { maxBytes: 1100 } }, '1100 characters'],
  ])('is not kept without limit: %s', async (_, options, limit) => {
    const { session, link, ready } = hasty(options)
    link.request(0, 'initialize', initializeParams())
    for (const id of [1, 2, 3]) link.request(id, 'tools/call', { name: 'x'.repeat(400) })
    link.deliver([{ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'x'.repeat(400) } }])
    const refused = { message: expect.stringContaining(limit), data: { 'parley/kind': 'too_many_requests' } }
    expect(link.take()).toMatchObject([
      { id: 3, error: refused },
      { id: 4, error: refused },
    ])
    await ready()
    expect(link.take().map(({ id, result }) => [id, result !== undefined])).toEqual([0, 1, 2].map((id) => [id, true]))
    expect(session.health().inFlight).toBe(0)
    link.request(5, 'tools/list')
    expect(link.take()).toMatchObject([{ id: 5, result: {} }])
  })

  it('nor are notifications; what is too many is counted as ignored', async () => {
    const { session, link, called, ready } = hasty({ maxQueuedNotifications: 2 })
    link.request(0, 'initialize', initializeParams())
    link.notify('notifications/initialized')
    for (let i = 0; i < 3; i++) link.notify('notifications/roots/list_changed')
    await ready()
    expect([called, session.stats().ignored]).toEqual([
      ['opened', 'notifications/roots/list_changed'],
      { 'message during initialize': 2 },
    ])
  })

  it('an id that is used twice is refused when its turn comes, and the first is answered all the same', async () => {
    const { session, link, ready } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.request(1, 'prompts/get', { name: 'x' })
    link.request(1, 'tools/list')
    await ready()
    expect(link.take()).toMatchObject([
      { id: 0 },
      { id: 1, error: { message: expect.stringContaining('still in flight') } },
    ])
    expect(session.inFlight()).toMatchObject([{ id: 1, method: 'prompts/get' }])
  })

  it('is answered by a session that closes meanwhile, as when all was written in one go; what comes later is not', async () => {
    const { session, link, called, ready } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.notify('notifications/initialized')
    link.request(1, 'tools/list')
    const closing = session.close({ drain: '5s' })
    link.request(2, 'tools/list')
    expect(link.take()).toMatchObject([{ id: 2, error: { message: 'The server is shutting down' } }])
    await ready()
    await closing
    expect(link.take()).toMatchObject([
      { id: 0, result: {} },
      { id: 1, result: { tools: [] } },
    ])
    expect([called, session.history.map(({ phase }) => phase)]).toEqual([
      ['opened', 1],
      ['initialization', 'initialized', 'ready', 'shutting_down', 'closed'],
    ])
  })

  it('has the time of the drain, when it takes longer', async () => {
    const { session, link, clock, ready } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.request(1, 'prompts/get', { name: 'x' })
    const closing = session.close({ drain: '5s' })
    await ready()
    expect([session.inFlight().length, link.closed]).toEqual([1, false])
    await clock.advance(5000)
    await closing
    expect([link.closed, clock.timers]).toEqual([true, 0])
  })

  it('is forgotten when the client hangs up', async () => {
    const { link, called, clock, events, ready } = hasty()
    link.request(0, 'initialize', initializeParams())
    link.request(1, 'tools/list')
    link.hangUp()
    await ready()
    expect([link.take(), called, clock.timers]).toEqual([[], [], 0])
    expect(events.filter(({ type }) => type === 'error')).toEqual([])
  })

  it('with an envelope it speaks for itself, and without one it waits beside it', async () => {
    const META = 'io.modelcontextprotocol/'
    const { link, called, ready } = hasty({ endpoint: sometimes() })
    const envelope = { _meta: { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} } }
    link.request(0, 'initialize', initializeParams())
    link.request(1, 'tools/list', envelope)
    expect(link.take()).toMatchObject([{ id: 1, result: { resultType: 'complete' } }])
    link.request(2, 'tools/list')
    expect([link.take(), called]).toEqual([[], []])
    released()
    await ready()
    expect(link.take()).toMatchObject([
      { id: 0, result: {} },
      { id: 2, result: { tools: [] } },
    ])
  })
})

let released: () => void = () => {}

/** Prepares itself for who shakes hands only. */
function sometimes(): Endpoint {
  return {
    prepare: (peer) =>
      peer === undefined
        ? undefined
        : new Promise((resolve) => {
            released = resolve
          }),
    introduce: () => ({ info: { name: 'x', version: '1' }, capabilities: everything }),
    answer: () => ({ tools: [] }),
  }
}
