import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Link } from '../../src/jsonrpc/index.ts'
import { openHttp } from '../../src/transport/index.ts'
import {
  answer,
  calls,
  closeServers,
  data,
  Ear,
  events,
  type Handler,
  json,
  request,
  type Seen,
  scripted,
} from './http-client.fixtures.ts'

afterEach(closeServers)

const initialize = request(0, 'initialize', {})
const wireError = (id: unknown, code: number) => ({ jsonrpc: '2.0', id, error: { code, message: 'no' } })
const isProbe = ({ message }: Seen) => message.method === 'server/discover'

function probe(link: Link, id = 1): void {
  link.send(request(id, 'server/discover', {}), {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
  })
}

/** HTTP+SSE only: POST at the address of the stream is refused as the test likes. */
function older(refuse: (seen: Seen, response: ServerResponse) => void): Handler {
  let stream: ServerResponse | undefined
  return (seen, response) => {
    if (seen.path === '/mcp' && seen.method === 'POST') return refuse(seen, response)
    if (seen.method === 'GET') {
      stream = response
      events(response)
      return void response.write('event: endpoint\ndata: /messages\n\n')
    }
    response.writeHead(202).end()
    return void stream?.write(data(answer(seen.message.id)))
  }
}

const status =
  (code: number) =>
  (_: Seen, response: ServerResponse): void =>
    void response.writeHead(code).end('no')
const spoken =
  (code: number, error: number) =>
  (seen: Seen, response: ServerResponse): void =>
    json(response, wireError(seen.message.id, error), code)

describe.each(calls)('C-42 D-65 finding out which, when the first message is a probe, over %s', (_, options) => {
  it.each([400, 404, 405])('%i to the probe decides nothing: initialize does, and finds HTTP+SSE', async (code) => {
    const server = await scripted(older(status(code)))
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    expect([link.mirrors, link.withdraw]).toEqual([true, expect.any(Function)])
    probe(link)
    expect(await ear.failure(1)).toMatchObject({ kind: 'transport_error', data: { status: code } })
    expect([link.transport, link.mirrors]).toEqual(['http', true])
    link.send(initialize)
    await ear.answer(0)
    expect([link.transport, link.mirrors, link.withdraw]).toEqual(['sse', false, undefined])
    expect(server.seen.map(({ method, path, message }) => [method, path, message.method])).toEqual([
      ['POST', '/mcp', 'server/discover'],
      ['POST', '/mcp', 'initialize'],
      ['GET', '/mcp', undefined],
      ['POST', '/messages', 'initialize'],
    ])
    expect([ear.failures.length, ear.ended]).toEqual([1, undefined])
    link.close()
    await server.idle()
  })

  it.each([
    ['400 and an error', spoken(400, -32022)],
    ['404 and an error', spoken(404, -32601)],
    ['200 and an error', spoken(200, -32601)],
  ])('%s to the probe is told as it is, and decides nothing either', async (__, refuseProbe) => {
    const server = await scripted(
      older((seen, response) => (isProbe(seen) ? refuseProbe : status(404))(seen, response)),
    )
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    probe(link, 1)
    expect(await ear.answer(1)).toHaveProperty('error')
    probe(link, 2)
    await ear.answer(2)
    expect(ear.failures).toEqual([])
    link.send(initialize)
    expect(await ear.answer(0)).toEqual(answer(0))
    expect(link.transport).toBe('sse')
    link.close()
    await server.idle()
  })

  it('a refused probe and an accepted handshake: Streamable HTTP', async () => {
    const server = await scripted((seen, response) => {
      if (seen.message.method === 'initialize') return json(response, answer(0), 200, { 'mcp-session-id': 's' })
      return void response.writeHead(seen.method === 'POST' ? 400 : 204).end()
    })
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    probe(link)
    await ear.failure(1)
    link.send(initialize)
    await ear.answer(0)
    link.send(request(3))
    expect(await ear.failure(3)).toMatchObject({ data: { status: 400 } })
    expect(link.transport).toBe('http')
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'DELETE'])
  })

  it('a probe that is answered settles it: what is refused later is only refused', async () => {
    const server = await scripted((seen, response) =>
      isProbe(seen) ? json(response, answer(1, { supportedVersions: [] })) : status(404)(seen, response),
    )
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    probe(link)
    await ear.answer(1)
    link.send(initialize)
    expect(await ear.failure(0)).toMatchObject({ data: { status: 404 } })
    expect([link.transport, link.mirrors]).toEqual(['http', true])
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  it('a handshake that is answered before the probe settles it, too', async () => {
    let held: ServerResponse | undefined
    const server = await scripted((seen, response) => {
      if (!isProbe(seen)) return json(response, answer(0))
      held = response
    })
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    probe(link)
    await server.request(isProbe)
    link.send(initialize)
    await ear.answer(0)
    json(held as ServerResponse, '', 404)
    expect(await ear.failure(1)).toMatchObject({ data: { status: 404 } })
    expect(link.transport).toBe('http')
    link.close()
  })

  it.each([401, 403, 500])('%i to the probe is told, and nothing else is tried', async (code) => {
    const server = await scripted(status(code))
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    probe(link)
    expect(await ear.failure(1)).toMatchObject({ data: { status: code } })
    await link.close()
    expect(server.seen).toHaveLength(1)
  })

  it('a probe that still waits when HTTP+SSE is turned to fails, and is not asked there', async () => {
    const server = await scripted(older((seen, response) => (isProbe(seen) ? undefined : status(405)(seen, response))))
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    probe(link, 1)
    probe(link, 2)
    await server.request(({ message }) => message.id === 2)
    link.withdraw?.(2)
    link.send(initialize)
    await ear.answer(0)
    expect(ear.failures).toMatchObject([{ request: 1, error: { kind: 'transport_error', data: { status: 405 } } }])
    expect(server.seen.filter(({ path }) => path === '/messages').map(({ message }) => message.method)).toEqual([
      'initialize',
    ])
    expect(ear.ended).toBeUndefined()
    link.close()
    await server.idle()
  })

  it('a probe that is withdrawn is hung up on, and the handshake goes on as ever', async () => {
    const server = await scripted(older((seen, response) => (isProbe(seen) ? undefined : status(404)(seen, response))))
    const link = openHttp(server.url, options)
    const ear = new Ear(link)
    probe(link)
    await server.request(isProbe)
    link.withdraw?.(1)
    await server.idle()
    link.send(initialize)
    await ear.answer(0)
    expect([link.transport, ear.failures]).toEqual(['sse', []])
    link.close()
    await server.idle()
  })
})
