import { describe, expect, it } from 'vitest'
import type { ParleyError } from '../../errors/index.ts'
import type { Progress } from '../request-options.ts'
import { openClient, openServer, settled } from '../session.fixtures.ts'

const answer = (id: unknown, result: unknown = {}) => ({ jsonrpc: '2.0', id, result })

describe('M2 requests: correlation', () => {
  it('answers settle the request they belong to, in any order', async () => {
    const { session, link } = await openClient()
    const [a, b] = [session.request('tools/list', { cursor: 'a' }), session.request('tools/list', { cursor: 'b' })]
    const [first, second] = link.take()
    link.deliver(answer(second.id, { tools: [], which: 'b' }))
    link.deliver(answer(first.id, { tools: [], which: 'a' }))
    expect(await a).toMatchObject({ which: 'a' })
    expect(await b).toMatchObject({ which: 'b' })
    expect(session.pending()).toEqual([])
  })

  it('pending requests can be listed', async () => {
    const { session, link, clock } = await openClient()
    const asked = session.request('tools/list')
    expect(session.pending()).toEqual([
      { id: link.take()[0].id, method: 'tools/list', startedAt: clock.now(), deadline: clock.now() + 60_000 },
    ])
    await session.close()
    await expect(asked).rejects.toMatchObject({ kind: 'connection_closed' })
  })

  it('an error answer keeps code, message and data', async () => {
    const { session, link } = await openClient()
    const asked = session.request('resources/read', { uri: 'x:/y' })
    link.deliver({
      jsonrpc: '2.0',
      id: link.take()[0].id,
      error: { code: -32002, message: 'gone', data: { uri: 'x:/y' } },
    })
    await expect(asked).rejects.toMatchObject({
      kind: 'resource_not_found',
      code: -32002,
      message: 'gone',
      data: { uri: 'x:/y' },
    })
  })

  it('answers to ids nobody asked, second answers and errors without id are counted and ignored', async () => {
    const { session, link } = await openClient()
    const asked = session.request('tools/list')
    const [{ id }] = link.take()
    link.deliver(answer(999))
    link.deliver(answer(String(id)))
    link.deliver(answer(id, { tools: [] }))
    link.deliver(answer(id, { tools: ['again'] }))
    link.deliver({ jsonrpc: '2.0', id: 77, error: { code: 1, message: 'x' } })
    link.deliver({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } })
    expect(await asked).toEqual({ tools: [] })
    expect(session.stats().ignored).toEqual({ 'unexpected answer': 4, 'error without id': 1 })
    const next = session.request('tools/list')
    link.deliver(answer(link.take()[0].id, { tools: [] }))
    await next
  })

  for (const [name, broken] of [
    ['a result that is no object', { result: 5 }],
    ['result and error', { result: {}, error: { code: 1, message: 'x' } }],
    ['an error without code', { error: { message: 'x' } }],
    ['neither', {}],
  ] as const) {
    it(`an answer with ${name} fails its request or is refused`, async () => {
      const { session, link } = await openClient()
      const asked = session.request('tools/list', undefined, { timeout: '1s' })
      const [{ id }] = link.take()
      link.deliver({ jsonrpc: '2.0', id, ...broken })
      if (name === 'neither') {
        expect(link.take()[0].error.code).toBe(-32600)
        link.deliver(answer(id, { tools: [] }))
        await asked
      } else {
        await expect(asked).rejects.toMatchObject({ kind: 'invalid_answer' })
      }
    })
  }

  it('at most maxPending requests wait', async () => {
    const { session, link } = await openClient('2025-11-25', { maxPending: 2 })
    const waiting = [session.request('tools/list'), session.request('tools/list')]
    await expect(session.request('tools/list')).rejects.toMatchObject({ kind: 'too_many_requests', recoverable: true })
    for (const { id } of link.take()) link.deliver(answer(id, { tools: [] }))
    await Promise.all(waiting)
    const more = session.request('tools/list')
    link.deliver(answer(link.take()[0].id, { tools: [] }))
    await more
  })

  it('a request over the size limit is not sent', async () => {
    const { session, link } = await openClient('2025-11-25', { limits: { maxBytes: 500 } })
    await expect(session.request('tools/call', { name: 'x'.repeat(600) })).rejects.toMatchObject({
      kind: 'message_too_large',
    })
    await expect(session.request('tools/call', { name: 1n as never })).rejects.toMatchObject({
      kind: 'invalid_params',
      message: expect.stringContaining('JSON'),
    })
    expect(link.take()).toEqual([])
    expect(session.pending()).toEqual([])
  })

  it('a link that cannot send fails the request', async () => {
    const { session, link } = await openClient()
    link.closed = true
    await expect(session.request('tools/list')).rejects.toThrow('closed')
    expect(session.pending()).toEqual([])
  })
})

