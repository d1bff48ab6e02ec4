/** Requests that `fastHttp` reads without `node:http`: the answers are the same, byte for byte. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServeHttpOptions } from '../../src/node/index.ts'
import type { Mount } from '../../src/serve/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import {
  countedByNode,
  FOR_NODE_HTTP,
  hangUpAll,
  type RawRequest,
  type RawResponse,
  raw,
  serveFast,
  settled,
  Wire,
} from './http-fast.fixtures.ts'
import { initialize, Peer, serve, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(async () => {
  hangUpAll()
  await stopAll()
})

const NOTE = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }
const ORIGIN = 'https://page.example'

/** But for what is new each time. */
const alike = ({ status, head, body }: RawResponse): RawResponse => ({
  status,
  // Where a first answer failed, Node still says the words of that one.
  head: head
    .replace('HTTP/1.1 500 OK', 'HTTP/1.1 500 Internal Server Error')
    .replace(/^Date: .+ GMT\r$/m, 'Date: now\r')
    .replace(/^mcp-session-id: .+\r$/m, 'mcp-session-id: some\r'),
  body: body.replace(/^id: [\w-]{8}\.\d-/gm, 'id: some-'),
})

const messageOf = ({ body }: RawResponse): unknown => JSON.parse(Buffer.from(body, 'latin1').toString('utf8'))

interface Case {
  options?: ServeHttpOptions
  /** With a session. */
  peer?: boolean
  mounts?: Record<string, Mount>
  request: RawRequest
  status: number
  /** What both must have, lest they be the same by having nothing. */
  has?: RegExp
}

const mount = (handle: Mount['handle']): Record<string, Mount> => ({ '/own': { handle } })
const own = { path: '/own', body: '{}' }

