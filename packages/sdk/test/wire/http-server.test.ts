/** The rules of Streamable HTTP, told to a real socket by a bare client. */
import { afterEach, describe, expect, it } from 'vitest'
import { call, initialize, Peer, serve, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(stopAll)

const NOTE = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }
const HANDSHAKE_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

describe('A-10 sessions', () => {
  it.each(HANDSHAKE_VERSIONS)('begin with initialize in %s and are named by a header', async (version) => {
    const { port, serving } = await serve()
    const answer = await call(port, { body: initialize(version) })
    expect(answer.status).toBe(200)
    expect(answer.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{20,}$/)
    expect(answer.json.result).toMatchObject({ protocolVersion: version })
    expect(serving.sessions).toBe(1)
  })

  it('have ids of their own', async () => {
    const { port } = await serve()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await Peer.open(port)).id))
    expect(new Set(ids).size).toBe(20)
  })

  it('answer calls as JSON in one piece, without repeating the id', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    for (const name of ['now', 'soon']) {
      const answer = await peer.post(toolCall(1, name))
      expect(answer).toMatchObject({ status: 200, json: { id: 1, result: { content: [{ type: 'text' }] } } })
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(answer.text)),
      })
      expect(answer.headers['mcp-session-id']).toBeUndefined()
    }
  })

  it('take notifications and answers with 202 and no body', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    for (const body of [
      NOTE,
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', id: 99, error: { code: 1, message: 'no' } },
    ]) {
      expect(await peer.post(body)).toMatchObject({ status: 202, text: '', headers: { 'content-length': '0' } })
    }
  })

  it('are needed for everything but initialize (400)', async () => {
    const { port } = await serve()
    for (const body of [toolCall(1, 'now'), NOTE, { jsonrpc: '2.0', id: 1, result: {} }, [NOTE]]) {
      expect(await call(port, { body })).toMatchObject({
        status: 400,
        json: { error: { code: -32600, message: expect.stringContaining('Mcp-Session-Id') } },
      })
    }
    expect((await call(port, { method: 'GET', headers: { accept: 'text/event-stream' } })).status).toBe(400)
    expect((await call(port, { method: 'DELETE' })).status).toBe(400)
  })

  it('must be known (404), also for initialize', async () => {
    const { port } = await serve()
    const stranger = new Peer(port, 'not-a-session', '2025-11-25')
    const other = await Peer.open((await serve()).port)
    for (const peer of [stranger, new Peer(port, other.id, '2025-11-25')]) {
      expect(await peer.post(toolCall(1, 'now'))).toMatchObject({
        status: 404,
        json: { error: { data: { 'parley/kind': 'session_closed' } } },
      })
      expect((await peer.post(initialize())).status).toBe(404)
      expect((await peer.get()).status).toBe(404)
      expect((await peer.delete()).status).toBe(404)
    }
  })

  it('end with DELETE, once', async () => {
    const { port, serving } = await serve()
    const peer = await Peer.open(port)
    expect(await peer.delete()).toMatchObject({ status: 204, text: '' })
    expect(serving.sessions).toBe(0)
    expect((await peer.delete()).status).toBe(404)
    expect((await peer.post(toolCall(1, 'now'))).status).toBe(404)
    expect((await peer.get()).status).toBe(404)
  })

  it('that end take the requests being answered with them, with an answer: 404 would have them made again', async () => {
    const { port, waiting } = await serve()
    const peer = await Peer.open(port)
    const running = peer.post(toolCall(7, 'wait'))
    await waiting.opened
    await peer.delete()
    expect(await running).toMatchObject({
      status: 200,
      json: { id: 7, error: { data: { 'parley/kind': 'session_closed' } } },
    })
  })

  it('refuse a second initialize, and a refused one opens none', async () => {
    const { port, serving } = await serve()
    const peer = await Peer.open(port)
    expect(await peer.post(initialize())).toMatchObject({
      status: 200,
      json: { error: { data: { 'parley/kind': 'already_initialized' } } },
    })
    for (const params of [undefined, {}, { protocolVersion: 'x', capabilities: {}, clientInfo: {} }]) {
      const refused = await call(port, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } })
      expect(refused.json.error).toMatchObject({ code: -32602 })
      expect(refused.headers['mcp-session-id']).toBeUndefined()
    }
    expect(serving.sessions).toBe(1)
  })
})

