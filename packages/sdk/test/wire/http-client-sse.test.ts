import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { openHttp, sseLink } from '../../src/transport/index.ts'
import {
  answer,
  calls,
  closeServers,
  data,
  Ear,
  events,
  type Handler,
  json,
  noStream,
  notification,
  request,
  type Seen,
  scripted,
  session,
  talk,
} from './http-client.fixtures.ts'

afterEach(closeServers)

/** A server of 2024-11-05: POST belongs to `/messages`, and everything is answered on the stream. */
function older(
  react: (seen: Seen, stream: ServerResponse, response: ServerResponse) => unknown = answerAll,
  endpoint = '/messages?sessionId=7',
): Handler {
  let stream: ServerResponse | undefined
  return (seen, response) => {
    if (seen.method === 'GET' && seen.path === '/mcp') {
      stream = response
      events(response)
      return response.write(`event: endpoint\ndata: ${endpoint}\n\n`)
    }
    if (seen.method !== 'POST' || !seen.path.startsWith('/messages') || stream === undefined)
      return response.writeHead(404).end(`Cannot ${seen.method} ${seen.path}`)
    return react(seen, stream, response)
  }
}

function answerAll(seen: Seen, stream: ServerResponse, response: ServerResponse): void {
  response.writeHead(202).end('Accepted')
  const { id, method } = seen.message
  const result =
    method === 'initialize'
      ? { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'older', version: '1' } }
      : { tools: [] }
  if (id !== undefined) stream.write(`event: message\n${data(answer(id, result))}`)
}

describe.each(calls)('T HTTP+SSE client over %s', (_, options) => {
  it('A-09 waits for the endpoint, posts there, and is answered on the stream', async () => {
    const server = await scripted(older())
    const client = await talk(sseLink(server.url, options))
    expect(client.version).toBe('2024-11-05')
    expect(client.transport).toBe('sse')
    expect(await client.request('tools/list')).toMatchObject({ tools: [] })
    await client.close()
    await server.idle()
    expect(server.seen.map(({ method, path, message }) => `${method} ${path} ${message.method ?? ''}`)).toEqual([
      'GET /mcp ',
      'POST /messages?sessionId=7 initialize',
      'POST /messages?sessionId=7 notifications/initialized',
      'POST /messages?sessionId=7 tools/list',
    ])
    expect(server.seen[0]?.headers).toMatchObject({ accept: 'text/event-stream' })
    expect(server.seen[1]?.headers).not.toHaveProperty('mcp-protocol-version')
    expect(server.seen[3]?.headers).toMatchObject({
      'content-type': 'application/json',
      'mcp-protocol-version': '2024-11-05',
    })
  })

  it('sends headers with the stream and with every message', async () => {
    const server = await scripted(older())
    const client = await talk(sseLink(server.url, { ...options, headers: { authorization: 'Bearer x' } }))
    await client.close()
    expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer x')).toBe(true)
  })

  it('messages sent before the endpoint is known arrive in their turn', async () => {
    const server = await scripted(older())
    const link = sseLink(server.url, options)
    const ear = new Ear(link)
    link.send(notification('notifications/initialized'))
    link.send(request(1))
    await ear.answer(1)
    expect(server.seen.map(({ message }) => message.method)).toEqual([
      undefined,
      'notifications/initialized',
      'tools/list',
    ])
    link.close()
  })

  const broken: [string, Handler, RegExp][] = [
    ['no stream', noStream, /answered 405/],
    [
      'a page',
      (_seen, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi'),
      /answered 200 with text\/html: <p>hi/,
    ],
    [
      'an end',
      (_seen, response) => {
        events(response)
        response.end()
      },
      /ended the stream/,
    ],
    [
      'an endpoint elsewhere',
      older(undefined, 'http://127.0.0.1:9/messages'),
      /another server: http:\/\/127\.0\.0\.1:9\/messages/,
    ],
    ['an endpoint that is none', older(undefined, 'http://['), /no address/],
    ['an endpoint of another kind', older(undefined, 'file:///etc/passwd'), /no address/],
    ['401', (_seen, response) => response.writeHead(401).end(), /answered 401/],
    [
      'an event without end',
      (_seen, response) => {
        events(response)
        response.write(`data: ${'x'.repeat(200_000)}`)
      },
      /longer than/,
    ],
  ]
  it.each(broken)('%s ends the link, with the reason', async (__, handler, message) => {
    const server = await scripted(handler)
    const link = sseLink(server.url, options)
    const ear = new Ear(link)
    link.send(request(1))
    expect((await ear.end()).reason?.message).toMatch(message)
    expect(ear.failures).toEqual([])
    await server.idle()
    expect(() => link.send(request(2))).toThrowError(/closed/)
    link.close()
  })

  it('a stream that breaks off ends the session and what waits in it', async () => {
    const server = await scripted(
      older((seen, stream, response) => {
        if (seen.message.method !== 'tools/list') return answerAll(seen, stream, response)
        response.writeHead(202).end()
        stream.destroy()
      }),
    )
    const client = await talk(sseLink(server.url, options))
    await expect(client.request('tools/list')).rejects.toMatchObject({
      kind: 'connection_closed',
      cause: { kind: 'transport_error' },
    })
  })

  it('E1 a message that is refused fails alone', async () => {
    const server = await scripted(
      older((seen, stream, response) => {
        const { id } = seen.message
        if (id === 1) return response.writeHead(500).end('broken')
        if (id === 2) return json(response, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'bad' } }, 400)
        return answerAll(seen, stream, response)
      }),
    )
    const link = sseLink(server.url, options)
    const ear = new Ear(link)
    for (const id of [1, 2, 3]) link.send(request(id))
    expect(await ear.failure(1)).toMatchObject({
      kind: 'transport_error',
      message: expect.stringContaining('answered 500: broken'),
    })
    expect(await ear.answer(2)).toMatchObject({ error: { code: -32600, message: 'bad' } })
    await ear.answer(3)
    link.close()
  })

  it('close stops everything under way', async () => {
    const server = await scripted(older(() => {}))
    const link = sseLink(server.url, options)
    const ear = new Ear(link)
    link.send(request(1))
    await server.request(({ method }) => method === 'POST')
    link.close()
    await server.idle()
    expect(await ear.end()).toEqual({ reason: undefined })
    expect(ear.failures).toEqual([])
  })
})

