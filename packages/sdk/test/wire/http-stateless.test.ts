/** The stateless era over real HTTP, asked by hand: what is answered, with which status, and to whom. */
import { afterEach, describe, expect, it } from 'vitest'
import { tool } from '../../src/server.ts'
import { call, initialize, Peer, toolCall } from './http-server.fixtures.ts'
import { ask, meta, posting, serveStateless, stopStateless, stream, VERSION } from './http-stateless.fixtures.ts'

afterEach(stopStateless)

const JSON_TYPE = 'application/json'

describe('F9 a request that speaks for itself', () => {
  it('is answered without a session, and opens none', async () => {
    const { port, serving } = await serveStateless()
    const answer = await ask(port, 'tools/call', { name: 'echo', arguments: { text: 'ünd' } }, { id: 'a' })
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': JSON_TYPE } })
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(answer.json).toMatchObject({
      id: 'a',
      result: { resultType: 'complete', content: [{ type: 'text', text: 'ünd' }] },
    })
    expect(serving.sessions).toBe(0)
  })

  it('may ask for everything there is', async () => {
    const { port } = await serveStateless()
    const discovered = await ask(port, 'server/discover')
    expect(discovered.json.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining([VERSION]),
      capabilities: { tools: {}, prompts: {}, resources: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'served', version: '1' } },
    })
    for (const [method, params, expected] of [
      ['tools/list', {}, { tools: expect.any(Array) }],
      ['prompts/list', {}, { prompts: [{ name: 'greet' }] }],
      ['prompts/get', { name: 'greet' }, { messages: expect.any(Array) }],
      ['resources/list', {}, { resources: [{ uri: 'test://one' }] }],
      ['resources/read', { uri: 'test://one' }, { contents: [{ text: 'the text' }] }],
    ] as const) {
      // Twice, because the second answer may be one that was kept.
      for (const id of [1, 'two']) {
        const { status, json } = await ask(port, method, params, { id })
        expect({ status, json }).toMatchObject({
          status: 200,
          json: { id, result: { resultType: 'complete', ...expected } },
        })
      }
    }
  })

  it('may leave out who its client is', async () => {
    const { port } = await serveStateless()
    const asked = posting('tools/list')
    const own = meta()
    delete own['io.modelcontextprotocol/clientInfo']
    expect(
      (await call(port, { ...asked, body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: own } } }))
        .status,
    ).toBe(200)
  })

  it('shares its id with those of other clients', async () => {
    const { port, go, told } = await serveStateless()
    const texts = ['one', 'two', 'three']
    const waiting = ask(port, 'tools/call', { name: 'wait' }, { id: 7 })
    await told.until('begun')
    const answers = await Promise.all(
      texts.map((text) => ask(port, 'tools/call', { name: 'echo', arguments: { text } }, { id: 7 })),
    )
    expect(answers.map(({ json }) => json.result?.['content'])).toEqual(texts.map((text) => [{ type: 'text', text }]))
    go.open()
    expect((await waiting).json).toMatchObject({ id: 7, result: { content: [{ text: 'waited' }] } })
  })

  it('V4 is served beside sessions, by the same endpoint', async () => {
    const { port, serving } = await serveStateless()
    const peer = await Peer.open(port)
    expect((await ask(port, 'tools/call', { name: 'now' })).json.result).toMatchObject({ resultType: 'complete' })
    const answer = await peer.post(toolCall(1, 'now'))
    expect(answer.json.result).not.toHaveProperty('resultType')
    expect(
      (await ask(port, 'tools/call', { name: 'now' }, { headers: { 'mcp-session-id': peer.id } })).json.result,
    ).toMatchObject({ resultType: 'complete' })
    expect(serving.sessions).toBe(1)
  })

  it('D-61 a notification is accepted (202)', async () => {
    const { port } = await serveStateless()
    const told = await call(port, {
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      headers: { 'mcp-protocol-version': VERSION },
    })
    expect(told).toMatchObject({ status: 202, text: '' })
  })
})

