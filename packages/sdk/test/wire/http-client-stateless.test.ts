import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Link } from '../../src/jsonrpc/index.ts'
import { httpLink, sseLink } from '../../src/transport/index.ts'
import {
  answer,
  calls,
  closeServers,
  data,
  Ear,
  events,
  HandClock,
  type Handler,
  json,
  notification,
  request,
  scripted,
} from './http-client.fixtures.ts'

afterEach(closeServers)

const initialize = request(0, 'initialize', {})
const initialized = notification('notifications/initialized')
const wireError = (id: unknown, code: number, message = 'no') => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: { code, message },
})

/** A request that stands for itself, as the session of a client sends it. */
function ask(link: Link, id: number, method = 'tools/list', more: Record<string, string> = {}): void {
  link.send(request(id, method, {}), {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...more },
  })
}

/** A session of the handshake era on the link, with a stream for everything else. */
async function shakeHands(link: Link, ear: Ear): Promise<void> {
  link.send(initialize)
  await ear.answer(0)
  link.negotiated?.('2025-11-25')
  link.send(initialized)
}

const openSession: Handler = (seen, response) => {
  if (seen.message.method === 'initialize') return json(response, answer(0), 200, { 'mcp-session-id': 's' })
  if (seen.method === 'GET') return events(response)
  return void response.writeHead(202).end()
}

describe.each(calls)('D-60 D-61 requests that stand for themselves, over %s', (_, options) => {
  it('says that messages have headers, and sends those of each', async () => {
    const server = await scripted((seen, response) =>
      json(response, answer(seen.message.id), 200, { 'mcp-session-id': 'unasked' }),
    )
    const link = httpLink(server.url, { ...options, headers: { authorization: 'Bearer x', 'mcp-name': 'mine' } })
    expect(link.mirrors).toBe(true)
    const ear = new Ear(link)
    ask(link, 1, 'tools/call', { 'mcp-name': 'weather', 'mcp-param-city': '=?base64?w4VibHk=?=', 'mcp-param-note': '' })
    await ear.answer(1)
    ask(link, 2)
    await ear.answer(2)
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST'])
    expect(server.seen[0]?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: 'Bearer x',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'weather',
      'mcp-param-city': '=?base64?w4VibHk=?=',
      'mcp-param-note': '',
    })
    expect(server.seen[1]?.headers).toMatchObject({ 'mcp-method': 'tools/list' })
    for (const { headers } of server.seen) expect(headers).not.toHaveProperty('mcp-session-id')
  })

  it('names neither the session nor the version of a handshake on the same link', async () => {
    const server = await scripted((seen, response, index) =>
      seen.message.method === 'tools/list'
        ? json(response, answer(seen.message.id))
        : openSession(seen, response, index),
    )
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    await shakeHands(link, ear)
    ask(link, 1)
    await ear.answer(1)
    link.send(request(2), { headers: { 'mcp-protocol-version': '2025-06-18' } })
    await ear.answer(2)
    link.send(request(3))
    await ear.answer(3)
    const headersOf = (id: number) => server.seen.find(({ message }) => message.id === id)?.headers
    expect(headersOf(1)).toMatchObject({ 'mcp-protocol-version': '2026-07-28' })
    expect(headersOf(1)).not.toHaveProperty('mcp-session-id')
    expect(headersOf(2)).toMatchObject({ 'mcp-protocol-version': '2025-06-18', 'mcp-session-id': 's' })
    expect(headersOf(3)).toMatchObject({ 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': 's' })
    await link.close()
    // The session that was opened is still ended.
    expect(server.seen.at(-1)?.method).toBe('DELETE')
  })

  it('a header no message may have fails that request alone', async () => {
    const server = await scripted((seen, response) => json(response, answer(seen.message.id)))
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    ask(link, 1, 'tools/call', { 'mcp-name': 'a\nb: c' })
    ask(link, 2, 'tools/call', { 'mcp-name': '\u{1f600}' })
    ask(link, 3)
    expect(await ear.failure(1)).toMatchObject({ kind: 'transport_error' })
    expect(await ear.failure(2)).toMatchObject({ kind: 'transport_error' })
    await ear.answer(3)
    expect(server.seen).toHaveLength(1)
    expect(ear.ended).toBeUndefined()
    link.close()
  })
})

describe.each(calls)('D-62 the stream of an answer, over %s', (_, options) => {
  const cut = (response: ServerResponse) => void setImmediate(() => response.destroy())
  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['ends', (response) => void response.end(), /^The stream ended before the answer$/],
    ['breaks off', cut, /^The stream ended before the answer: .*broke off/],
  ])('that %s is not resumed, whatever ids its events have: the request fails at once', async (__, finish, message) => {
    const clock = new HandClock()
    const server = await scripted((seen, response) => {
      if (seen.message.id === 2) return json(response, answer(2))
      events(response)
      response.write(data({ jsonrpc: '2.0', method: 'notifications/message', params: {} }, 'event-1'))
      return finish(response)
    })
    const link = httpLink(server.url, { ...options, clock })
    const ear = new Ear(link)
    ask(link, 1, 'tools/call')
    expect(await ear.failure(1)).toMatchObject({
      kind: 'transport_error',
      advice: 'reconnect',
      message: expect.stringMatching(message),
    })
    expect(ear.frames).toHaveLength(1)
    ask(link, 2)
    await ear.answer(2)
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST'])
    expect(clock.waits.size).toBe(0)
    expect(ear.failures).toHaveLength(1)
  })

  it('may be silent, and without an answer, for as long as it likes', async () => {
    const clock = new HandClock()
    let stream: ServerResponse | undefined
    const server = await scripted((_seen, response) => {
      stream = response
      events(response)
      response.write(`${data({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' })}:\r\n\r\n`)
    })
    const link = httpLink(server.url, { ...options, clock })
    const ear = new Ear(link)
    ask(link, 1, 'subscriptions/listen')
    await ear.until(() => ear.frames.length === 1)
    expect(clock.waits.size).toBe(0)
    stream?.write(`:\n\n${data({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}`)
    await ear.until(() => ear.frames.length === 2)
    expect(clock.waits.size).toBe(0)
    stream?.end(data(answer(1, { resultType: 'complete' })))
    await ear.answer(1)
    expect(ear.failures).toEqual([])
    await server.idle()
    link.close()
  })

  it('202 is no answer, not even where another stream is open', async () => {
    const server = await scripted(openSession)
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    await shakeHands(link, ear)
    await server.request(({ method }) => method === 'GET')
    ask(link, 1)
    expect(await ear.failure(1)).toMatchObject({
      kind: 'invalid_answer',
      message: expect.stringContaining('sent 202'),
      data: { status: 202 },
    })
    await link.close()
  })
})

