/** F6, M3: the time a client takes for questions of the server is not the server's silence. */
import { describe, expect, it } from 'vitest'
import { deferring, openClient, openServer, settled } from '../session.fixtures.ts'

const MINUTE = 60_000
const timedOut = { kind: 'request_timeout' }

async function rig(options: object = {}) {
  const { answer, calls } = deferring()
  const client = await openClient('2025-11-25', { keepAlive: false, answer, ...options })
  const call = (requestOptions?: object) => {
    const outcome = client.session.request('tools/call', { name: 't' }, requestOptions)
    outcome.catch(() => {})
    const { id } = client.link.take().find((frame) => frame.method === 'tools/call')
    return { outcome, answer: () => client.link.deliver({ jsonrpc: '2.0', id, result: { content: [] } }), id }
  }
  const ask = (id: string) =>
    client.link.request(id, 'elicitation/create', { message: 'm', requestedSchema: { type: 'object', properties: {} } })
  const reply = async (index = 0) => {
    calls[index]?.resolve({ action: 'decline' })
    await settled()
  }
  const isOpen = (id: number) => client.session.pending().some((pending) => pending.id === id)
  return { ...client, call, ask, reply, isOpen }
}

describe('M3 time-outs of a client that is asked something', () => {
  it('rest until the question is answered, then go on from where they were', async () => {
    const { call, ask, reply, isOpen, clock } = await rig()
    const [lucky, late] = [call(), call()]
    await clock.advance(20_000)
    ask('q')
    await clock.advance(5 * MINUTE)
    await reply()
    await clock.advance(39_999)
    lucky.answer()
    expect(await lucky.outcome).toEqual({ content: [] })
    expect(isOpen(late.id)).toBe(true)
    await clock.advance(1)
    await expect(late.outcome).rejects.toMatchObject(timedOut)
  })

  it('strike as ever without a question, and after one that was answered on the spot', async () => {
    const { call, ask, isOpen, clock } = await rig({ answer: () => ({ action: 'decline' }) })
    const { id, outcome } = call()
    ask('q')
    await clock.advance(MINUTE - 1)
    expect(isOpen(id)).toBe(true)
    await clock.advance(1)
    await expect(outcome).rejects.toMatchObject(timedOut)
  })

  it('a ping of the server is no question', async () => {
    const { call, link, clock } = await rig()
    const { outcome } = call()
    link.request('p', 'ping')
    await clock.advance(MINUTE)
    await expect(outcome).rejects.toMatchObject(timedOut)
  })

  it('wait for the last of several questions', async () => {
    const { call, ask, reply, isOpen, clock } = await rig()
    const { id, outcome } = call()
    ask('a')
    await clock.advance(MINUTE)
    ask('b')
    await reply(0)
    await clock.advance(2 * MINUTE)
    await reply(1)
    await clock.advance(MINUTE - 1)
    expect(isOpen(id)).toBe(true)
    await clock.advance(1)
    await expect(outcome).rejects.toMatchObject(timedOut)
  })

  it('the hard maximum rests as well, and progress meanwhile earns no more than it would otherwise', async () => {
    const { call, ask, reply, isOpen, link, clock } = await rig()
    const { id, outcome } = call({ maxTimeout: '2m', onProgress: () => {} })
    ask('q')
    await clock.advance(5 * MINUTE)
    link.notify('notifications/progress', { progressToken: id, progress: 1 })
    await clock.advance(MINUTE)
    await reply()
    await clock.advance(MINUTE - 1)
    expect(isOpen(id)).toBe(true)
    link.notify('notifications/progress', { progressToken: id, progress: 2 })
    await clock.advance(MINUTE / 2)
    link.notify('notifications/progress', { progressToken: id, progress: 3 })
    await clock.advance(MINUTE / 2)
    expect(isOpen(id)).toBe(true)
    await clock.advance(1)
    await expect(outcome).rejects.toMatchObject({ ...timedOut, message: expect.stringContaining('hard maximum') })
  })

  it('a request made meanwhile is given the time since then', async () => {
    const { call, ask, reply, isOpen, clock } = await rig()
    ask('q')
    await clock.advance(MINUTE)
    const { id, outcome } = call()
    await clock.advance(MINUTE)
    await reply()
    await clock.advance(MINUTE - 1)
    expect(isOpen(id)).toBe(true)
    await clock.advance(1)
    await expect(outcome).rejects.toMatchObject(timedOut)
  })

  it('go on when the server takes its question back', async () => {
    const { call, ask, isOpen, link, clock } = await rig()
    const { id, outcome } = call()
    ask('q')
    await clock.advance(3 * MINUTE)
    link.notify('notifications/cancelled', { requestId: 'q' })
    await clock.advance(MINUTE - 1)
    expect(isOpen(id)).toBe(true)
    await clock.advance(1)
    await expect(outcome).rejects.toMatchObject(timedOut)
  })

  it('rest for no more than maxRequestTimeout when nobody ever answers, and later requests not at all', async () => {
    const { call, ask, reply, isOpen, session, clock } = await rig()
    const first = call()
    ask('q')
    expect(session.pending()[0]?.deadline).toBe(clock.now() + 11 * MINUTE)
    await clock.advance(11 * MINUTE - 1)
    expect(isOpen(first.id)).toBe(true)
    await clock.advance(1)
    await expect(first.outcome).rejects.toMatchObject(timedOut)
    const second = call()
    await clock.advance(MINUTE)
    await expect(second.outcome).rejects.toMatchObject(timedOut)
    const third = call()
    await reply()
    await clock.advance(MINUTE)
    await expect(third.outcome).rejects.toMatchObject(timedOut)
  })

  it('L4 a server that is gone is noticed all the same', async () => {
    const { call, ask, clock } = await rig({ keepAlive: { every: '30s', timeout: '10s' } })
    const { outcome } = call()
    ask('q')
    await clock.advance(MINUTE)
    await expect(outcome).rejects.toMatchObject({ kind: 'peer_unresponsive' })
  })

  it('leave no timer behind', async () => {
    const { call, ask, session, clock } = await rig()
    const { outcome } = call()
    ask('q')
    await session.close()
    await expect(outcome).rejects.toMatchObject({ kind: 'connection_closed' })
    expect(clock.timers).toBe(0)
  })

  it('of a server do not rest while it answers', async () => {
    const { answer, calls } = deferring()
    const { session, link, clock } = openServer('2025-11-25', { keepAlive: false, answer })
    link.request(1, 'tools/call', { name: 't' })
    expect(calls).toHaveLength(1)
    const asked = session.request('roots/list')
    asked.catch(() => {})
    await clock.advance(MINUTE)
    await expect(asked).rejects.toMatchObject(timedOut)
  })
})