const cases: Readonly<Record<string, Case>> = {
  '200 JSON': {
    request: { body: initialize() },
    status: 200,
    has: /^content-type: application\/json\r\nmcp-session-id: some\r\ncontent-length: \d+\r\nDate: now\r$/m,
  },
  '200 in pieces': { peer: true, request: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }, status: 200 },
  '200 beyond ASCII': { peer: true, request: { body: toolCall('☃', 'echo', { text: 'é☃😀' }) }, status: 200 },
  '200 events at once': {
    options: { answer: 'sse' },
    peer: true,
    request: { body: toolCall(1, 'now') },
    status: 200,
    has: /^cache-control: no-cache\r$/m,
  },
  '200 an event stream': {
    peer: true,
    request: { body: toolCall(1, 'report', {}, { progressToken: '☃' }) },
    status: 200,
    has: /^Keep-Alive: timeout=75\r\nTransfer-Encoding: chunked\r$/m,
  },
  202: { peer: true, request: { body: NOTE }, status: 202, has: /^content-length: 0\r$/m },
  '400 no JSON': { request: { body: '{' }, status: 400 },
  '400 no body': { request: { body: '' }, status: 400 },
  '400 not UTF-8': { request: { body: Buffer.from('"\xe9"', 'latin1') }, status: 400 },
  '403 host': { request: { headers: { host: 'evil.example' }, body: initialize() }, status: 403 },
  '403 host that is empty': { request: { headers: { host: '' }, body: initialize() }, status: 403 },
  '403 origin': { request: { headers: { origin: ORIGIN }, body: initialize() }, status: 403 },
  '404 path': { request: { path: '/mcp#x', body: initialize() }, status: 404 },
  '404 session': { request: { headers: { 'mcp-session-id': 'none' }, body: NOTE }, status: 404 },
  406: { request: { headers: { accept: 'text/html' }, body: initialize() }, status: 406 },
  413: { options: { session: { limits: { maxBytes: 50 } } }, request: { body: initialize() }, status: 413 },
  415: { request: { headers: { 'content-type': 'text/plain' }, body: initialize() }, status: 415 },
  'CORS 200': {
    options: { cors: true, allowedOrigins: [ORIGIN] },
    request: { headers: { origin: ORIGIN }, body: initialize() },
    status: 200,
    has: /^vary: origin\r\ncontent-length: \d+\r$/m,
  },
  'CORS 400': {
    options: { cors: true, allowedOrigins: [ORIGIN] },
    request: { headers: { origin: ORIGIN }, body: '{' },
    status: 400,
    has: /^access-control-allow-origin: h/m,
  },
  'CORS stream': {
    options: { cors: true, allowedOrigins: [ORIGIN] },
    peer: true,
    request: { headers: { origin: ORIGIN }, body: toolCall(1, 'report', {}, { progressToken: 1 }) },
    status: 200,
    has: /^vary: origin\r\nDate: now\r$/m,
  },
  '500 a header that would split the response': {
    mounts: mount((exchange) => exchange.respond(200, { 'x-a': 'b\r\nx-evil: c' }, 'x')),
    request: own,
    status: 500,
  },
  '500 a stream with such a name': {
    mounts: mount((exchange) => void exchange.stream(200, { 'x-a: b\r\nx-evil': 'c' })),
    request: own,
    status: 500,
  },
  'a query': {
    mounts: mount((exchange) => exchange.respond(200, {}, `${exchange.path} ${exchange.query}`)),
    request: { ...own, path: '/own?a=?b' },
    status: 200,
  },
  'its own date': {
    mounts: mount((exchange) => exchange.respond(200, { date: 'now' }, 'x')),
    request: own,
    status: 200,
  },
  'its own length': {
    mounts: mount((exchange) => exchange.respond(200, { 'content-length': '7', 'x-after': 'y' }, 'x')),
    request: own,
    status: 200,
  },
  'a status nobody knows': {
    mounts: mount((exchange) => exchange.respond(299, {}, 'x')),
    request: own,
    status: 299,
    has: /^HTTP\/1\.1 299 unknown\r$/m,
  },
  '204 for which a body is given': {
    mounts: mount((exchange) => exchange.respond(204, {}, 'x')),
    request: own,
    status: 204,
  },
  '304 for which a body is given': {
    mounts: mount((exchange) => exchange.respond(304, {}, ['x'])),
    request: own,
    status: 304,
  },
  'a header beyond ASCII': {
    mounts: mount((exchange) => exchange.respond(200, { 'x-e': 'é' }, 'x')),
    request: own,
    status: 200,
  },
  'one without a body': {
    mounts: mount((exchange) => exchange.respond(200, { 'x-e': 'é' })),
    request: own,
    status: 200,
  },
  'one with text beyond ASCII': {
    mounts: mount((exchange) => exchange.respond(200, { 'x-e': 'é' }, '☃')),
    request: own,
    status: 200,
  },
  'one with pieces': {
    mounts: mount((exchange) => exchange.respond(200, { 'x-e': 'é' }, ['☃', Buffer.from('x')])),
    request: own,
    status: 200,
  },
  'one with bytes': {
    mounts: mount((exchange) => exchange.respond(200, { 'x-e': 'é' }, [Buffer.from('x'), '☃'])),
    request: own,
    status: 200,
  },
  'one with a stream': {
    mounts: mount((exchange) => exchange.stream(200, { 'x-e': 'é' }).end('☃')),
    request: own,
    status: 200,
    has: /^x-e: \xe9\r$/m,
  },
  'a stream without a word': { mounts: mount((exchange) => exchange.stream(200, {}).end()), request: own, status: 200 },
  'a stream that ends with a word': {
    mounts: mount((exchange) => exchange.stream(200, {}).end('x')),
    request: own,
    status: 200,
  },
  'only one answer': {
    mounts: mount((exchange) => {
      exchange.respond(200, {}, 'first')
      exchange.respond(200, {}, 'second')
      // Fails, which leaves the first as it is.
      exchange.stream(200, {}).end('third')
    }),
    request: own,
    status: 200,
  },
}

async function askBoth(port: number, request: RawRequest): Promise<[fast: RawResponse, byNode: RawResponse]> {
  const [first, second] = [await Wire.open(port), await Wire.open(port)]
  const answers: RawResponse[] = []
  const seen = await countedByNode(port, async () => answers.push(await first.ask(request)))
  const seenNext = await countedByNode(port, async () =>
    answers.push(await second.ask({ ...request, headers: { ...request.headers, ...FOR_NODE_HTTP } })),
  )
  expect([seen, seenNext]).toEqual([0, 1])
  // Nothing is left over, and both connections are as good as before.
  for (const wire of [first, second]) {
    expect(wire.rest).toBe('')
    expect((await wire.ask({ path: '/nowhere', body: '{}' })).status).toBe(404)
  }
  return answers.map(alike) as [RawResponse, RawResponse]
}