describe.each(calls)('D-63 a request that is withdrawn, over %s', (_, options) => {
  it.each([
    ['before its answer begins', () => {}],
    [
      'in the middle of it',
      (response: ServerResponse) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0",'),
    ],
    ['while its stream is open', (response: ServerResponse) => events(response)],
  ])('%s is hung up on, and nothing is said', async (__, react) => {
    const server = await scripted((seen, response) =>
      seen.message.id === 1 ? react(response) : json(response, answer(seen.message.id)),
    )
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    ask(link, 1)
    ask(link, 2)
    await ear.answer(2)
    await server.request(({ message }) => message.id === 1)
    link.withdraw?.(1)
    link.withdraw?.(1)
    link.withdraw?.(2)
    link.withdraw?.(99)
    await server.idle()
    ask(link, 3)
    await ear.answer(3)
    expect([ear.failures, ear.frames.length, ear.ended]).toEqual([[], 2, undefined])
    expect(server.seen.map(({ message }) => message.method)).toEqual(['tools/list', 'tools/list', 'tools/list'])
    link.close()
  })

  it('by whoever reads a message of it: what came with the message is not delivered', async () => {
    const server = await scripted((seen, response) => {
      if (seen.message.id === 2) return json(response, answer(2))
      events(response)
      response.end(
        `${data({ jsonrpc: '2.0', method: 'notifications/progress' })}${data({ jsonrpc: '2.0', method: 'late' })}${data(answer(1))}`,
      )
    })
    const link = httpLink(server.url, options)
    const heard: string[] = []
    const failures: unknown[] = []
    await new Promise<void>((resolve) => {
      link.open({
        frame(text) {
          const { id, method } = JSON.parse(text)
          heard.push(method ?? id)
          if (method === 'notifications/progress') {
            link.withdraw?.(1)
            ask(link, 2)
          }
          if (id === 2) resolve()
        },
        failed: (...failure) => void failures.push(failure),
        closed() {},
      })
      ask(link, 1, 'tools/call')
    })
    expect([heard, failures]).toEqual([['notifications/progress', 2], []])
    link.close()
  })

  it('before it was sent never is', async () => {
    let accept = () => {}
    const server = await scripted((seen, response) => {
      if (seen.message.id !== undefined) return json(response, answer(seen.message.id))
      accept = () => void response.writeHead(202).end()
    })
    const link = httpLink(server.url, { ...options, listen: false })
    const ear = new Ear(link)
    link.send(initialized)
    ask(link, 1)
    ask(link, 2)
    await server.request(({ message }) => message.id === undefined)
    link.withdraw?.(1)
    accept()
    await ear.answer(2)
    expect(server.seen.map(({ message }) => message.id)).toEqual([undefined, 2])
    expect(ear.failures).toEqual([])
    link.close()
  })
})