describe('B-12 the version header', () => {
  it.each(HANDSHAKE_VERSIONS)('may name the version of the session, %s, or be absent', async (version) => {
    const { port } = await serve()
    const peer = await Peer.open(port, version)
    expect((await peer.post(toolCall(1, 'now'), { 'mcp-protocol-version': version })).status).toBe(200)
    expect((await peer.post(toolCall(2, 'now'))).status).toBe(200)
  })

  it('must not name another one, or none at all (400)', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port, '2025-06-18')
    for (const named of ['2025-11-25', '2026-07-28', '1999-01-01', 'bogus', '']) {
      for (const answer of [
        await peer.post(toolCall(1, 'now'), { 'mcp-protocol-version': named }),
        await peer.get({ 'mcp-protocol-version': named }),
      ]) {
        expect(answer.status).toBe(400)
        expect(answer.json.error?.message).toMatch(/version/i)
      }
    }
    expect((await call(port, { body: initialize(), headers: { 'mcp-protocol-version': 'bogus' } })).status).toBe(400)
    expect((await call(port, { body: initialize(), headers: { 'mcp-protocol-version': '2025-06-18' } })).status).toBe(
      200,
    )
  })
})

describe('methods and paths', () => {
  it('other methods are told what there is (405)', async () => {
    const { port } = await serve()
    for (const method of ['PUT', 'PATCH', 'HEAD']) {
      expect(await call(port, { method })).toMatchObject({
        status: 405,
        headers: { allow: 'GET, POST, DELETE, OPTIONS' },
      })
    }
    expect(await call(port, { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      headers: { allow: 'GET, POST, DELETE, OPTIONS' },
    })
  })

  it('other paths are not served (404), a query does not matter, the path is an option', async () => {
    const { port } = await serve()
    expect(await call(port, { path: '/', body: initialize() })).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining('/mcp') } },
    })
    expect((await call(port, { path: '/mcp?x=1', body: initialize() })).status).toBe(200)
    const elsewhere = await serve({ path: '/api/mcp' })
    expect(elsewhere.serving.url).toBe(`http://127.0.0.1:${elsewhere.port}/api/mcp`)
    expect((await call(elsewhere.port, { path: '/api/mcp', body: initialize() })).status).toBe(200)
    expect((await call(elsewhere.port, { body: initialize() })).status).toBe(404)
  })

  it('a health path is there when asked for', async () => {
    const { port } = await serve({ healthPath: '/healthz' })
    await Peer.open(port)
    expect(await call(port, { method: 'GET', path: '/healthz' })).toMatchObject({
      status: 200,
      json: { status: 'ok', sessions: 1 },
    })
    expect((await call(port, { method: 'DELETE', path: '/healthz' })).status).toBe(405)
    expect((await call((await serve()).port, { method: 'GET', path: '/healthz' })).status).toBe(404)
  })
})

describe('content types', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is read',
    async (type) => {
      const { port } = await serve()
      expect((await call(port, { body: initialize(), headers: { 'content-type': type } })).status).toBe(200)
    },
  )

  it.each([
    undefined,
    '',
    'text/plain',
    'application/json-patch+json',
    'application/json; charset=latin1',
    'multipart/form-data',
  ])('%s is not (415)', async (type) => {
    const { port } = await serve()
    expect(await call(port, { body: initialize(), headers: { 'content-type': type } })).toMatchObject({
      status: 415,
      json: { error: { code: -32600 } },
    })
  })

  it.each([
    undefined,
    '*/*',
    'application/*, text/*',
    'text/event-stream;q=0.5, application/json',
    'text/event-stream,application/json, */*;q=0',
  ])('Accept %s will do', async (accept) => {
    const { port } = await serve()
    expect((await call(port, { body: initialize(), headers: { accept } })).status).toBe(200)
  })

  it.each([
    '',
    'text/html',
    'application/json',
    'text/event-stream',
    'application/json, text/event-stream;q=0',
    'application/json;q=0.0, */*',
  ])('Accept %s will not (406)', async (accept) => {
    const { port } = await serve()
    expect((await call(port, { body: initialize(), headers: { accept } })).status).toBe(406)
  })

  it('a stream must be accepted (406)', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    expect((await peer.get({ accept: 'application/json' })).status).toBe(406)
  })
})

