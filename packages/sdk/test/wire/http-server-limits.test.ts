/** Limits on what is sent and asked for at once. */
import { afterEach, describe, expect, it } from 'vitest'
import { call, initialize, JSON_HEADERS, Peer, serve, start, stopAll, toolCall } from './http-server.fixtures.ts'

afterEach(stopAll)

const _NOTE = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }
const _HANDSHAKE_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

describe('limits on bodies', () => {
  const long = (length: number) => toolCall(1, 'echo', { text: 'x'.repeat(length) })

  it('a body over the limit is refused (413) before it is read', async () => {
    const { port } = await serve({ session: { limits: { maxBytes: 2000 } } })
    const peer = await Peer.open(port)
    expect((await peer.post(long(1000))).status).toBe(200)
    const answer = await peer.post(long(3000))
    expect(answer).toMatchObject({ status: 413, json: { error: { data: { 'parley/kind': 'message_too_large' } } } })
    expect((await peer.post(long(1000))).status).toBe(200)
  })

  it('the limit may be that of the server', async () => {
    const { port } = await serve({}, { limits: { maxBytes: 6_000_000 } })
    const peer = await Peer.open(port)
    const answer = await peer.post(long(5_500_000))
    expect(answer.status).toBe(200)
    expect(answer.text.length).toBeGreaterThan(5_500_000)
  })

  it('a body of unknown length is cut off at the limit (413)', async () => {
    const { port } = await serve({ session: { limits: { maxBytes: 2000 } } })
    const { Readable } = await import('node:stream')
    const endless = new Readable({ read: () => {} })
    endless.push(Buffer.alloc(3000, 0x20))
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: Readable.toWeb(endless) as never,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(413)
    endless.destroy()
  })

  it.each([false, true])(
    'a client that goes on sending can still read why it was refused (HTTP/2 as well: %s)',
    async (http2) => {
      const { port } = await serve({ http2, session: { limits: { maxBytes: 2000 } } })
      const long = await call(port, { body: `"${'x'.repeat(20_000_000)}"` })
      expect(long.status).toBe(413)
    },
  )

  it('a failure of the server itself is 500, and told to its owner only', async () => {
    const errors: unknown[] = []
    const { serving, port } = await serve({ onError: (error) => errors.push(error) })
    serving.site.mount('/broken', {
      handle: () => {
        throw new Error('secret')
      },
    })
    const answer = await call(port, { path: '/broken', body: '{}' })
    expect(answer).toMatchObject({ status: 500, json: { error: { code: -32603, message: 'Internal error' } } })
    expect(answer.text).not.toContain('secret')
    expect(errors).toEqual([new Error('secret')])
  })

  it.each([false, true])('a body without end is given up on (408), with HTTP/2 beside it: %s', async (http2) => {
    const { port } = await serve({ requestTimeout: 150, http2 })
    const { connect } = await import('node:net')
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`,
    )
    let text = ''
    for await (const chunk of socket.setEncoding('utf8')) text += chunk
    expect(text).toMatch(/^HTTP\/1.1 408 /)
  })

  it('a client that hangs up in the middle of its body harms nobody', async () => {
    const { port } = await serve()
    const { connect } = await import('node:net')
    const socket = connect(port, '127.0.0.1')
    await new Promise<void>((resolve) => {
      socket.write(
        'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"json',
        () => {
          socket.destroy()
          resolve()
        },
      )
    })
    expect((await call(port, { body: initialize() })).status).toBe(200)
  })

  it('headers over 16 KiB are refused (431)', async () => {
    const { port } = await serve()
    expect((await call(port, { body: initialize(), headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431)
  })

  it('characters of several bytes arrive whole, however they are cut', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    const text = '☃😀é'.repeat(30_000)
    const answer = await peer.post(toolCall(1, 'echo', { text }))
    expect(answer.json.result).toMatchObject({ content: [{ text }] })
  })
})

describe('long lists', () => {
  it('are sent as the bytes that are kept', async () => {
    const { port, server } = await serve({}, { pageSize: 1000 })
    const { tool } = await import('../../src/server.ts')
    server.add(...Array.from({ length: 300 }, (_, n) => tool(`tool-${n}`, { description: `Nr. ${n} ☃` }, () => 'x')))
    const peer = await Peer.open(port)
    for (const id of [1, 'zwei☃"']) {
      const answer = await peer.post({ jsonrpc: '2.0', id, method: 'tools/list' })
      expect(answer.json.id).toBe(id)
      expect(answer.json.result?.['tools']).toHaveLength(307)
      expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
    }
  })
})

describe('many at once', () => {
  it('hundred calls of one session are each answered on their own response', async () => {
    const { port } = await serve()
    const peer = await Peer.open(port)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, id) => peer.post(toolCall(id, 'echo', { text: `nr ${id}` }))),
    )
    expect(answers.map(({ json }) => [json.id, json.result?.['content']])).toEqual(
      Array.from({ length: 100 }, (_, id) => [id, [{ type: 'text', text: `nr ${id}` }]]),
    )
  })

  it('more than allowed are put off (429)', async () => {
    const { port, waiting, go } = await serve({ maxStreams: 1 })
    const peer = await Peer.open(port)
    const running = peer.post(toolCall(1, 'wait'))
    await waiting.opened
    expect(await peer.post(toolCall(2, 'now'))).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    go.open()
    expect((await running).status).toBe(200)
    expect((await peer.post(toolCall(2, 'now'))).status).toBe(200)
  })
})

describe('one connection', () => {
  it('is kept for request after request', async () => {
    const { Agent } = await import('node:http')
    const { port } = await serve()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const first = await start(port, { body: initialize(), agent })
    first.resume()
    await new Promise((resolve) => first.on('end', resolve))
    const id = String(first.headers['mcp-session-id'])
    const ports = new Set<number | undefined>()
    for (let n = 0; n < 3; n++) {
      const next = await start(port, { body: toolCall(n, 'now'), headers: { 'mcp-session-id': id }, agent })
      ports.add(next.socket.localPort)
      next.resume()
      await new Promise((resolve) => next.on('end', resolve))
    }
    expect(ports.size).toBe(1)
    agent.destroy()
  })
})