describe('D-59, D-60, D-64 what is refused, by status and code', () => {
  const without = (name: string) => {
    const own = meta()
    delete own[`io.modelcontextprotocol/${name}`]
    return own
  }
  const body = (method: string, params?: unknown) => ({
    jsonrpc: '2.0',
    id: 'x',
    method,
    ...(params === undefined ? {} : { params }),
  })
  const named = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list' }
  const unknown = meta({ 'io.modelcontextprotocol/protocolVersion': 'v999.0.0' })
  const calling = (headers: Record<string, string>, params: Record<string, unknown> = { name: 'now' }) => ({
    body: body('tools/call', { ...params, _meta: meta() }),
    headers: { 'mcp-protocol-version': VERSION, ...headers },
  })
  const rows: [string, { body: unknown; headers: Record<string, string> }, number, number][] = [
    ['no params', { body: body('tools/list'), headers: named }, 400, -32602],
    ['no _meta', { body: body('tools/list', {}), headers: named }, 400, -32602],
    ['a broken _meta', { body: body('tools/list', { _meta: 'x' }), headers: named }, 400, -32602],
    ['no version', { body: body('tools/list', { _meta: without('protocolVersion') }), headers: named }, 400, -32602],
    [
      'no capabilities',
      { body: body('tools/list', { _meta: without('clientCapabilities') }), headers: named },
      400,
      -32602,
    ],
    [
      'no _meta, and an unknown version',
      { body: body('tools/list', {}), headers: { ...named, 'mcp-protocol-version': 'v999.0.0' } },
      400,
      -32602,
    ],
    [
      'another version in the header',
      { body: body('tools/list', { _meta: meta() }), headers: { ...named, 'mcp-protocol-version': '2025-11-25' } },
      400,
      -32020,
    ],
    ['an unknown one in the body only', { body: body('tools/list', { _meta: unknown }), headers: named }, 400, -32020],
    [
      'no version header',
      { body: body('tools/list', { _meta: meta() }), headers: { 'mcp-method': 'tools/list' } },
      400,
      -32020,
    ],
    [
      'an unknown version',
      { body: body('tools/list', { _meta: unknown }), headers: { ...named, 'mcp-protocol-version': 'v999.0.0' } },
      400,
      -32022,
    ],
    [
      'no Mcp-Method',
      { body: body('tools/list', { _meta: meta() }), headers: { 'mcp-protocol-version': VERSION } },
      400,
      -32020,
    ],
    [
      'another Mcp-Method',
      { body: body('tools/list', { _meta: meta() }), headers: { ...named, 'mcp-method': 'prompts/list' } },
      400,
      -32020,
    ],
    [
      'Mcp-Method in capitals',
      { body: body('tools/list', { _meta: meta() }), headers: { ...named, 'mcp-method': 'TOOLS/LIST' } },
      400,
      -32020,
    ],
    ['no Mcp-Name', calling({ 'mcp-method': 'tools/call' }), 400, -32020],
    ['another Mcp-Name', calling({ 'mcp-method': 'tools/call', 'mcp-name': 'echo' }), 400, -32020],
    [
      'no Mcp-Param',
      calling({ 'mcp-method': 'tools/call', 'mcp-name': 'near' }, { name: 'near', arguments: { region: 'Hello' } }),
      400,
      -32020,
    ],
    [
      'an Mcp-Param that cannot be decoded',
      calling(
        { 'mcp-method': 'tools/call', 'mcp-name': 'near', 'mcp-param-region': '=?base64?SGVsbG8?=' },
        { name: 'near', arguments: { region: 'Hello' } },
      ),
      400,
      -32020,
    ],
    ...['odd/method', 'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'].map(
      (method): [string, { body: unknown; headers: Record<string, string> }, number, number] => [
        method,
        { body: body(method, { _meta: meta() }), headers: { ...named, 'mcp-method': method } },
        404,
        -32601,
      ],
    ),
  ]

  it.each(rows)('%s', async (_, asked, status, code) => {
    const { port } = await serveStateless()
    const answer = await call(port, asked)
    expect(answer).toMatchObject({ status, headers: { 'content-type': JSON_TYPE }, json: { id: 'x', error: { code } } })
  })

  it('names what is served when the version is not', async () => {
    const { port } = await serveStateless()
    const { json } = await ask(
      port,
      'tools/list',
      {},
      {
        meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
        headers: { 'mcp-protocol-version': '2099-01-01' },
      },
    )
    expect(json.error?.data).toMatchObject({ requested: '2099-01-01', supported: expect.arrayContaining([VERSION]) })
  })

  it('headers may be encoded, and have blanks around them', async () => {
    const { port } = await serveStateless()
    const params = { name: 'near', arguments: { region: 'Hello' } }
    for (const headers of [
      { 'Mcp-Param-REGION': '=?base64?SGVsbG8=?=' },
      { 'mcp-param-region': ' Hello ', 'MCP-METHOD': 'tools/call  ', 'mcp-method': undefined },
    ]) {
      expect((await ask(port, 'tools/call', params, { headers })).status).toBe(200)
    }
  })

  it('errors of a call itself are answers like any other', async () => {
    const { port } = await serveStateless()
    expect(await ask(port, 'resources/read', { uri: 'test://none' })).toMatchObject({
      status: 200,
      json: { error: { code: -32602, data: { uri: 'test://none' } } },
    })
    expect((await ask(port, 'tools/call', { name: 'none' })).json.error).toMatchObject({ code: -32602 })
  })

  it('hosts and origins are checked before (403)', async () => {
    const { port } = await serveStateless()
    const headers = { host: 'evil.example.com', origin: 'http://evil.example.com' }
    expect((await ask(port, 'tools/list', {}, { headers })).status).toBe(403)
    expect((await ask(port, 'tools/list', {}, { headers: { origin: `http://127.0.0.1:${port}` } })).status).toBe(200)
  })

  it('D-61 a server without sessions refuses whoever begins one (400), GET and DELETE (405), and ignores what else belongs to sessions', async () => {
    const { port } = await serveStateless({}, { versions: [VERSION] })
    for (const method of ['GET', 'DELETE'])
      expect(await call(port, { method })).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } })
    expect(await call(port, { body: initialize() })).toMatchObject({
      status: 400,
      json: { id: 'init', error: expect.anything() },
    })
    expect(
      (await ask(port, 'tools/list', {}, { headers: { 'mcp-session-id': 'x', 'last-event-id': 'y' } })).status,
    ).toBe(200)
  })

  it('a server without stateless versions has no use for it', async () => {
    const { port } = await serveStateless({}, { versions: ['2025-11-25'] })
    expect((await ask(port, 'server/discover')).status).toBe(400)
    expect((await call(port, { body: initialize() })).status).toBe(200)
  })
})

