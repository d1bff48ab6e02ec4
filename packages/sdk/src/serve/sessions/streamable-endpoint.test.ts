import { describe, expect, it } from 'vitest'
import type { FrameOrigin, Incoming, Link } from '../../jsonrpc/index.ts'
import { createServer, tool } from '../../server/index.ts'
import type { AcceptOptions, Session } from '../../session/index.ts'
import type { ProtocolVersion } from '../../versions/index.ts'
import { fetchHandler } from '../fetch-handler.ts'
import type { HttpOptions } from '../options.ts'
import type { Servable } from '../site/site.ts'

const STATELESS = '2026-07-28'
const envelope = (version: unknown = STATELESS): Record<string, unknown> => ({
  _meta: { 'io.modelcontextprotocol/protocolVersion': version },
})

/** Answers every request with who took it. */
class Telltale implements Servable {
  readonly versions?: readonly ProtocolVersion[]
  readonly accepted: AcceptOptions[] = []
  readonly seen: { incoming: Incoming | undefined; origin: FrameOrigin | undefined }[] = []
  readonly sessions: { end(): void; closedWith: unknown }[] = []

  constructor(versions?: readonly ProtocolVersion[]) {
    if (versions !== undefined) this.versions = versions
  }

  accept(link: Link, options: AcceptOptions = {}): Session {
    this.accepted.push(options)
    const who = options.sharedLink === true ? 'hall' : 'session'
    const listeners: (() => void)[] = []
    const session = {
      version: undefined as string | undefined,
      phase: 'ready',
      closedWith: undefined as unknown,
      onClose: (listener: () => void) => void listeners.push(listener),
      async close(closing: unknown) {
        session.closedWith = closing
        session.end()
      },
      end() {
        link.close()
        for (const listener of listeners.splice(0)) listener()
      },
    }
    this.sessions.push(session)
    link.open({
      frame: (_, incoming, origin) => {
        this.seen.push({ incoming, origin })
        if (incoming?.kind !== 'request') return
        if (incoming.message.method === 'initialize' && who === 'session') {
          session.version = '2025-11-25'
          link.negotiated?.('2025-11-25')
        }
        const answer = JSON.stringify({ id: incoming.message.id, who, nr: this.accepted.length })
        link.send(answer, { relatedTo: origin?.key ?? incoming.message.id, final: true })
      },
      closed: () => {},
    })
    return session as unknown as Session
  }
}

interface Told {
  status: number
  who?: string
  nr?: number
  error?: { code: number; message: string }
  headers: Headers
}

function serving(versions?: readonly ProtocolVersion[], options: HttpOptions = {}) {
  const server = new Telltale(versions)
  const handler = fetchHandler(server, options)
  const send = async (method: string, body: unknown, headers: Record<string, string> = {}): Promise<Told> => {
    const init = {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    }
    const response = await handler(
      new Request(
        'http://localhost/mcp',
        body === undefined ? init : { ...init, body: typeof body === 'string' ? body : JSON.stringify(body) },
      ),
    )
    const text = await response.text()
    return { status: response.status, headers: response.headers, ...(text === '' ? {} : JSON.parse(text)) }
  }
  const ask = (method: string, params?: unknown, headers: Record<string, string> = {}) =>
    send('POST', { jsonrpc: '2.0', id: 1, method, params }, headers)
  const begin = async (): Promise<string> => String((await ask('initialize', {})).headers.get('mcp-session-id'))
  return { server, handler, send, ask, begin }
}

