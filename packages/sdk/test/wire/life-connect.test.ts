/** Everything `connect` takes, on Node and elsewhere. */
import { afterEach, describe, expect, it } from 'vitest'
import { type Client, connect as connectAnywhere } from '../../src/client.ts'
import { connect, serveHttp, serveTcp, serveWebSocket } from '../../src/node.ts'
import { createServer, fetchHandler, tool } from '../../src/server.ts'
import { fakeClock, flush } from '../../src/testing.ts'
import { memoryPair } from '../../src/transport/index.ts'

const server = createServer({ name: 's', version: '1' }).add(
  tool('t', { annotations: { readOnlyHint: true } }, (_, ctx) => ctx.request.context.transport),
)

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

async function kept<T extends { close(): Promise<unknown> }>(opening: Promise<T>): Promise<T> {
  const opened = await opening
  cleanups.push(() => opened.close())
  return opened
}

const http = () => kept(serveHttp(server, { port: 0, sse: true }))
const transportOf = async (client: Client) => [client.session.transport, (await client.call('t')).text]

describe('targets of connect', () => {
  it.each([
    ['on Node', connect],
    ['anywhere', connectAnywhere],
  ])('an HTTP address, alone or with more, %s', async (_, connecting) => {
    const { url, port } = await http()
    const targets = [
      url,
      new URL(url),
      { url },
      { url: new URL(url), transport: 'streamable-http' },
      { url, headers: { 'x-who': 'me' } },
    ] as const
    for (const target of targets) expect(await transportOf(await kept(connecting(target)))).toEqual(['http', 'http'])
    expect(
      await transportOf(await kept(connecting({ url: `http://127.0.0.1:${port}/sse`, transport: 'sse' }))),
    ).toEqual(['sse', 'sse'])
  })

  it('a fetch of the caller is used, on Node as well', async () => {
    const handler = fetchHandler(server)
    cleanups.push(() => handler.close())
    const asked: string[] = []
    const fetch = (url: URL, init: RequestInit) => {
      asked.push(String(init.method))
      return handler(new Request(url, init))
    }
    const client = await kept(connect({ url: 'http://localhost/mcp', fetch, listen: false }))
    expect((await client.call('t')).text).toBe('http')
    expect(new Set(asked)).toEqual(new Set(['POST']))
  })

  it('a WebSocket address, also of HTTP when told so', async () => {
    const { url, port } = await kept(serveWebSocket(server, { port: 0 }))
    const path = new URL(url).pathname
    for (const target of [url, { url: `http://127.0.0.1:${port}${path}`, transport: 'websocket' }] as const)
      expect(await transportOf(await kept(connect(target)))).toEqual(['websocket', 'websocket'])
  })

  it('a TCP address', async () => {
    const { url } = await kept(serveTcp(server, { port: 0 }))
    expect(await transportOf(await kept(connect(url)))).toEqual(['tcp', 'tcp'])
    await expect(connectAnywhere(url)).rejects.toThrow('parley-mcp/node')
  })

  it('a server value, a link, and a function that opens links', async () => {
    const open = () => {
      const [near, far] = memoryPair()
      server.accept(far)
      return near
    }
    for (const target of [server, open(), open, async () => open()] as const) {
      const client: Client = await kept(connect(target as typeof server) as unknown as Promise<Client>)
      expect(await transportOf(client)).toEqual(['memory', 'memory'])
    }
  })

  it.each([
    'tcp://127.0.0.1',
    'gopher://x',
    'no address',
    { url: 'http://127.0.0.1/mcp', transport: 'tcp' },
    { url: 'tcp://127.0.0.1:1', transport: 'sse' },
    { url: 'http://127.0.0.1/mcp', transport: 'carrier pigeon' },
    { command: 7 },
    {},
    undefined,
    null,
    7,
  ])('%j is refused in one sentence', async (target) => {
    await expect(connect(target as never, { reconnect: false })).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringMatching(/address|Cannot/),
    })
  })

  it('an address where nobody answers is an error at once', async () => {
    const { url, port } = await serveHttp(server, { port: 0 }).then(async (serving) => {
      await serving.close()
      return serving
    })
    for (const target of [url, `tcp://127.0.0.1:${port}`, `ws://127.0.0.1:${port}/ws`]) {
      await expect(connect(target)).rejects.toMatchObject({
        kind: 'transport_error',
        message: expect.stringContaining(String(port)),
      })
    }
  })
})

describe('L6 a WebSocket server that is closed and opened again', () => {
  it('is found again', async () => {
    const first = await serveWebSocket(server, { port: 0 })
    const client = await kept(connect(first.url, { reconnect: { delays: ['10ms'], retries: 500 } }))
    const lost = new Promise<void>((resolve) => void client.onState(({ to }) => to === 'reconnecting' && resolve()))
    await first.close()
    await lost
    const asked = client.call('t')
    await kept(serveWebSocket(server, { port: first.port }))
    expect((await asked).text).toBe('websocket')
    expect(client.health().reconnects).toBe(1)
  })
})

describe('L7 health of a server', () => {
  it('counts sessions and requests, and knows the oldest', async () => {
    const clock = fakeClock()
    const finish: ((text: string) => void)[] = []
    const busy = createServer({ name: 's', version: '1' }, { clock, keepAlive: false }).add(
      tool('wait', {}, () => new Promise<string>((resolve) => void finish.push(resolve))),
    )
    expect(busy.health()).toEqual({
      sessions: 0,
      others: 0,
      inFlight: 0,
      pending: 0,
      oldest: undefined,
      subscriptions: 0,
      keptBytes: 0,
      paused: false,
    })
    const [one, two] = [
      await kept(connect(busy, { version: '2025-11-25' })),
      await kept(connect(busy, { version: '2025-11-25' })),
    ]
    const calls = [one.call('wait')]
    await flush()
    await clock.advance(500)
    calls.push(two.call('wait'))
    await flush()
    expect(busy.health()).toMatchObject({ sessions: 2, inFlight: 2, oldest: { method: 'tools/call', ageMs: 500 } })

    busy.pause()
    const three = await kept(connect(busy, { version: '2025-11-25' }))
    const waiting = three.call('wait')
    await three.ping()
    expect(finish).toHaveLength(2)
    expect(busy.health()).toMatchObject({ sessions: 3, paused: true })
    busy.resume()
    await flush()
    expect(finish).toHaveLength(3)
    for (const done of finish) done('done')
    await Promise.all([...calls, waiting])
    expect(busy.health()).toMatchObject({ inFlight: 0, oldest: undefined, paused: false })
  })
})
