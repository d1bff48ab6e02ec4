import { describe, expect, it } from 'vitest'
import { ToolError } from '../../errors/index.ts'
import { type Body, Serialised } from '../../jsonrpc/index.ts'
import { handshakeVersions } from '../../versions/index.ts'
import type { Inbound } from '../endpoint.ts'
import { deferring, openClient, openServer, settled } from '../session.fixtures.ts'

describe('answers: exactly one for each request', () => {
  for (const version of handshakeVersions) {
    it(`${version}: at once, later, and as ready-made text`, async () => {
      let turn = 0
      const { link } = openServer(version, {
        answer: () => {
          turn++
          if (turn === 1) return { tools: [] }
          return turn === 2 ? Promise.resolve({ tools: [] }) : new Serialised('{"tools":[],"cached":true}')
        },
      })
      for (const id of ['a', 'b', 'c']) link.request(id, 'tools/list')
      await settled()
      expect(link.take()).toEqual([
        { jsonrpc: '2.0', id: 'a', result: { tools: [] } },
        { jsonrpc: '2.0', id: 'c', result: { tools: [], cached: true } },
        { jsonrpc: '2.0', id: 'b', result: { tools: [] } },
      ])
    })
  }

  for (const [name, thrown] of [
    ['a string', 'secret /home/me/key'],
    ['a number', 42],
    ['null', null],
    ['undefined', undefined],
    ['an error', new Error('secret at /home/me/app.js:1:1')],
    ['a tool error nobody turned into a result', new ToolError('secret')],
    ['an object', { password: 'secret' }],
  ] as const) {
    it(`E2 a handler that throws ${name}: one masked answer, reported at home, and the next request works`, async () => {
      let broken = true
      const { link, events } = openServer('2025-11-25', {
        answer: (inbound) => {
          if (!broken) return { ok: true }
          if (inbound.id === 'sync') throw thrown
          return Promise.reject(thrown)
        },
      })
      link.request('sync', 'tools/list')
      link.request('async', 'tools/list')
      await settled()
      const answers = link.take()
      expect(answers).toEqual(
        ['sync', 'async'].map((id) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error' } })),
      )
      expect(JSON.stringify(answers)).not.toMatch(/secret|home|stack/)
      expect(events.filter((event) => event.type === 'error' && event.during === 'answering tools/list')).toHaveLength(
        2,
      )
      broken = false
      link.request('next', 'tools/list')
      expect(link.take()).toEqual([{ jsonrpc: '2.0', id: 'next', result: { ok: true } }])
    })
  }

  const cyclic: Body = {}
  cyclic['self'] = cyclic
  for (const [name, result, code, message] of [
    ['a cyclic object', cyclic, -32603, 'The message cannot be written as JSON'],
    ['a BigInt', { content: [], n: 1n }, -32603, 'The message cannot be written as JSON'],
    ['twice the size limit', { text: 'x'.repeat(2000) }, -32603, 'The result is longer than 1000 bytes'],
    [
      'something whose toJSON throws',
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
      -32603,
      'The message cannot be written as JSON',
    ],
  ] as const) {
    it(`a handler that returns ${name} gets one clear error, and the next request works`, async () => {
      let broken = true
      const { link } = openServer('2025-11-25', {
        limits: { maxBytes: 1000 },
        answer: () => (broken ? (result as Body) : { content: [] }),
      })
      link.request(1, 'tools/call', { name: 'x' })
      expect(link.take()).toMatchObject([{ id: 1, error: { code, message } }])
      broken = false
      link.request(2, 'tools/call', { name: 'x' })
      expect(link.take()).toMatchObject([{ id: 2, result: { content: [] } }])
    })
  }

  it('a result of nothing is an empty result', () => {
    const { link } = openServer('2025-11-25', { answer: () => undefined as never })
    link.request(1, 'logging/setLevel', { level: 'info' })
    expect(link.take()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })

  it('an id in use is refused; once it is answered it is free again', async () => {
    const { answer, calls } = deferring()
    const { link } = openServer('2025-11-25', { answer })
    link.request(7, 'tools/list')
    link.request(7, 'tools/list')
    expect(link.take()).toMatchObject([
      { id: 7, error: { code: -32600, data: { 'parley/kind': 'duplicate_request_id' } } },
    ])
    calls[0]?.resolve({ tools: [] })
    await settled()
    expect(link.take()).toMatchObject([{ id: 7, result: {} }])
    link.request(7, 'tools/list')
    expect(calls).toHaveLength(2)
  })

  it('at most maxInFlight requests are answered at once', async () => {
    const { answer, calls } = deferring()
    const { link, session } = openServer('2025-11-25', { answer, maxInFlight: 2 })
    for (const id of [1, 2, 3]) link.request(id, 'tools/list')
    expect(link.take()).toMatchObject([{ id: 3, error: { data: { 'parley/kind': 'too_many_requests' } } }])
    expect(session.inFlight().map(({ id }) => id)).toEqual([1, 2])
    for (const { resolve } of calls) resolve({})
    await settled()
    expect(link.take().map(({ id }) => id)).toEqual([1, 2])
  })

  it('C3 requests behind capabilities that were not declared, and of versions that lack them, never reach a handler', () => {
    const { link, asked } = openServer('2024-11-05', { capabilities: { tools: {} } })
    link.request(1, 'prompts/list')
    link.request(2, 'tasks/list')
    link.request(3, 'sampling/createMessage', {})
    expect(link.take()).toMatchObject([
      { id: 1, error: { code: -32601, message: expect.stringContaining('"prompts"') } },
      { id: 2, error: { code: -32601, message: expect.stringContaining('2024-11-05') } },
      { id: 3, error: { code: -32601 } },
    ])
    expect(asked).toEqual([])
  })
})

describe('F7 M2 cancellation by the peer', () => {
  it('aborts the signal, drops the answer, and what is finished or unknown is counted', async () => {
    const { answer, calls } = deferring()
    const { link, session } = openServer('2025-11-25', { answer })
    link.request(1, 'tools/call', { name: 'x' })
    const signal = calls[0]?.inbound.signal as AbortSignal
    link.notify('notifications/cancelled', { requestId: 1, reason: 'enough' })
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ kind: 'request_cancelled', message: 'enough' })
    calls[0]?.resolve({ content: [] })
    await settled()
    expect(link.take()).toEqual([])
    for (const requestId of [1, 99, undefined, {}]) link.notify('notifications/cancelled', { requestId })
    expect(session.stats().ignored['cancellation of nothing']).toBe(4)
    expect(session.inFlight()).toEqual([])
  })

  it('a signal first looked at after the cancellation is aborted already; nothing more is sent for the request', async () => {
    const { answer, calls } = deferring()
    const { link } = openServer('2025-11-25', { answer })
    link.request(1, 'tools/call', { name: 'x', _meta: { progressToken: 't' } })
    link.notify('notifications/cancelled', { requestId: 1 })
    const inbound = calls[0]?.inbound as Inbound
    expect(inbound.signal.aborted).toBe(true)
    inbound.progress(1)
    calls[0]?.reject(new Error('late'))
    await settled()
    expect(link.take()).toEqual([])
  })

  it('a request made on behalf of a cancelled one is cancelled with it', async () => {
    let nested: Promise<Body> | undefined
    const { link } = openServer('2025-11-25', {
      answer: (inbound) => {
        nested = inbound.request('sampling/createMessage', { messages: [], maxTokens: 1 })
        return nested
      },
    })
    link.request(1, 'tools/call', { name: 'x' })
    const [{ id }] = link.take()
    link.notify('notifications/cancelled', { requestId: 1 })
    await expect(nested).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect(link.take()).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: id } }])
  })
})

