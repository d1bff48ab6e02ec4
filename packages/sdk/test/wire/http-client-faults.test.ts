import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { httpLink } from '../../src/transport/index.ts'
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
  noStream,
  notification,
  request,
  scripted,
  session,
  talk,
} from './http-client.fixtures.ts'

afterEach(closeServers)

const initialize = request(0, 'initialize', {})
const initialized = notification('notifications/initialized')
const wireError = (id: unknown, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } })

function stream(response: ServerResponse, text: string | Buffer): ServerResponse {
  events(response)
  if (text.length > 0) response.write(text)
  return response
}

function cutSoon(response: ServerResponse): void {
  setImmediate(() => response.destroy())
}

describe.each(calls)('T servers that misbehave, over %s', (_, options) => {
  describe('answers that are none', () => {
    const cases: [string, Handler, string, RegExp][] = [
      [
        'a page',
        (_seen, r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<h1>It\n works!</h1>'),
        'invalid_answer',
        /did not answer tools\/list but sent 200 text\/html: an HTML page$/,
      ],
      [
        'nothing',
        (_seen, r) => void r.writeHead(200).end(),
        'invalid_answer',
        /sent 200 without a type: \(an empty body\)/,
      ],
      [
        'an empty JSON body',
        (_seen, r) => json(r, ''),
        'invalid_answer',
        /sent 200 application\/json: \(an empty body\)/,
      ],
      ['202', (_seen, r) => void r.writeHead(202).end(), 'invalid_answer', /sent 202/],
      ['garbage called JSON', (_seen, r) => json(r, '{"jsonrpc":'), 'invalid_answer', /application\/json: {"jsonrpc":/],
      ['the answer to something else', (_seen, r) => json(r, answer(99)), 'invalid_answer', /"id":99/],
      [
        'a notification instead',
        (_seen, r) => json(r, { jsonrpc: '2.0', method: 'x' }),
        'invalid_answer',
        /"method":"x"/,
      ],
      [
        'bytes that are no text',
        (_seen, r) =>
          void r.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0x22, 0xff, 0x22])),
        'parse_error',
        /UTF-8/,
      ],
      [
        'a body without end',
        (_seen, r) => void r.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(200_000)}"`),
        'result_too_large',
        /longer than 100000 bytes/,
      ],
      [
        'an event without end',
        (_seen, r) => stream(r, `data: ${'x'.repeat(200_000)}`),
        'result_too_large',
        /longer than/,
      ],
      ['a stream that is no text', (_seen, r) => stream(r, Buffer.from([0x64, 0xff, 0xff])), 'parse_error', /UTF-8/],
      [
        'an empty stream',
        (_seen, r) => stream(r, '').end(),
        'transport_error',
        /ended before the answer, and its events have no ids/,
      ],
      [
        'a stream that is cut',
        (_seen, r) => cutSoon(stream(r, data({ jsonrpc: '2.0', method: 'a' }))),
        'transport_error',
        /no ids to resume from: .*broke off/,
      ],
      [
        'half a body',
        (_seen, r) => {
          r.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{')
          cutSoon(r)
        },
        'transport_error',
        /broke off/,
      ],
      ['a closed connection', (_seen, r) => void r.destroy(), 'transport_error', /Cannot reach/],
      [
        '500',
        (_seen, r) => void r.writeHead(500).end('the disk\u0007 is full'),
        'transport_error',
        /answered 500: the disk is full/,
      ],
      [
        '503 with a time',
        (_seen, r) => void r.writeHead(503, { 'retry-after': '7' }).end(),
        'transport_error',
        /answered 503: \(an empty body\)/,
      ],
      [
        'a page',
        (_seen, r) => void r.writeHead(500).end('<!DOCTYPE html>\n<html>'),
        'transport_error',
        /answered 500: an HTML page$/,
      ],
      ['429', (_seen, r) => void r.writeHead(429).end('slowly'), 'rate_limited', /answered 429: slowly/],
      [
        '404 without a session',
        (_seen, r) => void r.writeHead(404).end('x'.repeat(1000)),
        'transport_error',
        /answered 404: x{200}…$/,
      ],
    ]

    it.each(cases)('%s', async (__, handler, kind, message) => {
      const server = await scripted((seen, response, index) =>
        seen.message.method === 'ping' ? json(response, answer(seen.message.id)) : handler(seen, response, index),
      )
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(request(1))
      expect(await ear.failure(1)).toMatchObject({ kind, message: expect.stringMatching(message) })
      link.send(request(2, 'ping'))
      await ear.answer(2)
      expect(ear.failures).toHaveLength(1)
      expect(ear.ended).toBeUndefined()
      link.close()
      await server.idle()
    })

    it('503: how long to wait is kept', async () => {
      const server = await scripted((_seen, response) => void response.writeHead(503, { 'retry-after': '7' }).end())
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(request(1))
      expect(await ear.failure(1)).toMatchObject({ data: { status: 503, retryAfter: '7' } })
      link.close()
    })

    it.each([
      [400, 1],
      [400, null],
      [500, undefined],
      [404, 'server-error'],
    ])('E1 the error in a %i with id %j is the answer', async (status, id) => {
      const server = await scripted((_seen, response) => json(response, wireError(id, -32602, 'no such thing'), status))
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(request(1))
      expect(await ear.answer(1)).toEqual(wireError(1, -32602, 'no such thing'))
      expect(ear.failures).toEqual([])
      link.close()
    })

    it.each([
      [400, -32000],
      [404, -32001],
      [405, -32601],
    ])('%i with %i and no id is the word of the HTTP layer', async (status, code) => {
      const server = await scripted((_seen, response) => json(response, wireError(null, code, 'not here'), status))
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(request(1))
      expect(await ear.failure(1)).toMatchObject({
        kind: 'transport_error',
        message: expect.stringContaining(`answered ${status}: not here`),
        data: { status, code },
      })
      link.close()
    })

    it('a notification that is refused is told, in the words of the server', async () => {
      const server = await scripted((_seen, response) => json(response, wireError(null, -32600, 'not now'), 400))
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(notification('notifications/roots/list_changed'))
      expect(await ear.failure()).toMatchObject({ kind: 'invalid_request', message: 'not now' })
      link.close()
    })

    it('a notification that is not accepted in time is told', async () => {
      const clock = new HandClock()
      const server = await scripted(() => {})
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(notification('notifications/roots/list_changed'))
      await server.request(() => true)
      ;(await clock.wait((ms) => ms === 30_000)).run()
      expect(await ear.failure()).toMatchObject({
        kind: 'transport_error',
        message: 'The server did not accept the message within 30000 ms',
      })
      await server.idle()
      link.close()
    })

    it('nobody there', async () => {
      const server = await scripted(noStream)
      await server.close()
      const link = httpLink(`${server.url}?token=secret`, options)
      const ear = new Ear(link)
      link.send(request(1))
      const error = await ear.failure(1)
      expect(error).toMatchObject({
        kind: 'transport_error',
        message: expect.stringMatching(/^Cannot reach http:\/\/127\.0\.0\.1:\d+\/mcp: connect ECONNREFUSED/),
      })
      expect(error.cause).toBeInstanceOf(Error)
      await link.close()
      await expect(talk(httpLink(server.url, options))).rejects.toMatchObject({
        kind: 'transport_error',
        message: expect.stringContaining('ECONNREFUSED'),
      })
    })

    it('a session id no header may have', async () => {
      const server = await scripted((seen, response) =>
        json(response, answer(seen.message.id), 200, { 'mcp-session-id': 'a b' }),
      )
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(initialize)
      expect(await ear.failure(0)).toMatchObject({ message: expect.stringContaining('session id') })
      link.close()
    })

    it('listeners without an ear for failures get an error answer', async () => {
      const server = await scripted((_seen, response) => void response.writeHead(500).end('oh'))
      const link = httpLink(server.url, options)
      const frame = await new Promise<string>((resolve) => {
        link.open({ frame: resolve, closed() {} })
        link.send(request(1))
      })
      expect(JSON.parse(frame)).toMatchObject({
        id: 1,
        error: {
          code: -32603,
          message: expect.stringContaining('answered 500: oh'),
          data: { 'parley/kind': 'transport_error' },
        },
      })
      link.close()
    })
  })

  describe('A-10 a session the server forgot', () => {
    const forgetful =
      (forget: Handler): Handler =>
      (seen, response, index) =>
        seen.message.method === 'initialize'
          ? json(response, answer(seen.message.id), 200, { 'mcp-session-id': 's' })
          : forget(seen, response, index)

    const lost: [string, Handler][] = [
      ['404', (_seen, response) => void response.writeHead(404).end('Session not found')],
      [
        '404 and an error',
        (seen, response) => json(response, wireError(seen.message.id, -32001, 'Session not found'), 404),
      ],
      [
        '400 that speaks of it',
        (_seen, response) => json(response, wireError(null, -32000, 'Bad Request: No valid session ID provided'), 400),
      ],
      [
        '400 of a server that began anew',
        (_seen, response) => json(response, wireError(null, -32000, 'Bad Request: Server not initialized'), 400),
      ],
    ]
    it.each(lost)('%s: the link ends and says so, once', async (__, forget) => {
      const server = await scripted(forgetful(forget))
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      link.send(request(1))
      link.send(request(2))
      expect((await ear.end()).reason).toMatchObject({
        kind: 'session_lost',
        advice: 'reconnect',
        message: expect.stringContaining('no longer knows the session'),
      })
      // Only of the request that was refused is it known that the server did nothing.
      expect(ear.failures).toMatchObject([{ error: { kind: 'session_lost' } }])
      await link.close()
      expect(server.seen.some(({ method }) => method === 'DELETE')).toBe(false)
    })

    it('404 to a notification is no failure of a request', async () => {
      const server = await scripted(forgetful((_seen, response) => response.writeHead(404).end()))
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      link.send(notification('notifications/roots/list_changed'))
      expect((await ear.end()).reason).toMatchObject({ kind: 'session_lost' })
      expect(ear.failures).toEqual([])
    })

    it('404 on the way back to an answer: the request was seen, and is only lost', async () => {
      const clock = new HandClock()
      let streams = 0
      const server = await scripted(
        session((seen, response) => {
          if (seen.method === 'GET' && ++streams > 1) return response.writeHead(404).end()
          events(response)
          if (seen.method === 'GET') return response.write(data({ jsonrpc: '2.0', method: 'ready' }))
          return response.end('id: 1\ndata:\n\n')
        }),
      )
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      link.send(initialized)
      await ear.until(() => ear.frames.length === 2)
      link.send(request(1))
      ;(await clock.wait((ms) => ms === 1000)).run()
      expect((await ear.end()).reason).toMatchObject({ kind: 'session_lost' })
      expect(ear.failures).toEqual([])
    })

    it('404 on the stream of everything else ends it, too', async () => {
      const clock = new HandClock()
      let streams = 0
      const server = await scripted(
        session((_seen, response) => {
          if (++streams > 1) return void response.writeHead(404).end()
          events(response)
          response.end()
        }),
      )
      const link = httpLink(server.url, { ...options, clock, random: () => 0 })
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      link.send(initialized)
      ;(await clock.wait((ms) => ms === 1000)).run()
      expect((await ear.end()).reason).toMatchObject({ kind: 'session_lost' })
    })

    it('404 of a server that knows no GET is not mistaken for it', async () => {
      const server = await scripted(
        session((seen, response) =>
          seen.method === 'GET'
            ? void response.writeHead(404).end('Cannot GET /mcp')
            : json(response, answer(seen.message.id)),
        ),
      )
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      link.send(initialized)
      await server.request(({ method }) => method === 'GET')
      link.send(request(1))
      await ear.answer(1)
      expect([ear.ended, ear.failures]).toEqual([undefined, []])
      await link.close()
    })

    it('every request that waited fails with the reason', async () => {
      const server = await scripted(
        session((seen, response) => {
          if (seen.method === 'GET') return void response.writeHead(405).end()
          if (seen.message.method === 'ping') response.writeHead(404).end()
        }),
      )
      const client = await talk(httpLink(server.url, options))
      const waiting = client.request('tools/list')
      await server.request(({ message }) => message.method === 'tools/list')
      const failed = expect(waiting).rejects.toMatchObject({
        kind: 'connection_closed',
        cause: { kind: 'session_lost' },
      })
      await expect(client.ping()).rejects.toMatchObject({ cause: { kind: 'session_lost' } })
      await failed
      expect(client.phase).toBe('closed')
    })

    it('a method the server does not know is no lost session', async () => {
      const server = await scripted(
        forgetful((seen, response) => json(response, wireError(seen.message.id, -32601, 'Method not found'), 404)),
      )
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      link.send(request(1))
      expect(await ear.answer(1)).toMatchObject({ error: { code: -32601 } })
      expect(ear.ended).toBeUndefined()
      link.close()
    })
  })
})
