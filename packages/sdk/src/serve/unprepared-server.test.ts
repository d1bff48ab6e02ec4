/**
 * Over HTTP, a server that is not ready yet: the handshake waits in one piece, and one that fails leaves nothing behind
 * (8.1, L2).
 */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../errors/index.ts'
import { type Endpoint, Session } from '../session/index.ts'
import { fakeClock, flush } from '../testing/index.ts'
import { fetchHandler } from './fetch-handler.ts'
import type { HttpOptions } from './options.ts'
import type { Servable } from './site/site.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const STATELESS = { _meta: { [VERSION]: '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } }
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }

function serving(options: HttpOptions = {}) {
  const clock = fakeClock()
  const preparations: { ready: () => void; fail: (error: unknown) => void }[] = []
  const called: string[] = []
  const endpoint: Endpoint = {
    prepare: () => new Promise((ready, fail) => preparations.push({ ready, fail })),
    introduce: () => ({ info: { name: 's', version: '1' }, capabilities: { tools: {} } }),
    answer: ({ method }) => {
      called.push(method)
      return { tools: [] }
    },
  }
  const server: Servable = { accept: (link, accepted) => new Session({ ...accepted, role: 'server', link, endpoint }) }
  const handler = fetchHandler(server, { clock, ...options })
  const post = (message: object, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
    handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
        ...(signal && { signal }),
      }),
    )
  const prepared = async (count: number): Promise<void> => {
    while (preparations.length < count) await flush()
  }
  return { clock, handler, post, preparations, prepared, called }
}

const hello = { method: 'initialize', params: HELLO }
const stateless = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }

describe('a handshake that takes long', () => {
  it.each(['auto', 'sse', 'json'] as const)(
    'is answered whole, however long it takes, with the id of the session: %s',
    async (answer) => {
      const { clock, handler, post, preparations, prepared } = serving({ answer })
      let response: Response | undefined
      const posted = post(hello).then((got) => {
        response = got
      })
      await prepared(1)
      await clock.advance(10 * 60_000)
      expect([response, handler.sessions]).toEqual([undefined, 1])
      preparations[0]?.ready()
      await posted
      expect(response?.headers.get('content-type')).toContain(
        answer === 'sse' ? 'text/event-stream' : 'application/json',
      )
      expect(await response?.text()).toContain('"serverInfo":{"name":"s","version":"1"}')
      const id = response?.headers.get('mcp-session-id') as string
      expect(id).toEqual(expect.any(String))
      const later = await post({ method: 'tools/list', id: 2 }, { 'mcp-session-id': id })
      expect([later.status, later.headers.get('mcp-session-id')]).toEqual([200, null])
      expect(await later.text()).toContain('"tools":[]')
      await handler.close({ drain: 0 })
      expect(clock.pending).toBe(0)
    },
  )

  it('that fails is told why, and its session is gone', async () => {
    const { handler, post, preparations, prepared, clock } = serving()
    const posted = post(hello)
    await prepared(1)
    preparations[0]?.fail(new ParleyError('refusal_unavailable', { message: 'It does not start' }))
    const response = await posted
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([200, null])
    expect(await response.json()).toMatchObject({ id: 1, error: { message: 'It does not start' } })
    await flush()
    expect(handler.sessions).toBe(0)
    const again = post(hello)
    await prepared(2)
    preparations[1]?.ready()
    expect((await again).headers.get('mcp-session-id')).toEqual(expect.any(String))
    expect(handler.sessions).toBe(1)
    await handler.close({ drain: 0 })
    expect(clock.pending).toBe(0)
  })

  it('that cannot succeed leaves nothing behind either', async () => {
    const { handler, post } = serving()
    const response = await post({ method: 'initialize', params: {} })
    expect(await response.json()).toMatchObject({ error: { code: -32602 } })
    await flush()
    expect(handler.sessions).toBe(0)
  })

  it('is waited for when the server closes, and not for longer than it has time', async () => {
    const patient = serving()
    const posted = patient.post(hello)
    await patient.prepared(1)
    const closing = patient.handler.close({ drain: '5s' })
    patient.preparations[0]?.ready()
    expect(await (await posted).json()).toMatchObject({ result: { serverInfo: { name: 's' } } })
    await closing
    const hasty = serving()
    const given = hasty.post(hello)
    await hasty.prepared(1)
    await hasty.handler.close({ drain: 0 })
    expect(await (await given).json()).toMatchObject({ id: 1, error: { data: { 'parley/kind': 'session_closed' } } })
    hasty.preparations[0]?.ready()
    await flush()
    expect([hasty.handler.sessions, hasty.clock.pending]).toEqual([0, 0])
  })
})

describe('a request that speaks for itself', () => {
  it('waits, and is answered', async () => {
    const { handler, post, preparations, prepared, called } = serving()
    const posted = post({ method: 'tools/list', params: STATELESS }, stateless)
    await prepared(1)
    expect(called).toEqual([])
    preparations[0]?.ready()
    const response = await posted
    expect(await response.text()).toContain('"tools":[]')
    expect(response.headers.get('mcp-session-id')).toBeNull()
    await handler.close({ drain: 0 })
  })

  it('is told why it cannot be answered', async () => {
    const { handler, post, preparations, prepared } = serving()
    const posted = post({ method: 'tools/list', params: STATELESS }, stateless)
    await prepared(1)
    preparations[0]?.fail(new ParleyError('refusal_unavailable', { message: 'It does not start' }))
    expect(await (await posted).json()).toMatchObject({ id: 1, error: { message: 'It does not start' } })
    await handler.close({ drain: 0 })
  })

  it('is not started when its client is gone; others with the same id are not confused with it', async () => {
    const { handler, post, preparations, prepared, called } = serving()
    const gone = new AbortController()
    // Nobody is there to take its answer.
    void post({ method: 'tools/list', params: STATELESS }, stateless, gone.signal)
    const second = post({ method: 'tools/list', params: STATELESS }, stateless)
    await prepared(2)
    gone.abort()
    await flush()
    for (const { ready } of preparations) ready()
    expect(await (await second).text()).toContain('"tools":[]')
    expect(called).toEqual(['tools/list'])
    await handler.close({ drain: 0 })
  })
})