describe('F7 M5 what a handler can say and see while it works', () => {
  it('progress takes along what else there is to say, but never in place of its own words', async () => {
    const { link } = openServer('2025-11-25', {
      answer: (inbound) => {
        inbound.progress(1, 2, 'half', { _meta: { a: 1 }, eta: [2], progressToken: 'of another', progress: 9 })
        return {}
      },
    })
    link.request(1, 'tools/call', { name: 'x', _meta: { progressToken: 't' } })
    await settled()
    expect(link.take()[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { _meta: { a: 1 }, eta: [2], progressToken: 't', progress: 1, total: 2, message: 'half' },
    })
  })

  it('progress goes out with the token, only when asked for, only growing, and not after the answer', async () => {
    const { answer, calls } = deferring()
    const { link } = openServer('2025-11-25', { answer })
    link.request(1, 'tools/call', { name: 'x', _meta: { progressToken: 't' } })
    link.request(2, 'tools/call', { name: 'x' })
    const [asked, silent] = calls.map(({ inbound }) => inbound)
    for (const value of [1, 1, 0, 2]) asked?.progress(value, 3, 'working')
    silent?.progress(1)
    expect(link.take().map(({ params }) => params)).toEqual([
      { progressToken: 't', progress: 1, total: 3, message: 'working' },
      { progressToken: 't', progress: 2, total: 3, message: 'working' },
    ])
    calls[0]?.resolve({ content: [] })
    await settled()
    asked?.progress(3)
    expect(link.take().map(({ id }) => id)).toEqual([1])
  })

  it('the message context', () => {
    const { link, asked, session, clock } = openServer()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    link.request(1, 'tools/list', { _meta: { traceparent, tracestate: 'a=b' } })
    expect(asked[0]?.context).toEqual({
      direction: 'client_to_server',
      transport: 'test',
      sessionId: session.id,
      receivedAt: clock.now(),
      traceparent,
      tracestate: 'a=b',
    })
  })
})

