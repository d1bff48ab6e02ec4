/** An endpoint that is not ready yet: whoever says hello waits for it, and nobody is lost meanwhile (L2). */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Capabilities } from '../../protocol/index.ts'
import type { Endpoint, Introduction } from '../endpoint.ts'
import { everything, initializeParams, makeRig, type Rig, settled } from '../session.fixtures.ts'

interface Preparation {
  readonly peer: Introduction | undefined
  readonly declared: Capabilities
  readonly method: string
  ready(): void
  fail(error: unknown): void
}

interface PreparingRig extends Rig {
  readonly preparations: Preparation[]
  readonly called: string[]
}

function preparing(options: Parameters<typeof makeRig>[1] = {}): PreparingRig {
  const preparations: Preparation[] = []
  const called: string[] = []
  let name = 'nobody yet'
  const endpoint: Endpoint = {
    prepare: (peer, declared, method) =>
      new Promise((resolve, reject) => {
        const ready = () => {
          name = 'somebody'
          resolve()
        }
        preparations.push({ peer, declared, method, ready, fail: reject })
      }),
    introduce: () => ({ info: { name, version: '1' }, capabilities: everything }),
    answer: (inbound) => {
      called.push(inbound.method)
      return { tools: [] }
    },
  }
  return { ...makeRig('server', { endpoint, ...options }), preparations, called }
}

describe('Endpoint.prepare before the handshake', () => {
  it('is told who asks, and who answers is known once it is ready', async () => {
    const { session, link, preparations } = preparing()
    link.request('hello', 'initialize', initializeParams())
    await settled()
    expect(link.take()).toEqual([])
    expect(preparations).toMatchObject([
      { peer: { info: { name: 'peer', version: '2' } }, declared: { sampling: {} }, method: 'initialize' },
    ])
    expect([session.version, session.health().inFlight]).toEqual([undefined, 1])
    preparations[0]?.ready()
    await settled()
    expect(link.take()).toMatchObject([
      { id: 'hello', result: { protocolVersion: '2025-11-25', serverInfo: { name: 'somebody' } } },
    ])
    expect([session.self.info.name, session.version, session.health().inFlight]).toEqual(['somebody', '2025-11-25', 0])
    link.notify('notifications/initialized')
    link.request(1, 'tools/list')
    expect(link.take()).toEqual([{ jsonrpc: '2.0', id: 1, result: { tools: [] } }])
    expect(preparations).toHaveLength(1)
  })

  it('is no delay where there is nothing to wait for', () => {
    const { link } = preparing({
      endpoint: {
        prepare: () => undefined,
        introduce: () => ({ info: { name: 'x', version: '1' }, capabilities: {} }),
        answer: () => ({}),
      },
    })
    link.request('hello', 'initialize', initializeParams())
    expect(link.take()).toMatchObject([{ id: 'hello', result: { serverInfo: { name: 'x' } } }])
  })

  it.each([
    ['later', (error: Error) => Promise.reject(error)],
    [
      'at once',
      (error: Error) => {
        throw error
      },
    ],
  ])('what it fails with %s is the answer, and the client may try again', async (_, fail) => {
    let healthy = false
    const endpoint: Endpoint = {
      prepare: () =>
        healthy ? undefined : fail(new ParleyError('refusal_unavailable', { message: 'It does not start' })),
      introduce: () => ({ info: { name: 'x', version: '1' }, capabilities: {} }),
      answer: () => ({}),
    }
    const { session, link } = preparing({ endpoint })
    link.request(1, 'initialize', initializeParams())
    await settled()
    expect(link.take()).toMatchObject([{ id: 1, error: { message: 'It does not start' } }])
    expect([session.phase, session.health().inFlight]).toEqual(['initialization', 0])
    healthy = true
    link.request(2, 'initialize', initializeParams())
    expect(link.take()).toMatchObject([{ id: 2, result: { protocolVersion: '2025-11-25' } }])
  })

  it('a handshake that cannot succeed does not wait', async () => {
    const { link, preparations } = preparing()
    link.request(1, 'initialize', { protocolVersion: 7 })
    expect(link.take()).toMatchObject([{ id: 1, error: { code: -32602 } }])
    expect(preparations).toEqual([])
  })

  it('a second initialize meanwhile is refused and does not disturb the first; a ping is answered', async () => {
    const { session, link, preparations } = preparing()
    link.request(1, 'initialize', initializeParams())
    link.request(2, 'initialize', initializeParams('2024-11-05'))
    link.request(3, 'ping')
    expect(link.take()).toMatchObject([
      { id: 2, error: { message: expect.stringContaining('still being answered') } },
      { id: 3, result: {} },
    ])
    preparations[0]?.ready()
    await settled()
    expect(link.take()).toMatchObject([{ id: 1, result: {} }])
    expect([session.version, preparations.length]).toEqual(['2025-11-25', 1])
  })

  it('a session that is closed waits for it, as for any answer', async () => {
    const { session, link, preparations } = preparing()
    link.request(1, 'initialize', initializeParams())
    const closing = session.close({ drain: '5s' })
    await settled()
    expect(link.closed).toBe(false)
    preparations[0]?.ready()
    await closing
    expect(link.take()).toMatchObject([{ id: 1, result: {} }])
    expect(link.closed).toBe(true)
  })

  it.each(['ready', 'fail'] as const)('a session that has ended meanwhile says nothing more: %s', async (outcome) => {
    const { session, link, preparations, clock, events } = preparing()
    link.request(1, 'initialize', initializeParams())
    await session.close({ drain: 0 })
    expect(link.take()).toMatchObject([{ id: 1, error: { data: { 'parley/kind': 'session_closed' } } }])
    preparations[0]?.[outcome](new Error('late'))
    await settled()
    expect([link.take(), session.phase, clock.timers]).toEqual([[], 'closed', 0])
    expect(events.filter(({ type }) => type === 'error')).toEqual([])
  })

  it('does not use up the time the client has for the handshake', async () => {
    const { session, link, preparations, clock } = preparing({ initialiseTimeout: '30s' })
    await clock.advance(20_000)
    link.request(1, 'initialize', initializeParams())
    await clock.advance(600_000)
    expect(session.phase).toBe('initialization')
    preparations[0]?.ready()
    await settled()
    await clock.advance(29_000)
    expect([session.phase, link.take().length]).toEqual(['initialized', 1])
    await clock.advance(1000)
    expect([session.phase, clock.timers]).toEqual(['closed', 0])
  })

  it('gives a client its time again when it failed', async () => {
    const { session, link, preparations, clock } = preparing({ initialiseTimeout: '30s' })
    link.request(1, 'initialize', initializeParams())
    await clock.advance(60_000)
    preparations[0]?.fail(new Error('no'))
    await settled()
    await clock.advance(29_000)
    expect(session.phase).toBe('initialization')
    await clock.advance(1000)
    expect(session.phase).toBe('closed')
  })
})

