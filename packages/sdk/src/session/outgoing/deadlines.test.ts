import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { openStateless } from '../eras/stateless/client/client.fixtures.ts'
import { openClient, openServer, settled } from '../session.fixtures.ts'

const answer = (id: unknown, result: unknown = {}) => ({ jsonrpc: '2.0', id, result })

describe('M2 a program does not end while it waits for an answer', () => {
  it('the time-out holds it from the first request to the last answer, and not a moment longer', async () => {
    const { session, link, clock } = await openClient()
    expect(clock.holds).toBe(false)
    const asked = [session.request('tools/list'), session.request('tools/list')]
    expect(clock.holds).toBe(true)
    const [first, second] = link.take()
    link.deliver(answer(first.id, { tools: [] }))
    expect(clock.holds).toBe(true)
    link.deliver({ jsonrpc: '2.0', id: second.id, error: { code: -32603, message: 'no' } })
    expect(clock.holds).toBe(false)
    await Promise.allSettled(asked)
    // The timer of the first request is still there.
    const third = session.request('tools/list')
    expect(clock.holds).toBe(true)
    link.deliver(answer(link.take()[0].id, { tools: [] }))
    await third
    expect(clock).toMatchObject({ holds: false, timers: 2 })
  })

  it('however a request ends', async () => {
    const { session, clock, link } = await openClient()
    const late = session.request('tools/list', undefined, { timeout: '1s' }).catch(({ kind }) => kind)
    await clock.advance(500)
    const later = session.request('tools/list', undefined, { timeout: '1s' }).catch(({ kind }) => kind)
    await clock.advance(500)
    expect(await late).toBe('request_timeout')
    expect(clock.holds).toBe(true)
    await clock.advance(500)
    expect(await later).toBe('request_timeout')
    expect(clock.holds).toBe(false)

    const controller = new AbortController()
    const cancelled = session.request('tools/list', undefined, { signal: controller.signal }).catch(({ kind }) => kind)
    expect(clock.holds).toBe(true)
    controller.abort()
    expect(await cancelled).toBe('request_cancelled')
    expect(clock.holds).toBe(false)

    const lost = session.request('tools/list').catch(({ kind }) => kind)
    expect(clock.holds).toBe(true)
    link.hangUp()
    expect(await lost).toBe('connection_closed')
    expect(clock.holds).toBe(false)
  })

  it('a server that waits for its client is held as well', async () => {
    const { session, link, clock } = openServer()
    const asked = session.request('roots/list')
    expect(clock.holds).toBe(true)
    link.deliver(answer(link.take()[0].id, { roots: [] }))
    await asked
    expect(clock.holds).toBe(false)
  })

  it('a request that is made again is one wait', async () => {
    const { session, link, clock } = await openStateless()
    const asked = session.request('tools/call', { name: 'x', arguments: {} })
    link.deliver(answer(link.take()[0].id, { resultType: 'input_required', inputRequests: {}, requestState: 's' }))
    expect(clock.holds).toBe(true)
    await clock.advance(60_000)
    link.deliver(answer(link.take()[0].id, { resultType: 'complete', content: [] }))
    await asked
    expect(clock.holds).toBe(false)
  })

  it('a subscription holds it until it is agreed to, and the question whether the peer is alive never does', async () => {
    const { session, link, clock } = await openStateless()
    const listening = session.listen({ toolsListChanged: true })
    expect(clock.holds).toBe(true)
    const _meta = { 'io.modelcontextprotocol/subscriptionId': link.take()[0].id }
    link.notify('notifications/subscriptions/acknowledged', { notifications: { toolsListChanged: true }, _meta })
    await listening.acknowledged
    expect(clock.holds).toBe(false)
    await session.close()
    expect(clock.holds).toBe(false)

    const silent = await openClient('2025-11-25', { keepAlive: { every: '30s', timeout: '10s' } })
    await silent.clock.advance(30_000)
    expect(silent.link.take()).toMatchObject([{ method: 'ping' }])
    expect(silent.clock.holds).toBe(false)
    await settled()
  })

  it('runtimes whose timers are numbers have nothing to hold', () => {
    const own = globalThis.setTimeout
    try {
      globalThis.setTimeout = (() => 7) as never
      const cancel = systemClock.after(1, () => {})
      expect(() => cancel.hold?.(true)).not.toThrow()
      expect(() => cancel.hold?.(false)).not.toThrow()
    } finally {
      globalThis.setTimeout = own
    }
  })
})