describe('M2 requests: time-outs', () => {
  it('gives up after the time-out and tells the peer', async () => {
    const { session, link, clock } = await openClient()
    const asked = session.request('tools/call', { name: 'slow' }, { timeout: '2s' })
    const outcome = expect(asked).rejects.toMatchObject({
      kind: 'request_timeout',
      message: 'tools/call timed out after 2000 ms (no answer and no progress)',
    })
    const [{ id }] = link.take()
    await clock.advance(1999)
    expect(session.pending()).toHaveLength(1)
    await clock.advance(1)
    await outcome
    expect(link.take()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason: expect.stringContaining('timed out') },
      },
    ])
    link.deliver(answer(id))
    expect(session.stats().ignored['unexpected answer']).toBe(1)
  })

  it('different time-outs run side by side on one timer', async () => {
    const { session, clock } = await openClient('2025-11-25', { keepAlive: false })
    const ends: string[] = []
    const ask = (name: string, timeout: number) =>
      session
        .request('tools/call', { name }, { timeout })
        .catch((error: ParleyError) => ends.push(`${name} ${error.kind} @${clock.now() - 1_000_000}`))
    ask('long', 5000)
    ask('short', 1000)
    ask('middle', 3000)
    expect(clock.timers).toBe(1)
    await clock.advance(10_000)
    expect(ends).toEqual(['short request_timeout @1000', 'middle request_timeout @3000', 'long request_timeout @5000'])
    expect(clock.timers).toBe(0)
  })

  it('progress re-arms the time-out up to the hard maximum', async () => {
    const { session, link, clock } = await openClient()
    const seen: Progress[] = []
    const asked = session.request(
      'tools/call',
      { name: 'x', _meta: { mine: 1 } },
      { timeout: 1000, maxTimeout: 2500, onProgress: (progress) => seen.push(progress) },
    )
    const outcome = expect(asked).rejects.toMatchObject({ message: expect.stringContaining('the hard maximum') })
    const [{ id, params }] = link.take()
    expect(params._meta).toEqual({ mine: 1, progressToken: id })
    for (let step = 1; step <= 3; step++) {
      await clock.advance(800)
      link.notify('notifications/progress', { progressToken: id, progress: step, total: 4, message: `step ${step}` })
    }
    expect(session.pending()).toHaveLength(1)
    await clock.advance(100)
    await outcome
    expect(seen.map(({ progress, total, message }) => [progress, total, message])).toEqual([
      [1, 4, 'step 1'],
      [2, 4, 'step 2'],
      [3, 4, 'step 3'],
    ])
  })

  it('progress brings along whatever else came with it', async () => {
    const { session, link } = await openClient()
    const seen: unknown[] = []
    const asked = session.request('tools/call', { name: 'x' }, { onProgress: (progress) => seen.push(progress) })
    const [{ id }] = link.take()
    link.notify('notifications/progress', { progressToken: id, progress: 1, _meta: { a: 1 }, eta: [2] })
    link.notify('notifications/progress', { progressToken: id, progress: 2, total: 'much' })
    link.deliver({ jsonrpc: '2.0', id, result: { content: [] } })
    await asked
    expect(seen).toEqual([{ progress: 1, more: { _meta: { a: 1 }, eta: [2] } }, { progress: 2 }])
  })

  it('progress does not re-arm when told so', async () => {
    const { session, link, clock } = await openClient()
    const asked = session.request(
      'tools/call',
      { name: 'x' },
      { timeout: 1000, resetOnProgress: false, onProgress: () => {} },
    )
    const outcome = expect(asked).rejects.toMatchObject({ kind: 'request_timeout' })
    await clock.advance(900)
    link.notify('notifications/progress', { progressToken: link.take()[0].id, progress: 1 })
    await clock.advance(100)
    await outcome
  })

  it('a nonsensical time-out is refused with the accepted forms', async () => {
    const { session } = await openClient()
    await expect(session.request('tools/list', {}, { timeout: '2 minutes' as never })).rejects.toThrow(/'30s'/)
    await expect(session.request('tools/list', {}, { timeout: -1 })).rejects.toThrow(RangeError)
    expect(session.pending()).toEqual([])
  })
})