const META = 'io.modelcontextprotocol/'
const envelope: Body = {
  _meta: { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: { roots: {} } },
}

describe('Endpoint.prepare before requests that speak for themselves', () => {
  it('each waits, is answered in turn, and by who is there by then', async () => {
    const { session, link, preparations, called } = preparing()
    link.request(1, 'tools/list', envelope)
    link.request(2, 'server/discover', envelope)
    await settled()
    expect([link.take(), called, session.health().inFlight]).toEqual([[], [], 2])
    expect(preparations.map(({ peer, declared, method }) => [peer, declared, method])).toEqual([
      [undefined, { roots: {} }, 'tools/list'],
      [undefined, { roots: {} }, 'server/discover'],
    ])
    preparations[1]?.ready()
    await settled()
    preparations[0]?.ready()
    await settled()
    const serverInfo = { [`${META}serverInfo`]: { name: 'somebody', version: '1' } }
    expect(link.take()).toMatchObject([
      { id: 2, result: { supportedVersions: expect.any(Array), _meta: serverInfo } },
      { id: 1, result: { tools: [], _meta: serverInfo } },
    ])
    expect(session.health().inFlight).toBe(0)
  })

  it.each([
    ['rejects', (error: Error) => Promise.reject(error)],
    [
      'throws',
      (error: Error) => {
        throw error
      },
    ],
  ])('what it %s is the answer to that request alone', async (_, fail) => {
    let healthy = false
    const endpoint: Endpoint = {
      prepare: () =>
        healthy ? undefined : fail(new ParleyError('refusal_unavailable', { message: 'It does not start' })),
      introduce: () => ({ info: { name: 'x', version: '1' }, capabilities: everything }),
      answer: () => ({ tools: [] }),
    }
    const { session, link } = preparing({ endpoint })
    link.request(1, 'tools/list', envelope)
    await settled()
    expect(link.take()).toMatchObject([{ id: 1, error: { message: 'It does not start' } }])
    healthy = true
    link.request(1, 'tools/list', envelope)
    expect(link.take()).toMatchObject([{ id: 1, result: { tools: [] } }])
    expect(session.health().inFlight).toBe(0)
  })

  it('who cannot say who it is after all is one error, not the end of the process', async () => {
    const endpoint: Endpoint = {
      prepare: () => Promise.resolve(),
      introduce: () => {
        throw new Error('still nobody')
      },
      answer: () => ({}),
    }
    const rig = makeRig('server', { endpoint: { ...endpoint, introduce: introducingOnce(endpoint) } })
    rig.link.request(1, 'tools/list', envelope)
    await settled()
    expect(rig.link.take()).toMatchObject([{ id: 1, error: { code: -32603 } }])
    expect(rig.session.health().inFlight).toBe(0)
  })

  it('one that is cancelled meanwhile is neither begun nor answered, and its id is free again', async () => {
    const { session, link, preparations, called } = preparing()
    link.request(1, 'tools/list', envelope)
    link.notify('notifications/cancelled', { requestId: 1, reason: 'never mind' })
    link.request(1, 'prompts/list', envelope)
    preparations[0]?.ready()
    await settled()
    expect([link.take(), called]).toEqual([[], []])
    preparations[1]?.ready()
    await settled()
    expect([link.take().length, called, session.health().inFlight]).toEqual([1, ['prompts/list'], 0])
    expect(session.stats().ignored).toEqual({})
  })

  it('an id that waits already is refused, and the first is answered all the same', async () => {
    const { link, preparations } = preparing()
    link.request(1, 'tools/list', envelope)
    link.request(1, 'tools/list', envelope)
    expect(link.take()).toMatchObject([{ id: 1, error: { message: expect.stringContaining('in flight') } }])
    for (const { ready } of preparations) ready()
    await settled()
    expect(link.take()).toMatchObject([{ id: 1, result: {} }])
  })

  it('those that wait are counted, once each', async () => {
    const { link, preparations } = preparing({ maxInFlight: 3 })
    for (const id of [1, 2, 3, 4]) link.request(id, 'tools/list', envelope)
    expect(link.take()).toMatchObject([{ id: 4, error: { message: expect.stringContaining('3 requests') } }])
    for (const { ready } of preparations) ready()
    await settled()
    expect(link.take()).toMatchObject([1, 2, 3].map((id) => ({ id, result: {} })))
  })

  it('a session that is closed answers them before it ends', async () => {
    const { session, link, preparations, called } = preparing()
    link.request(1, 'tools/list', envelope)
    const closing = session.close({ drain: '5s' })
    link.request(2, 'tools/list', envelope)
    await settled()
    expect(link.take()).toMatchObject([{ id: 2, error: { message: 'The server is shutting down' } }])
    expect(link.closed).toBe(false)
    preparations[0]?.ready()
    await closing
    expect(link.take()).toMatchObject([{ id: 1, result: { tools: [] } }])
    expect(called).toEqual(['tools/list'])
  })

  it('once the peer has hung up, nothing is begun any more', async () => {
    const { link, preparations, called, clock } = preparing()
    link.request(1, 'tools/list', envelope)
    link.hangUp()
    preparations[0]?.ready()
    await settled()
    expect([link.take(), called, clock.timers]).toEqual([[], [], 0])
  })
})

/** Known when the session begins, and never again. */
function introducingOnce({ introduce }: Endpoint): Endpoint['introduce'] {
  let asked = 0
  return () => (asked++ === 0 ? { info: { name: 'x', version: '1' }, capabilities: everything } : introduce())
}