describe('V4 which era a request is of', () => {
  it('one that says its version itself needs no session, and ignores any (D-61)', async () => {
    const { ask, begin, handler } = serving()
    const session = await begin()
    expect(await ask('tools/call', envelope())).toMatchObject({ status: 200, who: 'hall' })
    expect(await ask('tools/call', envelope(), { 'mcp-session-id': session })).toMatchObject({
      status: 200,
      who: 'hall',
    })
    expect(await ask('tools/call', envelope(), { 'mcp-session-id': 'unknown' })).toMatchObject({
      status: 200,
      who: 'hall',
    })
    expect(await ask('tools/call', envelope(7))).toMatchObject({ who: 'hall' })
    expect(await ask('initialize', envelope(), { 'mcp-protocol-version': '2025-11-25' })).toMatchObject({ who: 'hall' })
    expect((await ask('tools/call', envelope())).headers.get('mcp-session-id')).toBeNull()
    expect(handler.sessions).toBe(1)
  })

  it('so does one whose header names a stateless or an unknown version', async () => {
    const { ask, begin } = serving()
    const session = await begin()
    for (const params of [undefined, {}, { _meta: {} }, { _meta: 'x' }, { _meta: null }]) {
      expect(await ask('tools/list', params, { 'mcp-protocol-version': STATELESS })).toMatchObject({ who: 'hall' })
      expect(await ask('tools/list', params, { 'mcp-protocol-version': 'v999.0.0' })).toMatchObject({ who: 'hall' })
    }
    expect(await ask('initialize', {}, { 'mcp-protocol-version': STATELESS })).toMatchObject({ who: 'hall' })
    expect(await ask('tools/list', {}, { 'mcp-protocol-version': STATELESS, 'mcp-session-id': session })).toMatchObject(
      { who: 'hall' },
    )
    expect(
      await ask('tools/list', {}, { 'mcp-protocol-version': 'v999.0.0', 'mcp-session-id': session }),
    ).toMatchObject({
      status: 400,
      error: { code: -32602 },
    })
    expect(await ask('initialize', {}, { 'mcp-protocol-version': 'v999.0.0' })).toMatchObject({
      status: 400,
      error: { code: -32602 },
    })
  })

  it('everything else needs a session', async () => {
    const { ask, begin } = serving()
    const session = await begin()
    expect(await ask('tools/list', {}, { 'mcp-session-id': session })).toMatchObject({ who: 'session' })
    expect(
      await ask('tools/list', {}, { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
    ).toMatchObject({ who: 'session' })
    expect(await ask('tools/list', { _meta: { progressToken: 1 } }, { 'mcp-session-id': session })).toMatchObject({
      who: 'session',
    })
    for (const headers of [{}, { 'mcp-protocol-version': '2025-06-18' }])
      expect((await ask('tools/list', {}, headers as never)).status).toBe(400)
  })

  it('a batch never is of the stateless era', async () => {
    const { send, server } = serving()
    const refused = await send('POST', [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: envelope() }], {
      'mcp-protocol-version': STATELESS,
    })
    expect(refused.status).toBe(400)
    expect(server.accepted).toEqual([])
  })

  it('what cannot be read is refused as ever (400)', async () => {
    const { send } = serving()
    for (const body of ['{', '{}', '[]', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: [] })]) {
      expect((await send('POST', body, { 'mcp-protocol-version': STATELESS })).status).toBe(400)
    }
  })

  it('a notification is taken note of (202)', async () => {
    const { send, server } = serving()
    const told = await send('POST', { jsonrpc: '2.0', method: 'notifications/odd', params: envelope() })
    expect(told).toMatchObject({ status: 202 })
    expect(server.accepted[0]?.sharedLink).toBe(true)
    expect(server.seen[0]?.incoming).toMatchObject({ kind: 'notification' })
  })
})

describe('V4 a server of one era', () => {
  it('without a stateless version treats all as before', async () => {
    for (const { ask } of [
      serving(['2025-06-18', '2025-11-25']),
      serving(undefined, { session: { versions: ['2025-11-25'] } }),
    ]) {
      expect((await ask('tools/list', envelope())).status).toBe(400)
      expect((await ask('tools/list', {}, { 'mcp-protocol-version': STATELESS })).status).toBe(400)
    }
  })

  it('with stateless versions only has no sessions, and knows POST only (D-61)', async () => {
    for (const { ask, send } of [serving([STATELESS]), serving(undefined, { session: { versions: [STATELESS] } })]) {
      for (const method of ['GET', 'DELETE', 'PUT']) {
        const refused = await send(method, undefined, { 'mcp-session-id': 'x', 'last-event-id': 'y' })
        expect(refused.status).toBe(405)
        expect(refused.headers.get('allow')).toBe('POST, OPTIONS')
      }
      expect((await send('OPTIONS', undefined)).headers.get('allow')).toBe('POST, OPTIONS')
      expect(await ask('initialize', {})).toMatchObject({ who: 'hall' })
      expect(await ask('tools/list', {}, { 'mcp-session-id': 'x' })).toMatchObject({ who: 'hall' })
      expect(await send('POST', [{ jsonrpc: '2.0', id: 1, method: 'x' }])).toMatchObject({
        status: 400,
        error: { message: /Batches/ },
      })
      expect(await send('POST', { jsonrpc: '2.0', id: 1, result: {} })).toMatchObject({
        status: 400,
        error: { message: /Answers/ },
      })
      expect(await send('POST', '{')).toMatchObject({ status: 400, error: { code: -32700 } })
    }
  })
})

describe('D a dialect that the settings of the endpoint name', () => {
  it('goes with one version, so nothing is of the stateless era', async () => {
    const { ask, begin, server, handler } = serving(undefined, { session: { dialect: 'erlmcp' } })
    await begin()
    expect(await ask('tools/call', envelope())).not.toMatchObject({ who: 'hall' })
    expect(server.accepted.map(({ sharedLink, dialect }) => [sharedLink, dialect])).toEqual([[undefined, 'erlmcp']])
    await handler.close({ drain: 0 })
  })

  it('is refused where the server does not speak that version', () => {
    expect(() => serving(['2026-07-28'], { session: { dialect: 'erlmcp' } })).toThrow(
      'goes with protocol version 2025-11-25',
    )
    expect(() => serving(undefined, { session: { dialect: 'erlmcp', versions: ['2025-03-26'] } })).toThrow(
      'goes with protocol version 2025-11-25',
    )
  })
})