describe('D-62 answers that are streams', () => {
  it('progress comes before the answer, without ids', async () => {
    const { port } = await serveStateless()
    const events = await (await stream(port, 'tools/call', { name: 'report' }, { meta: { progressToken: 'p' } })).end()
    expect(events).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    })
    expect(events.messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { id: 1, result: { resultType: 'complete' } },
    ])
    expect(events.text).not.toMatch(/^(id|retry):/m)
  })

  it('where answers are JSON there is the answer only', async () => {
    const { port } = await serveStateless({ answer: 'json' })
    const answer = await ask(port, 'tools/call', { name: 'report' }, { meta: { progressToken: 'p' } })
    expect(answer).toMatchObject({
      headers: { 'content-type': JSON_TYPE },
      json: { result: { content: [{ text: 'reported' }] } },
    })
  })

  it('where answers are streams refusals are not', async () => {
    const { port } = await serveStateless({ answer: 'sse' })
    const events = await (await stream(port, 'tools/list')).end()
    expect(events.messages).toMatchObject([{ id: 1, result: { tools: expect.any(Array) } }])
    expect(await ask(port, 'odd/method')).toMatchObject({ status: 404, headers: { 'content-type': JSON_TYPE } })
  })
})

describe('F9 a call that waits for an answer of its user', () => {
  it('D-59 is refused when its client cannot ask (400)', async () => {
    const { port, server } = await serveStateless()
    server.add(
      tool('where', {}, async (_, ctx) => JSON.stringify(await ctx.sample('poem', { messages: [], maxTokens: 9 }))),
    )
    expect(await ask(port, 'tools/call', { name: 'where' })).toMatchObject({
      status: 400,
      json: { id: 1, error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } } },
    })
  })

  it('is continued by whom it belongs to, and by nobody else', async () => {
    const { port, server } = await serveStateless({ principal: ({ header }) => header('authorization') })
    server.add(
      tool('greet', {}, async (_, ctx) => {
        const answer = await ctx.elicit('user', 'Who are you?', {
          type: 'object',
          properties: { name: { type: 'string' } },
        })
        return `Hello, ${answer.action === 'accept' ? answer.content.name : 'nobody'}!`
      }),
    )
    const asWhom = (authorization: string, more: Record<string, unknown> = {}) =>
      ask(
        port,
        'tools/call',
        { name: 'greet', ...more },
        { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }, headers: { authorization } },
      )
    const asked = await asWhom('anne')
    expect(asked).toMatchObject({
      status: 200,
      json: { result: { resultType: 'input_required', inputRequests: { user: { method: 'elicitation/create' } } } },
    })
    const more = {
      requestState: asked.json.result?.['requestState'],
      inputResponses: { user: { action: 'accept', content: { name: 'Anne' } } },
    }
    expect((await asWhom('bob', more)).json.error).toMatchObject({
      code: -32602,
      data: { 'parley/kind': 'request_state_invalid' },
    })
    expect((await asWhom('anne', more)).json.result).toMatchObject({
      resultType: 'complete',
      content: [{ text: 'Hello, Anne!' }],
    })
  })
})