describe('the same answer by both ways', () => {
  it.each(Object.entries(cases))('%s', async (_, { options, peer, mounts, request, status, has }) => {
    const { port } = await serveFast({ onError: () => {}, ...options, ...(mounts === undefined ? {} : { mounts }) })
    const session = peer === true ? { 'mcp-session-id': (await Peer.open(port)).id } : {}
    const [fast, byNode] = await askBoth(port, { ...request, headers: { ...request.headers, ...session } })
    expect(fast).toEqual(byNode)
    expect(fast.status).toBe(status)
    expect(`${fast.head}${fast.body}`).toMatch(has ?? /./)
  })

  it.each([false, true])('a response that says so ends the connection (as a stream: %s)', async (isStream) => {
    const headers = { connection: 'close' }
    const handle: Mount['handle'] = (exchange) =>
      isStream ? exchange.stream(200, headers).end('bye') : exchange.respond(200, headers, 'bye')
    const { port } = await serveFast({ mounts: mount(handle) })
    const answers = await Promise.all(
      [{}, FOR_NODE_HTTP].map(async (more) => {
        const wire = await Wire.open(port)
        await wire.write(raw({ ...own, headers: more }))
        return (await wire.last()).replace(/Date: .+ GMT/, 'Date: now')
      }),
    )
    expect(answers[0]).toBe(answers[1])
    expect(answers[0]).toMatch(
      /^connection: close\r\n(?:content-length: 3\r\n)?Date: now\r\n(?:Transfer-Encoding: chunked\r\n)?\r\n/m,
    )
  })

  it.each([{}, FOR_NODE_HTTP])('the head of a stream leaves before there is anything to say (%j)', async (headers) => {
    const { port } = await serveFast({ mounts: mount((exchange) => exchange.stream(200, {}).write('')) })
    const wire = await Wire.open(port)
    await wire.write(raw({ ...own, headers }))
    expect(await wire.until((rest) => rest.includes('\r\n\r\n'))).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]+chunked\r\n\r\n$/,
    )
  })

  it('headers are those of the moment, also when their object is used again', async () => {
    const headers: Record<string, string> = {}
    let count = 0
    const { port } = await serveFast({
      mounts: mount((exchange) => {
        headers['x-count'] = String(++count)
        exchange.respond(200, headers)
      }),
    })
    const wire = await Wire.open(port)
    for (const n of [1, 2]) expect((await wire.ask(own)).head).toContain(`x-count: ${n}\r\n`)
  })

  it('whoever owns the server is told of a header that would split a response', async () => {
    const errors: unknown[] = []
    const { port } = await serveFast({
      onError: (error) => errors.push(error),
      mounts: mount((exchange) => exchange.respond(200, { 'x-a': 'b\r\nx-evil: c' })),
    })
    const wire = await Wire.open(port)
    const answer = await wire.ask(own)
    expect(answer.status).toBe(500)
    expect(answer.head + answer.body).not.toContain('evil')
    expect(errors).toEqual([expect.objectContaining({ code: 'ERR_INVALID_CHAR' })])
  })

  it('nor does a session id split one', async () => {
    const errors: unknown[] = []
    const { port } = await serveFast({ mint: () => 'a\r\nx-evil: b', onError: (error) => errors.push(error) })
    const wire = await Wire.open(port)
    const answer = await wire.ask({ body: initialize() })
    expect(answer.status).toBe(500)
    expect(answer.head + answer.body).not.toContain('evil')
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('mint gave a session id that is not visible ASCII') }),
    ])
  })

  it('without fastHttp all requests are seen by tools that watch node:http', async () => {
    const { port } = await serve()
    const wire = await Wire.open(port)
    expect(
      await countedByNode(port, async () => expect((await wire.ask({ body: initialize() })).status).toBe(200)),
    ).toBe(1)
  })
})

