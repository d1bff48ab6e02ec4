import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import { openClient } from '../session.fixtures.ts'
import type { LossReason, UnansweredRequest } from './unanswered-request.ts'

type Taken = UnansweredRequest & LossReason

/** A client somebody looks after: what is offered is kept, and taken over if `adopts`. */
async function watched(adopts: boolean) {
  const offered: Taken[] = []
  const opened = await openClient('2025-11-25', {
    adopt: (request, why) => {
      offered.push({ ...request, ...why, resolve: request.resolve, reject: request.reject })
      return adopts
    },
  })
  return { ...opened, offered }
}

describe('L6 requests that can get no answer any more', () => {
  it('are offered with all it takes to make them again, and then settled by whoever took them', async () => {
    const { session, link, offered } = await watched(true)
    const options = { timeout: '5s' } as const
    const asked = session.request('tools/call', { name: 't' }, options, ({ n }) => Number(n) + 1)
    const [{ id }] = link.take()
    link.hangUp(new Error('cable cut'))
    expect(offered).toMatchObject([
      { id, method: 'tools/call', params: { name: 't' }, seen: true, error: { kind: 'connection_closed' } },
    ])
    expect(offered[0]?.options).toBe(options)
    expect(offered[0]?.convert?.({ n: 1 })).toBe(2)
    offered[0]?.resolve(7 as never)
    expect(await asked).toBe(7)
    expect(session.pending()).toEqual([])
  })

  it('fail as ever when nobody wants them', async () => {
    const { session, link, offered } = await watched(false)
    const asked = session.request('tools/list')
    link.hangUp()
    await expect(asked).rejects.toMatchObject({ kind: 'connection_closed' })
    expect(offered).toHaveLength(1)
  })

  it('are offered, as seen, when the peer says that the session has ended', async () => {
    const { session, link, offered } = await watched(false)
    const asked = session.request('resources/read', { uri: 'a://x' })
    const [{ id }] = link.take()
    const ended = { code: -32600, message: 'The session ended', data: { 'parley/kind': 'session_closed' } }
    link.deliver({ jsonrpc: '2.0', id, error: ended })
    await expect(asked).rejects.toMatchObject({
      kind: 'connection_closed',
      message: 'The connection ended before resources/read was answered: The session ended',
      receivedCode: undefined,
    })
    expect(offered).toMatchObject([
      { id, method: 'resources/read', seen: true, error: { cause: { kind: 'session_closed' } } },
    ])
    expect(session.pending()).toEqual([])
    expect(session.stats().methods['resources/read']).toMatchObject({ failed: 1 })
  })

  it('are said to be unseen when they were never handed over', async () => {
    const { session, link, offered } = await watched(false)
    link.closed = true
    await expect(session.request('tools/list')).rejects.toThrow('closed')
    expect(offered).toMatchObject([{ method: 'tools/list', seen: false }])
  })

  it('are not offered when they were answered, cancelled or timed out', async () => {
    const { session, link, clock, offered } = await watched(true)
    const answered = session.request('tools/list')
    link.deliver({ jsonrpc: '2.0', id: link.take()[0].id, error: { code: -32603, message: 'no' } })
    await expect(answered).rejects.toThrow('no')
    const abort = new AbortController()
    const cancelled = session.request('tools/list', undefined, { signal: abort.signal })
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ kind: 'request_cancelled' })
    const late = expect(session.request('tools/list', undefined, { timeout: 100 })).rejects.toMatchObject({
      kind: 'request_timeout',
    })
    await clock.advance(100)
    await late
    expect(offered).toEqual([])
  })

  it('the question whether the peer is alive is no request anybody else could ask', async () => {
    const { session, link, clock, offered } = await watched(true)
    await clock.advance(30_000)
    expect(link.take()).toMatchObject([{ method: 'ping' }])
    await clock.advance(10_000)
    expect(session.phase).toBe('closed')
    expect(offered).toEqual([])
  })
})

describe('M3 a session that is to be replaced', () => {
  it('tells when nothing waits any more', async () => {
    const { session, link } = await openClient()
    await session.settled()
    const order: string[] = []
    const asked = [session.request('tools/list'), session.request('prompts/list')].map((request) =>
      request.then(() => order.push('answer')),
    )
    const settled = session.settled().then(() => order.push('settled'))
    for (const { id } of link.take()) {
      expect(order).not.toContain('settled')
      link.deliver({ jsonrpc: '2.0', id, result: { tools: [], prompts: [] } })
    }
    await Promise.all([...asked, settled])
    expect(order).toHaveLength(3)
  })

  it('also when the connection ended meanwhile', async () => {
    const { session, link } = await openClient()
    const failed = expect(session.request('tools/list')).rejects.toBeInstanceOf(ParleyError)
    const settled = session.settled()
    link.hangUp()
    await failed
    await settled
  })
})
