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

const initialize = request(0, 'initialize', {})
const initialized = notification('notifications/initialized')

describe.each(calls)('T Streamable HTTP client over %s', (_, options) => {
  it('A-09 asks for both forms of answer and takes JSON', async () => {
    const server = await scripted((seen, response) => json(response, answer(seen.message.id, { tools: [] })))
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    link.send(request(1))
    expect(await ear.answer(1)).toEqual(answer(1, { tools: [] }))
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        path: '/mcp',
        body: request(1),
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      },
    ])
    link.close()
    expect(await ear.end()).toEqual({ reason: undefined })
    expect(ear.failures).toEqual([])
  })

  it('A-09 takes a stream with messages before the answer, and answers the requests among them', async () => {
    let reply: Seen | undefined
    const server = await scripted((seen, response) => {
      if (seen.message.method === undefined) {
        reply = seen
        return void response.writeHead(202).end()
      }
      events(response)
      response.write(
        `: hello\n\n${data({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'é' } })}`,
      )
      response.write(data({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }))
      response.end(`event: ping\ndata: {}\n\nevent: message\n${data(answer(seen.message.id))}`)
    })
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    link.send(request(1, 'tools/call', { name: 'x' }))
    await ear.answer(1)
    expect(ear.frames.map(({ method, id }) => method ?? id)).toEqual(['notifications/message', 'roots/list', 1])
    expect(ear.frames[0]).toMatchObject({ params: { data: 'é' } })
    link.send(JSON.stringify(answer('q', { roots: [] })), { relatedTo: 'q', final: true })
    await server.request((seen) => seen.message.result !== undefined)
    expect(reply?.message).toEqual(answer('q', { roots: [] }))
    link.close()
  })

  it('A-10 B-12 names session and version after the handshake, listens, and ends the session', async () => {
    const server = await scripted(session(noStream))
    const client = await talk(httpLink(server.url, options))
    await server.request(({ method }) => method === 'GET')
    await client.close()
    expect(client.version).toBe('2025-11-25')
    const of = (method: string) => server.seen.find((seen) => seen.method === method)?.headers
    expect(server.seen.map(({ method, message }) => message.method ?? method)).toEqual([
      'initialize',
      'notifications/initialized',
      'GET',
      'DELETE',
    ])
    expect(server.seen[0]?.headers).not.toHaveProperty('mcp-session-id')
    expect(server.seen[0]?.headers).not.toHaveProperty('mcp-protocol-version')
    const names = { 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25' }
    expect(server.seen[1]?.headers).toMatchObject(names)
    expect(of('GET')).toMatchObject({ ...names, accept: 'text/event-stream' })
    expect(of('GET')).not.toHaveProperty('last-event-id')
    expect(of('DELETE')).toMatchObject(names)
  })

  it('a server without sessions is told of no end', async () => {
    const server = await scripted((seen, response) =>
      seen.method === 'POST' ? json(response, answer(seen.message.id)) : noStream(seen, response, 0),
    )
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    link.send(initialize)
    await ear.answer(0)
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST'])
  })

  it.each([
    ['202', (response: ServerResponse) => response.writeHead(202).end()],
    ['204', (response: ServerResponse) => response.writeHead(204).end()],
    ['200 and JSON', (response: ServerResponse) => json(response, '')],
    ['200 and text', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')],
    [
      '200 and an empty stream',
      (response: ServerResponse) => {
        events(response)
        response.end()
      },
    ],
  ])('takes %s for an accepted notification', async (__, accept) => {
    const server = await scripted(
      (seen, response) =>
        void (seen.message.id === undefined ? accept(response) : json(response, answer(seen.message.id))),
    )
    const link = httpLink(server.url, { ...options, listen: false })
    const ear = new Ear(link)
    link.send(initialized)
    link.send(request(1))
    await ear.answer(1)
    expect(ear.failures).toEqual([])
    link.close()
  })

  it('lets nothing overtake notifications/initialized', async () => {
    let accept = () => {}
    const server = await scripted((seen, response) => {
      if (seen.message.id !== undefined) return json(response, answer(seen.message.id))
      accept = () => void response.writeHead(202).end()
    })
    const link = httpLink(server.url, { ...options, listen: false })
    const ear = new Ear(link)
    link.send(initialized)
    link.send(request(1))
    link.send(request(2))
    await server.request(({ message }) => message.method === 'notifications/initialized')
    expect(server.seen).toHaveLength(1)
    accept()
    await ear.answer(1)
    await ear.answer(2)
    link.close()
  })

  it('keeps what belongs to one request of the server in order', async () => {
    const held: (() => void)[] = []
    const server = await scripted((_seen, response) => void held.push(() => response.writeHead(202).end()))
    const link = httpLink(server.url, options)
    new Ear(link)
    link.send(notification('notifications/progress', { progressToken: 1, progress: 1 }), { relatedTo: 'q' })
    link.send(notification('notifications/progress', { progressToken: 1, progress: 2 }), { relatedTo: 'q' })
    link.send(JSON.stringify(answer('q')), { relatedTo: 'q', final: true })
    link.send(notification('notifications/roots/list_changed'))
    await server.request(({ message }) => message.method === 'notifications/roots/list_changed')
    expect(server.seen).toHaveLength(2)
    for (const step of [0, 1, 2]) {
      await server.request(
        ({ message }) => message.params?.['progress'] === step + 1 || (step === 2 && message.result !== undefined),
      )
      for (const free of held.splice(0)) free()
    }
    expect(
      server.seen
        .map(({ message }) => message.params?.['progress'] ?? message.method ?? 'answer')
        .filter((each) => each !== 'notifications/roots/list_changed'),
    ).toEqual([1, 2, 'answer'])
    link.close()
  })

  it('fifty requests at once, each with its own answer', async () => {
    const server = await scripted((seen, response) => {
      const { id } = seen.message
      if ((id as number) % 2 === 0) return json(response, answer(id, { n: id }))
      events(response)
      response.end(data(answer(id, { n: id })))
    })
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    for (let id = 1; id <= 50; id++) link.send(request(id))
    for (let id = 1; id <= 50; id++) expect(await ear.answer(id)).toEqual(answer(id, { n: id }))
    link.close()
  })

  describe('the stream of everything else', () => {
    it('delivers requests, and is asked for again from where it ended', async () => {
      const clock = new HandClock()
      const server = await scripted(
        session((seen, response) => {
          if (seen.method !== 'GET') return
          events(response)
          if (seen.headers['last-event-id'] === undefined) {
            response.write(data({ jsonrpc: '2.0', id: 's1', method: 'ping' }, 'one'))
            return void response.end('id: två\nretry: 700\n\n')
          }
          response.write(data({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, 'three'))
        }),
      )
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      link.send(initialized)
      ;(await clock.wait((ms) => ms === 700)).run()
      await ear.until(() => ear.frames.length === 3)
      expect(ear.frames.slice(1).map(({ method }) => method)).toEqual(['ping', 'notifications/tools/list_changed'])
      const resumed = server.seen.filter(({ method }) => method === 'GET')[1]
      expect(Buffer.from(String(resumed?.headers['last-event-id']), 'latin1').toString()).toBe('två')
      link.close()
      await server.idle()
    })

    it.each([405, 404, 501])('%i: there is none, and nobody asks again', async (status) => {
      const server = await scripted((seen, response) => {
        if (seen.method === 'GET') return void response.writeHead(status).end()
        if (seen.message.id === undefined) return void response.writeHead(202).end()
        json(response, answer(seen.message.id))
      })
      const clock = new HandClock()
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(initialized)
      await server.request(({ method }) => method === 'GET')
      link.send(request(1))
      await ear.answer(1)
      expect(ear.failures).toEqual([])
      link.close()
    })

    it.each([400, 406])('%i is told, and harms nothing', async (status) => {
      const server = await scripted((seen, response) => {
        if (seen.method === 'GET') return void response.writeHead(status).end('no stream for you')
        if (seen.message.id === undefined) return void response.writeHead(202).end()
        json(response, answer(seen.message.id))
      })
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(initialized)
      expect(await ear.failure()).toMatchObject({
        kind: 'transport_error',
        message: expect.stringContaining(`answered ${status}: no stream for you`),
      })
      link.send(request(1))
      await ear.answer(1)
      link.close()
    })

    it('begins anew when the server no longer has the place to go on from', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        if (seen.method !== 'GET') return void response.writeHead(202).end()
        if (seen.headers['last-event-id'] !== undefined)
          return json(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Unknown event' } }, 400)
        events(response)
        if (server.seen.filter(({ method }) => method === 'GET').length === 1)
          return void response.end(data({ jsonrpc: '2.0', method: 'a' }, '1'))
        response.write(data({ jsonrpc: '2.0', method: 'b' }))
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(initialized)
      ;(await clock.wait((ms) => ms === 1000)).run()
      expect(await ear.failure()).toMatchObject({ message: expect.stringContaining('Unknown event') })
      ;(await clock.wait((ms) => ms === 1000)).run()
      await ear.until(() => ear.frames.length === 2)
      expect(ear.frames.map(({ method }) => method)).toEqual(['a', 'b'])
      link.close()
    })

    it('listen: false asks for none', async () => {
      const server = await scripted(session(noStream))
      const client = await talk(httpLink(server.url, { ...options, listen: false }))
      await client.ping().catch(() => {})
      await client.close()
      expect(server.seen.some(({ method, message }) => method === 'GET' && message.method === undefined)).toBe(false)
    })
  })

  describe('the end', () => {
    it('stops everything under way, and nothing is said of it', async () => {
      const server = await scripted((_seen, response) => events(response))
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      for (let id = 1; id <= 5; id++) link.send(request(id))
      link.send(initialized)
      await server.request(({ message }) => message.id === 5)
      link.close()
      await server.idle()
      expect(await ear.end()).toEqual({ reason: undefined })
      expect(ear.failures).toEqual([])
      expect(() => link.send(request(9))).toThrowError(expect.objectContaining({ kind: 'transport_error' }))
      link.close()
    })

    it('waits for a server to take its leave, but not for long', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        if (seen.method === 'POST') json(response, answer(seen.message.id), 200, { 'mcp-session-id': 's' })
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      const closed = link.close()
      await server.request(({ method }) => method === 'DELETE')
      ;(await clock.wait((ms) => ms === 2000)).run()
      await closed
      await server.idle()
      expect(clock.waits.size).toBe(0)
    })

    it.each([405, 404, 500])('%i on DELETE is no matter', async (status) => {
      const server = await scripted((seen, response) => {
        if (seen.method === 'DELETE') return void response.writeHead(status).end()
        json(response, answer(seen.message.id), 200, { 'mcp-session-id': 's' })
      })
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      link.send(initialize)
      await ear.answer(0)
      await link.close()
      expect(ear.failures).toEqual([])
      expect(ear.ended).toEqual({ reason: undefined })
    })
  })
})
