import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Link } from '../../src/jsonrpc/index.ts'
import { type HttpLinkOptions, httpLink, sseLink } from '../../src/transport/index.ts'
import {
  answer,
  calls,
  closeServers,
  Ear,
  events,
  HandClock,
  json,
  notification,
  request,
  type Scripted,
  scripted,
} from './http-client.fixtures.ts'

afterEach(closeServers)

interface Left {
  readonly server: Scripted
  readonly link: Link
  readonly ear: Ear
  /** What became of each message at the server, in this order. */
  readonly took: string[]
  /** Lets it accept that notification. */
  accept(): void
}

/** A server in the middle of a call, whose client takes the call back and leaves at once. */
type Begin = (options: HttpLinkOptions) => Promise<Left>

const overStreamable: Begin = async (options) => {
  const took: string[] = []
  let cancelled: ServerResponse | undefined
  const server = await scripted(({ method, message }, response) => {
    response.on('close', () =>
      took.push(`${message.method ?? method} ${response.writableFinished ? 'accepted' : 'hung up'}`),
    )
    if (method === 'DELETE') return void response.writeHead(204).end()
    if (message.method === 'initialize') return json(response, answer(message.id), 200, { 'mcp-session-id': 's' })
    if (message.method === 'notifications/cancelled') cancelled = response
  })
  const link = httpLink(server.url, options)
  const ear = new Ear(link)
  link.send(request(0, 'initialize'))
  await ear.answer(0)
  return { server, link, ear, took, accept: () => cancelled?.writeHead(202).end() }
}

const overSse: Begin = async (options) => {
  const took: string[] = []
  let cancelled: ServerResponse | undefined
  const server = await scripted(({ method, message }, response) => {
    response.on('close', () =>
      took.push(`${message.method ?? method} ${response.writableFinished ? 'accepted' : 'hung up'}`),
    )
    if (method === 'GET') {
      events(response)
      return response.write('event: endpoint\ndata: /messages\n\n')
    }
    if (message.method === 'notifications/cancelled') cancelled = response
  })
  const link = sseLink(server.url, options)
  return { server, link, ear: new Ear(link), took, accept: () => cancelled?.writeHead(202).end() }
}

const transports: [string, Begin, string][] = [
  ['Streamable HTTP', overStreamable, 'DELETE accepted'],
  ['HTTP+SSE', overSse, 'GET hung up'],
]

async function takeBack({ link, server }: Left): Promise<void> {
  link.send(request(1, 'tools/call'))
  await server.request(({ message }) => message.id === 1)
  link.send(notification('notifications/cancelled', { requestId: 1 }))
}

describe.each(calls)('8.2 a client over %s that leaves', (_, options) => {
  describe.each(transports)('over %s', (__, begin, farewell) => {
    it('lets the server hear that a call was taken back before it hears of the end', async () => {
      const left = await begin(options)
      await takeBack(left)
      const closed = left.link.close()
      await left.server.request(({ message }) => message.method === 'notifications/cancelled')
      await left.ear.end()
      expect(left.took).not.toContain(farewell)
      left.accept()
      await closed
      await left.server.idle()
      expect(left.took).toContain('tools/call hung up')
      expect(left.took.filter((what) => !/^(initialize|tools)/.test(what))).toEqual([
        'notifications/cancelled accepted',
        farewell,
      ])
      expect(left.ear.failures).toEqual([])
    })

    it('does not wait for long when the server accepts nothing', async () => {
      const clock = new HandClock()
      const left = await begin({ ...options, clock })
      await takeBack(left)
      const closed = left.link.close()
      await left.server.request(({ message }) => message.method === 'notifications/cancelled')
      ;(await clock.wait((ms) => ms === 2000)).run()
      await closed
      await left.server.idle()
      expect(left.took.filter((what) => /cancelled|DELETE|GET/.test(what)).sort()).toEqual(
        [farewell, 'notifications/cancelled hung up'].sort(),
      )
      expect([left.ear.failures, clock.waits.size]).toEqual([[], 0])
    })

    it('waits for nothing when nothing is on its way but a request', async () => {
      const clock = new HandClock()
      const left = await begin({ ...options, clock })
      left.link.send(request(1, 'tools/call'))
      await left.server.request(({ message }) => message.id === 1)
      await left.link.close()
      await left.server.idle()
      expect(left.took.filter((what) => what !== 'initialize accepted').sort()).toEqual(
        [farewell, 'tools/call hung up'].sort(),
      )
      expect(clock.waits.size).toBe(0)
    })
  })

  it('of which nobody knows where to post does not wait to post', async () => {
    const clock = new HandClock()
    const server = await scripted((_seen, response) => events(response))
    const link = sseLink(server.url, { ...options, clock })
    const ear = new Ear(link)
    link.send(notification('notifications/initialized'))
    await server.request(({ method }) => method === 'GET')
    await link.close()
    await server.idle()
    expect([ear.failures, server.seen.length, clock.waits.size]).toEqual([[], 1, 0])
  })
})