describe.each(calls)('D-64 D-65 refusals, over %s', (_, options) => {
  const modern = [-32020, -32021, -32022, -32601, -32602]
  const ids: [string, (id: unknown) => unknown][] = [
    ['its id', (id) => id],
    ['a null id', () => null],
    ['no id', () => undefined],
  ]
  const cases = [400, 404].flatMap((status) =>
    modern.flatMap((code) => ids.map(([words, idFor]) => [status, code, words, idFor] as const)),
  )
  it.each(cases)('%i and %i with %s is the answer', async (status, code, __, idFor) => {
    const server = await scripted((seen, response) => json(response, wireError(idFor(seen.message.id), code), status))
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    ask(link, 1, 'server/discover')
    expect(await ear.answer(1)).toEqual(wireError(1, code))
    expect(ear.failures).toEqual([])
    link.close()
  })

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [408, 'transport_error'],
    [429, 'rate_limited'],
    [500, 'transport_error'],
    [501, 'transport_error'],
    [503, 'transport_error'],
  ])('%i tells nobody what a server is: an error in it is no answer to server/discover', async (status, kind) => {
    const server = await scripted((seen, response) =>
      json(response, wireError(seen.message.id, -32601, 'no such method'), status),
    )
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    ask(link, 1, 'server/discover')
    expect(await ear.failure(1)).toMatchObject({
      kind,
      message: expect.stringContaining(`answered ${status}: no such method`),
      data: { status, code: -32601 },
    })
    expect(ear.frames).toEqual([])
    link.close()
  })

  it.each([400, 404, 405, 406, 415])('%i without an error of the protocol fails with its status', async (status) => {
    const server = await scripted((_seen, response) => void response.writeHead(status).end('what?'))
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    ask(link, 1, 'server/discover')
    expect(await ear.failure(1)).toMatchObject({ kind: 'transport_error', data: { status } })
    link.close()
  })

  it('E1 500 and an error is the answer to what was asked of a server that is known', async () => {
    const server = await scripted((seen, response) => json(response, wireError(seen.message.id, -32603, 'broken'), 500))
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    ask(link, 1, 'tools/call')
    expect(await ear.answer(1)).toEqual(wireError(1, -32603, 'broken'))
    link.close()
  })

  it('404 says nothing of a session that the request did not name', async () => {
    const server = await scripted((seen, response, index) =>
      seen.message.id === 1
        ? void response.writeHead(404).end('Session not found')
        : openSession(seen, response, index),
    )
    const link = httpLink(server.url, { ...options, listen: false })
    const ear = new Ear(link)
    await shakeHands(link, ear)
    ask(link, 1)
    expect(await ear.failure(1)).toMatchObject({ kind: 'transport_error', data: { status: 404 } })
    expect(ear.ended).toBeUndefined()
    await link.close()
  })

  it('A-14 credentials that are renewed are tried with the same headers', async () => {
    let token = 'old'
    const server = await scripted((seen, response) => {
      if (seen.headers.authorization === 'old') return json(response, wireError(seen.message.id, -32022), 401)
      return json(response, answer(seen.message.id))
    })
    const authorize = () => {
      token = 'new'
      return true
    }
    const link = httpLink(server.url, { ...options, authorize, headers: () => ({ authorization: token }) })
    const ear = new Ear(link)
    ask(link, 1, 'server/discover')
    await ear.answer(1)
    expect(server.seen.map(({ headers }) => headers['mcp-method'])).toEqual(['server/discover', 'server/discover'])
    expect(ear.frames).toEqual([answer(1)])
    link.close()
  })
})

describe.each(calls)('D-60 HTTP+SSE, over %s', (_, options) => {
  it('has no headers for messages, and takes server/discover for any other request', async () => {
    let stream: ServerResponse | undefined
    const server = await scripted((seen, response) => {
      if (seen.method === 'GET') {
        stream = response
        events(response)
        return response.write('event: endpoint\ndata: /messages\n\n')
      }
      if (seen.message.id === 2) return json(response, wireError(2, -32603), 500)
      response.writeHead(202).end()
      return stream?.write(data(wireError(seen.message.id, -32601)))
    })
    const link = sseLink(server.url, options)
    expect([link.mirrors, link.withdraw]).toEqual([undefined, undefined])
    const ear = new Ear(link)
    ask(link, 1, 'server/discover')
    expect(await ear.answer(1)).toEqual(wireError(1, -32601))
    expect(server.seen[1]?.headers).not.toHaveProperty('mcp-method')
    expect(server.seen[1]?.headers).not.toHaveProperty('mcp-protocol-version')
    ask(link, 2, 'server/discover')
    expect(await ear.failure(2)).toMatchObject({ data: { status: 500 } })
    link.close()
    await server.idle()
  })
})
