import { describe, expect, it } from 'vitest'
import { handshakeVersions } from '../../versions/index.ts'
import { deferring, initializeParams, makeRig, openClient, openServer, settled } from '../session.fixtures.ts'

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'peer', version: '2' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const ended = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32600,
    message: 'The session ended before the request was answered',
    data: { 'parley/kind': 'session_closed' },
  },
})
const shutDown = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32600,
    message: 'The server shut down before the request was answered',
    data: { 'parley/kind': 'shutting_down' },
  },
})

describe('L8 what is not answered when the drain is over', () => {
  for (const version of handshakeVersions) {
    it(`${version}: is answered with an error, once, before the link is closed`, async () => {
      const { answer, calls } = deferring()
      const { session, link, clock } = openServer(version, { answer })
      link.request(1, 'tools/list')
      link.request('two', 'tools/call', { name: 'x' })
      const aborted = calls.map(({ inbound }) => inbound.signal)
      const closing = session.close({ drain: '2s' })
      await clock.advance(1999)
      expect(link.take()).toEqual([])
      await clock.advance(1)
      await closing
      expect(link.take()).toMatchObject([ended(1), ended('two')])
      expect(aborted.map((signal) => signal.aborted)).toEqual([true, true])
      for (const call of calls) call.resolve({ tools: [] })
      await settled()
      expect(link.take()).toEqual([])
      expect(clock.timers).toBe(0)
    })
  }

  it('2025-03-26: is answered as the batch it came in', async () => {
    const { answer, calls } = deferring()
    const { session, link } = openServer('2025-03-26', { answer })
    link.deliver([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })))
    calls[1]?.resolve({ tools: [] })
    await settled()
    await session.close({ drain: 0 })
    expect(link.take()).toMatchObject([[ended(1), { id: 2, result: { tools: [] } }]])
  })

  it('2026-07-28: is told that the server shuts down', async () => {
    const { answer } = deferring()
    const { session, link } = makeRig('server', { answer })
    link.request(1, 'tools/list', { _meta: meta })
    await session.close({ drain: 0 })
    expect(link.take()).toMatchObject([shutDown(1)])
  })

  it('also where it was still unknown who would answer', async () => {
    const endpoint = {
      introduce: () => ({ info: { name: 's', version: '1' }, capabilities: {} }),
      answer: () => ({}),
      prepare: () => new Promise<void>(() => {}),
    }
    const shaking = makeRig('server', { endpoint })
    shaking.link.request(1, 'initialize', initializeParams())
    shaking.link.request(2, 'tools/list')
    await shaking.session.close({ drain: 0 })
    expect(shaking.link.take()).toMatchObject([ended(1), ended(2)])
    const speaking = makeRig('server', { endpoint })
    speaking.link.request(3, 'tools/list', { _meta: meta })
    await speaking.session.close({ drain: 0 })
    expect(speaking.link.take()).toMatchObject([shutDown(3)])
  })

  it('also where the session was paused, and the drain had no time for it', async () => {
    const { session, link, asked } = openServer()
    session.pause()
    link.request(1, 'tools/list')
    await session.close({ drain: 0 })
    expect(link.take()).toMatchObject([ended(1)])
    expect(asked).toEqual([])
  })

  it('gets nothing where the peer is gone, or has taken it back', async () => {
    const { answer } = deferring()
    const gone = openServer('2025-11-25', { answer })
    gone.link.request(1, 'tools/list')
    const closing = gone.session.close()
    gone.link.hangUp()
    await closing
    expect(gone.link.take()).toEqual([])
    expect(gone.events.filter(({ type }) => type === 'error')).toEqual([])
    const there = openServer('2025-11-25', { answer })
    there.link.request(1, 'tools/list')
    there.link.notify('notifications/cancelled', { requestId: 1 })
    await there.session.close({ drain: 0 })
    expect(there.link.take()).toEqual([])
  })

  it('is no concern of a client that leaves', async () => {
    const { answer } = deferring()
    const { session, link } = await openClient('2025-11-25', { answer })
    link.request(1, 'roots/list')
    await session.close()
    expect(link.take()).toEqual([])
  })
})