describe.each(calls)('C-42 finding out which, over %s', (_, options) => {
  it('a newer server is talked to as it is', async () => {
    const server = await scripted(session(noStream))
    const link = openHttp(server.url, options)
    const client = await talk(link)
    await server.request(({ method }) => method === 'GET')
    await client.close()
    expect(link.transport).toBe('http')
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'DELETE'])
  })

  const plain = (response: ServerResponse, status: number) => response.writeHead(status).end('no')
  const inJson = (response: ServerResponse, status: number) =>
    json(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no' } }, status)
  it.each(
    [400, 404, 405].flatMap((status): [number, string, typeof inJson][] => [
      [status, 'text', plain],
      [status, 'JSON', inJson],
    ]),
  )('%i and %s: HTTP+SSE is tried, with the same handshake', async (status, __, refuse) => {
    const behind = older()
    const server = await scripted((seen, response, index) =>
      index === 0 ? refuse(response, status) : behind(seen, response, index),
    )
    const link = openHttp(server.url, options)
    const client = await talk(link)
    expect(await client.request('tools/list')).toMatchObject({ tools: [] })
    expect([client.version, link.transport]).toEqual(['2024-11-05', 'sse'])
    await client.close()
    await server.idle()
    expect(server.seen.slice(0, 3).map(({ method, path, message }) => [method, path, message.method])).toEqual([
      ['POST', '/mcp', 'initialize'],
      ['GET', '/mcp', undefined],
      ['POST', '/messages?sessionId=7', 'initialize'],
    ])
  })

  it.each([
    [
      'an error in words of the protocol',
      (seen: Seen, r: ServerResponse) =>
        json(r, { jsonrpc: '2.0', id: seen.message.id, error: { code: -32022, message: 'versions' } }, 400),
      'unsupported_protocol_version',
    ],
    ['401', (_seen: Seen, r: ServerResponse) => r.writeHead(401).end(), 'unauthorized'],
    ['403', (_seen: Seen, r: ServerResponse) => r.writeHead(403).end(), 'forbidden'],
    ['500', (_seen: Seen, r: ServerResponse) => r.writeHead(500).end(), 'transport_error'],
    [
      'a page',
      (_seen: Seen, r: ServerResponse) => r.writeHead(200, { 'content-type': 'text/html' }).end(),
      'invalid_answer',
    ],
  ])('%s is no reason to try', async (__, react, kind) => {
    const server = await scripted(react)
    await expect(talk(openHttp(server.url, options))).rejects.toMatchObject({ kind })
    expect(server.seen).toHaveLength(1)
  })

  it('neither: both are told', async () => {
    const server = await scripted((seen, response) => response.writeHead(404).end(`Cannot ${seen.method}`))
    await expect(talk(openHttp(server.url, options))).rejects.toThrowError(
      /Neither Streamable HTTP nor HTTP\+SSE: .*answered 404: Cannot POST; .*answered 404: Cannot GET/,
    )
    await server.idle()
  })

  it('404 later is not answered with another transport', async () => {
    const server = await scripted((seen, response) => {
      if (seen.message.method === 'initialize') return session(noStream)(seen, response, 0)
      return response.writeHead(seen.message.id === undefined ? 202 : 404).end()
    })
    const client = await talk(openHttp(server.url, { ...options, listen: false }))
    await expect(client.request('tools/list')).rejects.toMatchObject({ cause: { kind: 'session_lost' } })
    expect(server.seen.some(({ method }) => method === 'GET')).toBe(false)
  })

  it('a given transport is not put to the test', async () => {
    const server = await scripted(older())
    const client = await talk(openHttp(server.url, { ...options, transport: 'sse' }))
    await client.close()
    expect(server.seen[0]?.method).toBe('GET')
    await expect(talk(openHttp(server.url, { ...options, transport: 'streamable-http' }))).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringContaining('answered 404'),
    })
  })

  it('close while finding out leaves nothing behind', async () => {
    const server = await scripted((seen, response) =>
      seen.method === 'POST' ? response.writeHead(405).end() : events(response),
    )
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    link.send(request(0, 'initialize', {}))
    await server.request(({ method }) => method === 'GET')
    link.close()
    await server.idle()
    expect(await ear.end()).toEqual({ reason: undefined })
    expect(ear.failures).toEqual([])
  })
})

it('C-42 a transport nobody knows is one clear error', () => {
  expect(() => openHttp('http://127.0.0.1:9/mcp', { transport: 'carrier-pigeon' as never })).toThrowError(
    /carrier-pigeon is none of auto, streamable-http, sse/,
  )
})