describe('M1 bodies that are no message', () => {
  it.each(['', '{', 'hello', '{"jsonrpc":"2.0"', '\uFEFF{}'])('not JSON: %j (400, -32700, no id)', async (body) => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    for (const answer of [await peer.post(body), await call(port, { body })]) {
      expect(answer).toMatchObject({ status: 400, json: { error: { code: -32700 } } })
      expect('id' in answer.json).toBe(false)
    }
  })

  it('not UTF-8 (400, -32700)', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ])
    expect(await peer.post(bytes)).toMatchObject({
      status: 400,
      json: { error: { code: -32700, message: expect.stringContaining('UTF-8') } },
    })
  })

  it('no message (400), with the id where it can be read', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    expect(await peer.post({ jsonrpc: '1.0', id: 4, method: 'ping' })).toMatchObject({
      status: 400,
      json: { id: 4, error: { code: -32600 } },
    })
    expect(await peer.post({ jsonrpc: '2.0', id: 4, method: 'ping', params: [] })).toMatchObject({
      status: 400,
      json: { id: 4, error: { code: -32602 } },
    })
    for (const body of [
      '1',
      'null',
      '[]',
      '"x"',
      { jsonrpc: '2.0', id: null, method: 'ping' },
      { jsonrpc: '2.0', id: 5, result: 7 },
    ]) {
      const answer = await peer.post(body)
      expect(answer).toMatchObject({ status: 400, json: { error: { code: -32600 } } })
      expect('id' in answer.json).toBe(false)
    }
    expect((await peer.post(toolCall(1, 'now'))).status).toBe(200)
  })

  it('too deep (400)', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    expect(
      (await peer.post(`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":${'['.repeat(200)}${']'.repeat(200)}}}`))
        .status,
    ).toBe(400)
  })

  it('an id that is still in flight (400), which can be used again afterwards', async () => {
    const { port, waiting, go } = await serve()
    const peer = await Peer.open(port)
    const first = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    expect(await peer.post(toolCall(1, 'now'))).toMatchObject({
      status: 400,
      json: { error: { data: { 'parley/kind': 'duplicate_request_id' } } },
    })
    expect((await peer.post(toolCall('1', 'now'))).status).toBe(200)
    go.open()
    expect((await first).json.result).toMatchObject({ content: [{ text: 'waited' }] })
    expect((await peer.post(toolCall(1, 'now'))).status).toBe(200)
  })
})

describe('A-01 batches', () => {
  it('are answered together in 2025-03-26', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port, '2025-03-26')
    const answer = await peer.post([
      toolCall(1, 'soon'),
      NOTE,
      toolCall(2, 'now'),
      { jsonrpc: '2.0', id: 3, method: 'nothing' },
    ])
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text).map((one: { id: number }) => one.id)).toEqual([1, 2, 3])
  })

  it('of what needs no answer are accepted (202), and broken ones are not (400)', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port, '2025-03-26')
    expect(await peer.post([NOTE, { jsonrpc: '2.0', id: 9, result: {} }])).toMatchObject({ status: 202, text: '' })
    expect((await peer.post([NOTE, 1])).status).toBe(400)
    expect((await peer.post([])).status).toBe(400)
    expect((await peer.post([toolCall(1, 'now'), toolCall(1, 'now')])).status).toBe(400)
    const mixed = await peer.post([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, 1])
    expect(mixed).toMatchObject({
      status: 200,
      text: expect.stringContaining('initialize must not be part of a batch'),
    })
  })

  it('may report progress on the way', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port, '2025-03-26')
    const events = await (
      await peer.stream([toolCall(1, 'now'), toolCall(2, 'report', {}, { progressToken: 'p' })])
    ).end()
    expect(events.messages.slice(0, 2)).toMatchObject([{ params: { progress: 1 } }, { params: { progress: 2 } }])
    expect(events.messages[2]).toMatchObject([{ id: 1 }, { id: 2 }])
  })

  it('whose requests are all cancelled end without an answer', async () => {
    const { port, waiting } = await serve()
    const peer = await Peer.open(port, '2025-03-26')
    const running = peer.post([toolCall(1, 'wait')])
    await waiting.opened
    await peer.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await running).toMatchObject({ status: 202, text: '' })
  })

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'do not exist in %s (400), nor before the handshake',
    async (version) => {
      const { port } = await serve()
      const peer = await Peer.open(port, version)
      expect(await peer.post([toolCall(1, 'now')])).toMatchObject({
        status: 400,
        json: { error: { code: -32600, data: { 'parley/kind': 'batch_not_supported' } } },
      })
      expect(await call(port, { body: [initialize()] })).toMatchObject({
        status: 400,
        json: { error: { data: { 'parley/kind': 'batch_invalid' } } },
      })
    },
  )
})