describe('F7 progress that nobody can use is counted and ignored', () => {
  it('unknown tokens, values that do not grow, no number, floods; a failing listener harms nobody', async () => {
    const { session, link, events } = await openClient()
    let calls = 0
    const asked = session.request(
      'tools/call',
      { name: 'x' },
      {
        onProgress: () => {
          calls++
          throw new Error('listener')
        },
      },
    )
    const [{ id }] = link.take()
    for (let flood = 0; flood < 5000; flood++)
      link.notify('notifications/progress', { progressToken: 'nobody', progress: flood })
    link.notify('notifications/progress', { progressToken: id, progress: 5 })
    link.notify('notifications/progress', { progressToken: id, progress: 5 })
    link.notify('notifications/progress', { progressToken: id, progress: 4 })
    link.notify('notifications/progress', { progressToken: id, progress: 'much' })
    link.notify('notifications/progress', { progressToken: { id }, progress: 9 })
    link.deliver(answer(id, { content: [] }))
    await asked
    link.notify('notifications/progress', { progressToken: id, progress: 10 })
    expect(calls).toBe(1)
    expect(session.stats().ignored).toEqual({
      'unexpected progress': 5002,
      'progress that does not grow': 2,
      'progress without a number': 1,
    })
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  })
})

describe('M2 requests: cancellation by the caller', () => {
  it('tells the peer, once, and rejects with the reason', async () => {
    const { session, link } = await openClient()
    const controller = new AbortController()
    const asked = session.request('tools/call', { name: 'x' }, { signal: controller.signal })
    const [{ id }] = link.take()
    controller.abort('changed my mind')
    await expect(asked).rejects.toMatchObject({
      kind: 'request_cancelled',
      message: expect.stringContaining('changed my mind'),
    })
    expect(link.take()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason: expect.stringContaining('changed my mind') },
      },
    ])
    expect(session.pending()).toEqual([])
  })

  it('an aborted signal sends nothing at all', async () => {
    const { session, link } = await openClient()
    await expect(session.request('tools/list', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: 'request_cancelled',
    })
    expect(link.take()).toEqual([])
  })

  it('aborting after the answer does nothing, and the listener is gone', async () => {
    const { session, link } = await openClient()
    const controller = new AbortController()
    const asked = session.request('tools/list', {}, { signal: controller.signal })
    link.deliver(answer(link.take()[0].id, { tools: [] }))
    await asked
    controller.abort()
    expect(link.take()).toEqual([])
  })
})

describe('M3 request ids', () => {
  it('never repeat, and thresholds are reported at 80, 90 and 96 %', async () => {
    const { session, link, events } = await openClient('2025-11-25', { maxRequestId: 100 })
    const ids = new Set<number>()
    for (let at = 2; at <= 100; at++) {
      const asked = session.request('tools/list')
      const [{ id }] = link.take()
      expect(ids.has(id)).toBe(false)
      ids.add(id)
      link.deliver(answer(id, { tools: [] }))
      await asked
    }
    expect(events.filter(({ type }) => type === 'ids')).toEqual([
      { type: 'ids', used: 80, threshold: 0.8 },
      { type: 'ids', used: 90, threshold: 0.9 },
      { type: 'ids', used: 96, threshold: 0.96 },
    ])
    await expect(session.request('tools/list')).rejects.toMatchObject({
      kind: 'request_ids_exhausted',
      advice: 'reconnect',
    })
    expect(Math.max(...ids)).toBe(100)
  })
})

describe('C3 outgoing requests are guarded', () => {
  it('names the missing capability', async () => {
    const { session } = await openClient('2025-11-25', { serverCapabilities: { tools: {} } })
    await expect(session.request('prompts/list')).rejects.toMatchObject({
      kind: 'capability_not_supported',
      message: expect.stringContaining('"prompts"'),
    })
    expect(session.can('prompts/list')).toBe(false)
    expect(session.can('tools/list')).toBe(true)
  })

  it('names the version that lacks the method', async () => {
    const { session } = openServer('2025-03-26')
    await expect(session.request('elicitation/create', { message: 'x', requestedSchema: {} })).rejects.toMatchObject({
      kind: 'method_not_found',
      message: expect.stringContaining('2025-03-26'),
    })
  })

  it('what a client may not send is not sent', async () => {
    const { session, link } = await openClient()
    await expect(session.request('roots/list')).rejects.toMatchObject({ kind: 'method_not_found' })
    expect(session.notify('notifications/tools/list_changed')).toBe(false)
    expect(link.take()).toEqual([])
  })

  it('extension methods may be sent', async () => {
    const { session, link } = await openClient()
    const asked = session.request('vendor/thing', { a: 1 })
    link.deliver(answer(link.take()[0].id, { b: 2 }))
    expect(await asked).toEqual({ b: 2 })
    expect(session.notify('vendor/happened', { c: 3 })).toBe(true)
    await settled()
  })
})
