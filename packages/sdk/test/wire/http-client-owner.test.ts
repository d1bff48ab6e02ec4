/** Which request a message of a server comes with: each POST has a stream of its own (8.2). */
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/session/index.ts'
import { Session } from '../../src/session/index.ts'
import { httpLink, openHttp } from '../../src/transport/index.ts'
import { answer, calls, closeServers, data, events, scripted, session } from './http-client.fixtures.ts'

afterEach(closeServers)

const log = (data: string) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } })

describe.each(calls)('8.2 owners over HTTP, over %s', (_, options) => {
  it.each(['httpLink', 'openHttp'] as const)('are told apart by the stream their answer comes on: %s', async (way) => {
    const held = new Map<string, ServerResponse>()
    const server = await scripted(
      session((seen, response) => {
        if (seen.method === 'GET') {
          events(response)
          return void held.set('own', response)
        }
        if (seen.message.method === undefined) return void response.writeHead(202).end()
        events(response)
        held.set(String(seen.message.params?.['name']), response)
      }),
    )
    const heard: unknown[] = []
    let wake = (): void => {}
    const hear = (what: unknown): void => {
      heard.push(what)
      wake()
    }
    const until = async (count: number): Promise<void> => {
      while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve))
    }
    const endpoint: Endpoint = {
      introduce: () => ({ info: { name: 'c', version: '1' }, capabilities: { roots: {} } }),
      answer: ({ owner }) => {
        hear(['asked', owner])
        return { roots: [] }
      },
      notified: (_, params, __, owner) => hear([params['data'], owner]),
    }
    const link = way === 'httpLink' ? httpLink(server.url, options) : await openHttp(server.url, options)
    const client = new Session({ role: 'client', link, endpoint })
    await client.initialise()
    expect(client.remembered).toBe(true)
    await server.request(({ method }) => method === 'GET')
    const outcomes = ['Ann', 'Bob'].map((owner) => client.request('tools/call', { name: owner }, { owner }))
    for (const name of ['Ann', 'Bob']) await server.request(({ message }) => message.params?.['name'] === name)
    held.get('Bob')?.write(data(log('to Bob')))
    await until(1)
    held.get('Ann')?.write(data({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }))
    await until(2)
    // What belongs to no request may be anybody's, while there are several.
    held.get('own')?.write(data(log('to all')))
    await until(3)
    const ids = Object.fromEntries(
      server.seen
        .filter(({ message }) => message.method === 'tools/call')
        .map(({ message }) => [message.params?.['name'], message.id]),
    )
    held.get('Ann')?.end(data(answer(ids['Ann'], { content: [] })))
    await outcomes[0]
    held.get('own')?.write(data(log('to one')))
    await until(4)
    expect(heard).toEqual([
      ['to Bob', 'Bob'],
      ['asked', 'Ann'],
      ['to all', undefined],
      ['to one', 'Bob'],
    ])
    held.get('Bob')?.end(data(answer(ids['Bob'], { content: [] })))
    await outcomes[1]
    await client.close()
  })

  it('a server that gives no session id remembers nobody', async () => {
    const server = await scripted((seen, response) => {
      if (seen.message.id === undefined) return void response.writeHead(seen.method === 'POST' ? 202 : 405).end()
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer(seen.message.id, result)))
    })
    const endpoint: Endpoint = {
      introduce: () => ({ info: { name: 'c', version: '1' }, capabilities: {} }),
      answer: () => ({}),
    }
    const client = new Session({ role: 'client', link: httpLink(server.url, options), endpoint })
    await client.initialise()
    expect(client.remembered).toBe(false)
    await client.close()
  })
})
