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
  notification,
  request,
  scripted,
  session,
  talk,
} from './http-client.fixtures.ts'

afterEach(closeServers)

const initialize = request(0, 'initialize', {})
const initialized = notification('notifications/initialized')

describe.each(calls)('T requests that take their time, over %s', (_, options) => {
  describe('M a request that is taken back', () => {
    it('is hung up on, and no other', async () => {
      const held = new Map<unknown, () => void>()
      const server = await scripted((seen, response) => {
        const { id } = seen.message
        if (id === undefined) return void response.writeHead(202).end()
        if (id === 2) events(response)
        held.set(id, () => (id === 2 ? response.end(data(answer(id))) : json(response, answer(id))))
      })
      const link = httpLink(server.url, options)
      const ear = new Ear(link)
      for (const id of [1, 2, 3]) link.send(request(id))
      await server.request(({ message }) => message.id === 3 && held.size === 3)
      link.send(notification('notifications/cancelled', { requestId: 3, reason: 'changed my mind' }))
      await server.request(({ message }) => message.method === 'notifications/cancelled')
      held.get(1)?.()
      held.get(2)?.()
      await ear.answer(1)
      await ear.answer(2)
      await server.idle()
      expect(ear.failures).toEqual([])
      link.close()
    })

    it('is not resumed', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        if (seen.message.id === undefined) return void response.writeHead(202).end()
        events(response)
        response.end('id: 1\ndata:\n\n')
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(request(1))
      await clock.wait((ms) => ms === 1000)
      link.send(notification('notifications/cancelled', { requestId: 1 }))
      await server.request(({ message }) => message.method === 'notifications/cancelled')
      await server.idle()
      expect([...clock.waits].some(({ ms }) => ms === 1000)).toBe(false)
      expect(server.seen.some(({ method }) => method === 'GET')).toBe(false)
      expect(ear.failures).toEqual([])
      link.close()
    })

    it('L a stalled server is left alone when the session gives up', async () => {
      const server = await scripted(
        session((seen, response) => void (seen.method === 'GET' && response.writeHead(405).end())),
      )
      const client = await talk(httpLink(server.url, options))
      await expect(client.request('tools/list', {}, { timeout: 20 })).rejects.toMatchObject({ kind: 'request_timeout' })
      await server.idle()
      await client.close()
    })
  })

  describe('C-40 a stream that ends before its answer', () => {
    it('is resumed after exactly the delay the server named', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        events(response)
        if (seen.method === 'POST') return void response.end('id: event-1\nretry: 500\ndata: \n\n')
        response.end(data(answer(1, { done: true })))
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(request(1, 'tools/call', { name: 'test_reconnection' }))
      const wait = await clock.wait((ms) => ms >= 450 && ms <= 700)
      expect(wait.ms).toBe(500)
      expect(server.seen).toHaveLength(1)
      wait.run()
      expect(await ear.answer(1)).toEqual(answer(1, { done: true }))
      expect(server.seen[1]).toMatchObject({
        method: 'GET',
        headers: { accept: 'text/event-stream', 'last-event-id': 'event-1' },
      })
      expect(ear.frames).toHaveLength(1)
      link.close()
    })

    it('is polled as often as it takes, from the latest event', async () => {
      const clock = new HandClock()
      let polls = 0
      const server = await scripted((seen, response) => {
        events(response)
        if (seen.method === 'POST') return void response.end(data({ jsonrpc: '2.0', method: 'a' }, 'e0'))
        polls++
        // The second poll brings nothing, not even an id.
        response.end(polls === 2 ? '' : polls < 4 ? `id: e${polls}\nretry: 40\n\n` : data(answer(1)))
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(request(1))
      ;(await clock.wait((ms) => ms === 1000)).run()
      for (let poll = 1; poll < 4; poll++) {
        await server.request(() => polls === poll)
        ;(await clock.wait((ms) => ms === 40)).run()
      }
      await ear.answer(1)
      expect(server.seen.slice(1).map(({ headers }) => headers['last-event-id'])).toEqual(['e0', 'e1', 'e1', 'e3'])
      link.close()
    })

    it('is given up when the server cannot resume', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        if (seen.method === 'GET') return void response.writeHead(405).end()
        events(response)
        response.end('id: 1\ndata:\n\n')
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(request(1))
      ;(await clock.wait((ms) => ms === 1000)).run()
      expect(await ear.failure(1)).toMatchObject({
        kind: 'transport_error',
        message: expect.stringContaining('answered 405'),
      })
      link.close()
    })

    it('is tried again and again, ever more slowly, and then given up', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        if (seen.method === 'GET') return void response.writeHead(503).end('busy')
        events(response)
        response.end('id: 1\nretry: 1500\ndata:\n\n')
      })
      const link = httpLink(server.url, {
        ...options,
        clock,
        random: () => 0,
        reconnect: { attempts: 5, maxDelay: 4000 },
      })
      const ear = new Ear(link)
      link.send(request(1))
      for (const [failures, ms] of [1500, 1500, 2000, 4000, 4000].entries()) {
        await server.request(() => server.seen.length === failures + 1)
        ;(await clock.wait((given) => given === ms)).run()
      }
      expect(await ear.failure(1)).toMatchObject({
        kind: 'transport_error',
        message: expect.stringContaining('answered 503: busy'),
      })
      expect(server.seen).toHaveLength(6)
      link.close()
    })

    it('chance spreads the attempts after a failure', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        if (seen.method === 'GET') return void response.writeHead(503).end()
        events(response)
        response.end('id: 1\ndata:\n\n')
      })
      const link = httpLink(server.url, { ...options, clock, random: () => 0.5 })
      new Ear(link)
      link.send(request(1))
      ;(await clock.wait((ms) => ms === 1000)).run()
      await clock.wait((ms) => ms === 1125)
      link.close()
    })

    it('the answer may come on another stream meanwhile', async () => {
      const clock = new HandClock()
      let everything: ServerResponse | undefined
      const server = await scripted((seen, response) => {
        if (seen.method === 'GET') {
          everything = response
          return events(response)
        }
        if (seen.message.id === undefined) return void response.writeHead(202).end()
        events(response)
        response.end('id: 1\ndata:\n\n')
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(initialized)
      await server.request(({ method }) => method === 'GET')
      link.send(request(1))
      const wait = await clock.wait((ms) => ms === 1000)
      everything?.write(data(answer(1)))
      await ear.answer(1)
      wait.run()
      link.send(request(2))
      await clock.wait((ms) => ms === 1000)
      expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
      link.close()
    })

    it('a stream left open after the answer is closed after a while', async () => {
      const clock = new HandClock()
      const server = await scripted((seen, response) => {
        events(response)
        response.write(data(answer(seen.message.id)))
      })
      const link = httpLink(server.url, { ...options, clock })
      const ear = new Ear(link)
      link.send(request(1))
      await ear.answer(1)
      expect(server.busy).toBe(1)
      ;(await clock.wait((ms) => ms === 5000)).run()
      await server.idle()
      expect(ear.failures).toEqual([])
      link.close()
    })
  })

  it('a server that accepts requests and answers on the other stream is understood', async () => {
    let everything: ServerResponse | undefined
    const server = await scripted((seen, response) => {
      if (seen.method === 'GET') {
        everything = response
        events(response)
        return void response.write(data({ jsonrpc: '2.0', method: 'ready' }))
      }
      response.writeHead(202).end()
      if (seen.message.id !== undefined) everything?.write(data(answer(seen.message.id)))
    })
    const link = httpLink(server.url, options)
    const ear = new Ear(link)
    link.send(initialized)
    await ear.until(() => ear.frames.length === 1)
    link.send(request(1))
    await ear.answer(1)
    expect(ear.failures).toEqual([])
    link.close()
  })

  it('L a server that vanishes ends the link when nobody comes back', async () => {
    const clock = new HandClock()
    const server = await scripted((seen, response) => {
      if (seen.method !== 'GET') return void response.writeHead(202).end()
      events(response)
      response.write(data({ jsonrpc: '2.0', method: 'ready' }))
    })
    const link = httpLink(server.url, { ...options, clock, random: () => 0 })
    const ear = new Ear(link)
    link.send(initialized)
    await ear.until(() => ear.frames.length === 1)
    await server.close()
    for (const ms of [1000, 1000, 2000, 4000, 8000]) (await clock.wait((given) => given === ms)).run()
    expect((await ear.end()).reason).toMatchObject({
      kind: 'transport_error',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(clock.waits.size).toBe(0)
  })

  it('L a server that comes back without the session is noticed by the stream', async () => {
    const clock = new HandClock()
    const first = await scripted(
      session((seen, response) => {
        if (seen.method !== 'GET') return
        events(response)
        response.write(data({ jsonrpc: '2.0', method: 'ready' }))
      }),
    )
    const link = httpLink(first.url, { ...options, clock })
    const ear = new Ear(link)
    link.send(initialize)
    await ear.answer(0)
    link.send(initialized)
    await ear.until(() => ear.frames.length === 2)
    await first.close()
    const wait = await clock.wait((ms) => ms === 1000)
    await scripted((_seen, response) => void response.writeHead(404).end(), Number(new URL(first.url).port))
    wait.run()
    expect((await ear.end()).reason).toMatchObject({ kind: 'session_lost' })
  })

  it('L a ping that could not be delivered is no sign of life', async () => {
    const server = await scripted(session((_seen, response) => response.writeHead(500).end()))
    const client = await talk(httpLink(server.url, { ...options, listen: false }), {
      keepAlive: { every: 5, timeout: 10_000 },
    })
    const reason = await new Promise((resolve) => client.onClose(resolve))
    expect(reason).toMatchObject({ kind: 'peer_unresponsive', cause: { kind: 'transport_error' } })
  })
})