describe('M4 notifications', () => {
  it('reach handlers by method and wildcards; a failing one harms nobody', async () => {
    const { session, link, events } = await openClient()
    const seen: string[] = []
    session.onNotification('notifications/tools/list_changed', () => {
      throw new Error('sync')
    })
    session.onNotification('notifications/tools/list_changed', () => Promise.reject(new Error('async')))
    const off = session.onNotification('notifications/tools/list_changed', (_, method) => seen.push(`named ${method}`))
    session.onNotification('*', (params, method) => seen.push(`any ${method} ${JSON.stringify(params)}`))
    link.notify('notifications/tools/list_changed')
    link.notify('vendor/happened', { a: 1 })
    off()
    link.notify('notifications/tools/list_changed')
    await settled()
    expect(seen).toEqual([
      'named notifications/tools/list_changed',
      'any notifications/tools/list_changed {}',
      'any vendor/happened {"a":1}',
      'any notifications/tools/list_changed {}',
    ])
    expect(session.stats().failedHandlers).toBe(4)
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(4)
  })

  it('are dropped and counted when handlers do not keep up', async () => {
    const { session, link } = await openClient('2025-11-25', { maxQueuedNotifications: 10 })
    const release: (() => void)[] = []
    session.onNotification('vendor/tick', () => new Promise<void>((resolve) => release.push(resolve)))
    for (let tick = 0; tick < 25; tick++) link.notify('vendor/tick')
    expect(session.stats().droppedNotifications).toBe(15)
    for (const done of release) done()
    await settled()
    link.notify('vendor/tick')
    expect(session.stats().droppedNotifications).toBe(15)
  })

  it('that have no place are counted and ignored', async () => {
    const { session, link } = await openClient('2025-11-25', { serverCapabilities: { tools: {} } })
    const seen: string[] = []
    session.onNotification('*', (_, method) => seen.push(method))
    link.notify('notifications/roots/list_changed')
    link.notify('notifications/subscriptions/acknowledged')
    expect(seen).toEqual([])
    expect(session.stats().ignored['notification out of place']).toBe(2)
  })

  it('that were never declared are passed on all the same, and counted', async () => {
    const { session, link } = await openClient('2025-11-25', { serverCapabilities: { tools: {} } })
    const seen: string[] = []
    session.onNotification('*', (_, method) => seen.push(method))
    link.notify('notifications/tools/list_changed')
    expect(seen).toEqual(['notifications/tools/list_changed'])
    expect(session.stats().ignored).toEqual({ 'notification not declared': 1 })
  })

  it('are sent only where version and capabilities allow it', () => {
    const { session, link } = openServer('2025-06-18', { capabilities: { tools: {}, logging: {} } })
    expect(session.notify('notifications/message', { level: 'info', data: 'x' })).toBe(true)
    expect(session.notify('notifications/tools/list_changed')).toBe(false)
    expect(session.notify('notifications/elicitation/complete', { elicitationId: 'x' })).toBe(false)
    expect(link.take()).toHaveLength(1)
  })
})