describe('F9 the session all stateless requests share', () => {
  it('is made on first use, with the settings of the endpoint, and is none of those that are counted', async () => {
    const { ask, server, handler } = serving(undefined, {
      maxRequests: 7,
      session: { maxInFlight: 3, requestTimeout: 5 },
    })
    expect(server.accepted).toEqual([])
    await ask('tools/list', envelope())
    await ask('tools/list', envelope())
    expect(server.accepted).toHaveLength(1)
    expect(server.accepted[0]).toMatchObject({ sharedLink: true, maxInFlight: 7, requestTimeout: 5, keepAlive: false })
    expect(handler.sessions).toBe(0)
  })

  it('is made anew when it has ended', async () => {
    const { ask, server } = serving()
    expect(await ask('tools/list', envelope())).toMatchObject({ nr: 1 })
    server.sessions[0]?.end()
    expect(await ask('tools/list', envelope())).toMatchObject({ nr: 2 })
    expect(await ask('tools/list', envelope())).toMatchObject({ nr: 2 })
  })

  it('closes with everything else, and is not made after that', async () => {
    const { ask, server, handler } = serving()
    await ask('tools/list', envelope())
    await handler.close({ drain: 3 })
    expect(server.sessions[0]?.closedWith).toEqual({ drain: 3 })
    const refused = await ask('tools/list', envelope())
    expect(refused).toMatchObject({ status: 503 })
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(server.accepted).toHaveLength(1)
  })

  it('learns whom a request comes from, and its headers', async () => {
    const { ask, server } = serving(undefined, {
      principal: ({ header }) => header('Authorization')?.slice('Bearer '.length),
    })
    await ask('tools/list', envelope(), { authorization: 'Bearer anne', 'mcp-method': 'tools/list' })
    await ask('tools/list', envelope())
    expect(server.seen.map(({ origin }) => origin?.principal)).toEqual(['anne', undefined])
    expect(server.seen[0]?.origin?.header?.('mcp-method')).toBe('tools/list')
  })

  it('when that cannot be found out, the request fails and nothing else', async () => {
    const errors: unknown[] = []
    const { ask } = serving(undefined, {
      onError: (error) => errors.push(error),
      principal: ({ header }) => {
        if (header('x-bad') !== undefined) throw new Error('no idea')
        return undefined
      },
    })
    expect((await ask('tools/list', envelope(), { 'x-bad': '1' })).status).toBe(500)
    expect(errors).toMatchObject([{ message: 'no idea' }])
    expect((await ask('tools/list', envelope())).status).toBe(200)
  })
})

describe('D-60 pages of other origins', () => {
  it('may send the headers of requests, and those of tools they ask for', async () => {
    const { handler } = serving(undefined, { cors: true, allowedOrigins: ['https://app.example'] })
    const preflight = async (asked?: string) => {
      const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
      const request = new Request('http://localhost/mcp', {
        method: 'OPTIONS',
        headers: asked === undefined ? headers : { ...headers, 'access-control-request-headers': asked },
      })
      return String((await handler(request)).headers.get('access-control-allow-headers')).split(', ')
    }
    const usual = await preflight()
    expect(usual).toEqual(expect.arrayContaining(['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']))
    expect(await preflight('content-type,mcp-method,mcp-na,Mcp-Param-Region, mcp-param-a b,x-other,mcp-')).toEqual([
      ...usual,
      'mcp-na',
      'mcp-param-region',
    ])
  })
})

describe('E1 a definition that could never be shown', () => {
  it('is reported to the operator, not to the first client', () => {
    const server = createServer({ name: 'broken', version: '1.0.0' }, { onError: () => {} }).add(
      tool(
        'bad',
        { input: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A B' } } } as never },
        () => '',
      ),
    )
    expect(() => fetchHandler(server)).toThrow('"bad"')
  })
})

describe('D-61 what only sessions have', () => {
  it.each([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], 'Batches are not part'],
    ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, 'Answers are not posted'],
  ])('%s in the name of 2026-07-28 is told so, not asked for a session', async (_, message, why) => {
    const handler = fetchHandler(createServer({ name: 'both', version: '1.0.0' }))
    const headers = {
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
    }
    const response = await handler(
      new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(message) }),
    )
    expect(response.status).toBe(400)
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain(why)
    await handler.close()
  })
})