describe('however requests come', () => {
  // It stands still: nothing is to wait until somebody looks for what is slow.
  const clock = fakeClock()

  const echo = async (wire: Wire, session: string, body: unknown, cuts: readonly number[]): Promise<void> => {
    const bytes = raw({ headers: { 'mcp-session-id': session }, body })
    const ends = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b)
    let from = 0
    for (const end of [...ends, bytes.length]) {
      await wire.write(bytes.subarray(from, end))
      await settled()
      from = end
    }
  }

  it('split at any byte', async () => {
    const { port } = await serveFast({ clock })
    const { id } = await Peer.open(port)
    const request = toolCall('é', 'echo', { text: '☃' })
    const { length } = raw({ headers: { 'mcp-session-id': id }, body: request })
    for (let cut = 0; cut < length; cut++) {
      const wire = await Wire.open(port)
      await echo(wire, id, request, [cut])
      expect(messageOf(await wire.response())).toMatchObject({ id: 'é', result: { content: [{ text: '☃' }] } })
      wire.hangUp()
    }
  })

  it('in any number of pieces, one after another over one connection', async () => {
    const { port } = await serveFast({ clock })
    const { id } = await Peer.open(port)
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.nat({ max: 50_000 }).map((length) => '☃'.repeat(length)),
    )
    const asking = fc.record({ text, cuts: fc.array(fc.nat({ max: 160_000 }), { maxLength: 4 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(asking, { minLength: 1, maxLength: 3 }), async (all) => {
        const wire = await Wire.open(port)
        for (const [n, { text, cuts }] of all.entries()) {
          await echo(wire, id, toolCall(n, 'echo', { text }), cuts)
          expect(messageOf(await wire.response())).toMatchObject({ id: n, result: { content: [{ text }] } })
        }
        expect(wire.rest).toBe('')
        wire.hangUp()
      }),
      { numRuns: 60 },
    )
  })

  it('several in one write', async () => {
    const { port } = await serveFast({ clock })
    const { id } = await Peer.open(port)
    const wire = await Wire.open(port)
    const all = [1, 2, 3].map((n) => raw({ headers: { 'mcp-session-id': id }, body: toolCall(n, 'soon') }))
    await wire.write(Buffer.concat(all))
    for (const n of [1, 2, 3]) expect(messageOf(await wire.response())).toMatchObject({ id: n, result: {} })
    expect(wire.rest).toBe('')
  })

  it.each([
    ['whole', 0],
    ['without its end', 10],
    ['only its beginning', 200],
  ])('the next while one is being answered: %s', async (_, missing) => {
    const { port, go, waiting } = await serveFast({ clock, answer: 'json' })
    const headers = { 'mcp-session-id': (await Peer.open(port)).id }
    const wire = await Wire.open(port)
    await wire.write(raw({ headers, body: toolCall(1, 'wait') }))
    await waiting.opened
    const next = raw({ headers, body: toolCall(2, 'now') })
    await wire.write(next.subarray(0, next.length - missing))
    await settled()
    go.open()
    expect(messageOf(await wire.response())).toMatchObject({ id: 1, result: { content: [{ text: 'waited' }] } })
    await wire.write(next.subarray(next.length - missing))
    expect(messageOf(await wire.response())).toMatchObject({ id: 2, result: { content: [{ text: 'here' }] } })
    expect(messageOf(await wire.ask({ headers, body: toolCall(3, 'now') }))).toMatchObject({ id: 3, result: {} })
    expect(wire.rest).toBe('')
  })

  it('much more than is kept while one is being answered', async () => {
    const { port, go, waiting } = await serveFast({ clock, answer: 'json' })
    const headers = { 'mcp-session-id': (await Peer.open(port)).id }
    const wire = await Wire.open(port)
    await wire.write(raw({ headers, body: toolCall(0, 'wait') }))
    await waiting.opened
    const count = 40
    const text = 'x'.repeat(50_000)
    const written = wire.write(
      Buffer.concat(Array.from({ length: count }, (_, n) => raw({ headers, body: toolCall(n + 1, 'echo', { text }) }))),
    )
    await settled()
    go.open()
    for (let n = 0; n <= count; n++) expect(messageOf(await wire.response())).toMatchObject({ id: n, result: {} })
    await written
    expect(wire.rest).toBe('')
  })

  it('GET, DELETE, OPTIONS and HEAD after POST over one connection, and back', async () => {
    const { port } = await serveFast({ clock, healthPath: '/healthz' })
    const headers = { 'mcp-session-id': (await Peer.open(port)).id }
    const wire = await Wire.open(port)
    const post = async (id: number): Promise<void> =>
      expect(messageOf(await wire.ask({ headers, body: toolCall(id, 'now') }))).toMatchObject({ id })
    const seen = await countedByNode(port, () => post(1))
    expect(seen).toBe(0)
    expect((await wire.ask({ method: 'GET', path: '/healthz' })).status).toBe(200)
    await post(2)
    expect((await wire.ask({ method: 'OPTIONS' })).status).toBe(204)
    await post(3)
    await wire.write(raw({ method: 'HEAD', path: '/healthz' }))
    const head = await wire.until((rest) => rest.endsWith('\r\n\r\n'))
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    wire.rest = ''
    await post(4)
    expect((await wire.ask({ method: 'DELETE', headers })).status).toBe(204)
    expect((await wire.ask({ headers, body: toolCall(5, 'now') })).status).toBe(404)
  })

  it('a WebSocket after POST over one connection', async () => {
    const { port } = await serveFast({ clock, webSocket: true })
    const wire = await Wire.open(port)
    expect((await wire.ask({ body: initialize() })).status).toBe(200)
    const offer = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': 'mcp',
    }
    await wire.write(raw({ method: 'GET', path: '/ws', headers: offer }))
    expect(await wire.until((rest) => rest.includes('\r\n\r\n'))).toMatch(/^HTTP\/1.1 101 /)
    // A ping with a mask of zeros.
    wire.rest = ''
    await wire.write(Buffer.from([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
    expect(await wire.until((rest) => rest.length >= 4)).toBe('\x8a\x02hi')
  })

  it('what a connection is upgraded to may answer whoever says no more', async () => {
    const { port } = await serveFast({
      clock,
      onUpgrade: (_request, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
        socket.resume().on('end', () => setImmediate(() => socket.end('bye')))
      },
    })
    const wire = await Wire.open(port)
    expect((await wire.ask({ body: initialize() })).status).toBe(200)
    await wire.write(raw({ method: 'GET', path: '/own', headers: { connection: 'Upgrade', upgrade: 'own' } }))
    await wire.until((rest) => rest.includes('\r\n\r\n'))
    wire.socket.end()
    expect(await wire.last()).toMatch(/^HTTP\/1.1 101 .+\r\n\r\nbye$/)
  })

  it('an offer that nobody takes is answered like any other request', async () => {
    const { port } = await serveFast({ clock })
    const wire = await Wire.open(port)
    expect((await wire.ask({ body: initialize() })).status).toBe(200)
    expect((await wire.ask({ headers: { connection: 'Upgrade', upgrade: 'h2c' }, body: initialize() })).status).toBe(
      200,
    )
  })
})

/** What one that stops in the middle is told by each way. */
async function lastWords(port: number, pieces: readonly Buffer[]): Promise<string> {
  const wire = await Wire.open(port)
  for (const piece of pieces) {
    await wire.write(piece)
    await settled()
  }
  wire.socket.end()
  return (await wire.last()).replace(/Date: .+ GMT/, 'Date: now').replace(/mcp-session-id: .+/, 'mcp-session-id: some')
}

describe('a client that says no more', () => {
  it('is answered what it asked, and is left', async () => {
    const { port } = await serveFast()
    const said = await Promise.all(
      [{}, FOR_NODE_HTTP].map((headers) => lastWords(port, [raw({ headers, body: initialize() })])),
    )
    expect(said[0]).toBe(said[1])
    expect(said[0]).toMatch(/^HTTP\/1.1 200 /)
  })

  it('in the middle of its body is told that this was no request', async () => {
    const { port } = await serveFast()
    const said = await Promise.all(
      [{}, FOR_NODE_HTTP].map((headers) => lastWords(port, [raw({ headers, body: initialize() }).subarray(0, -9)])),
    )
    expect(said[0]).toBe(said[1])
    expect(said[0]).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })

  it('without a word is left without one', async () => {
    const { port } = await serveFast()
    expect(await lastWords(port, [])).toBe('')
  })
})
