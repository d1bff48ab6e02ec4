/** G: rate limits of the whole gateway: every way in, what is counted and said, and changes while it runs. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { type Clock, META, systemClock } from 'parley-mcp/engine'
import { connect, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type GatewayConfig, parseConfig } from '../config/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { Gateway } from './index.ts'

type Settings = Readonly<Record<string, unknown>>

let undo: (() => unknown)[]
let said: string[]
let now: number
let server: Settings
beforeEach(async () => {
  undo = []
  said = []
  now = Date.now()
  const serving = await serveHttp(createServer({ name: 'small', version: '1' }).add(tool('who', {}, () => 'me')), {
    port: 0,
  })
  undo.push(() => serving.close({ drain: 0 }))
  server = { url: serving.url }
})
afterEach(async () => {
  for (const each of undo.reverse()) await each()
})

/** Only what is counted goes by it: nothing waits. */
const clock: Clock = { ...systemClock, now: () => now }

function configOf(gateway: Settings, more: Settings = {}): GatewayConfig {
  const text = JSON.stringify({ mcpServers: { small: { ...server, ...more } }, gateway: { port: 0, ...gateway } })
  return parseConfig(text, { file: 'parley.json', env: {} }).config
}

async function begin(gateway: Settings, more: Settings = {}): Promise<{ gateway: Gateway; url: string }> {
  const say = (message: string): void => void said.push(message)
  const log: GatewayLog = { debug: () => {}, info: say, warning: say, error: say }
  const made = new Gateway(configOf(gateway, more), { log, clock })
  undo.push(() => made.close(0))
  const { url } = await made.start()
  await made.reach()
  return { gateway: made, url }
}

async function clientOf(url: string, version: ProtocolVersion, headers?: Record<string, string>): Promise<Client> {
  const client = await connect(headers === undefined ? { url } : { url, headers }, { version, keepAlive: false })
  undo.push(() => client.close())
  return client
}

/** How many of so many calls are made. */
async function made(client: Client, calls: number, name = 'who'): Promise<number> {
  let count = 0
  for (let n = 0; n < calls; n++) {
    const kind = await client.call(name).then(
      () => undefined,
      (error: { kind: string }) => error.kind,
    )
    if (kind === undefined) count++
    else expect(kind).toBe('rate_limited')
  }
  return count
}

const METHOD = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'who' }

function post(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const meta = {
    [META.version]: '2026-07-28',
    [META.clientInfo]: { name: 'raw', version: '1' },
    [META.clientCapabilities]: {},
  }
  return fetch(`${url}/servers/small/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...METHOD,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'who', arguments: {}, _meta: meta },
    }),
  })
}

const perMinute = (requests: number): Settings => ({ rateLimit: { requests, per: '1m' } })

describe('G the limit of a client', () => {
  it.each([
    ['/servers/small/mcp', '2025-06-18'],
    ['/servers/small/mcp', '2025-11-25'],
    ['/servers/small/sse', '2024-11-05'],
    ['/servers/small/ws', '2025-06-18'],
    ['/servers/small/ws', '2026-07-28'],
  ] as const)('holds for each session at %s in %s', async (path, version) => {
    const { url } = await begin(perMinute(3))
    const address = `${path.endsWith('/ws') ? url.replace('http', 'ws') : url}${path}`
    const [one, other] = [await clientOf(address, version), await clientOf(address, version)]
    expect(await made(one, 5)).toBe(3)
    if (version !== '2026-07-28') await one.ping()
    now += 20_000
    expect(await made(one, 2)).toBe(1)
    expect(await made(other, 5)).toBe(3)
  })

  it('holds for the address of requests without a session, which are told by the status when to come again', async () => {
    const { url } = await begin(perMinute(2))
    expect([(await post(url)).status, (await post(url)).status]).toEqual([200, 200])
    const refused = await post(url)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(await refused.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32603,
        message: expect.stringMatching(
          /^The address (127\.0\.0\.1|0:0:0:0::\/64) has made as many requests as one client may \(gateway\.rateLimit: 2 per 1 m\): try again in 30 s$/,
        ),
        data: { retryAfterMs: 30_000, 'parley/kind': 'rate_limited' },
      },
    })
    // Whoever wants to know the server may, and is told the same as any other client.
    const client = await clientOf(`${url}/servers/small/mcp`, '2026-07-28')
    await expect(client.call('who')).rejects.toMatchObject({ kind: 'rate_limited', data: { retryAfterMs: 30_000 } })
    now += 30_000
    expect((await post(url)).status).toBe(200)
  })

  it('is one for a principal at all addresses, in both eras, and another for another', async () => {
    const { url } = await begin({ principalHeader: 'X-User', ...perMinute(5) })
    const ann = { 'x-user': 'ann' }
    const ways = [
      await clientOf(`${url}/servers/small/mcp`, '2025-06-18', ann),
      await clientOf(`${url}/servers/small/mcp`, '2026-07-28', ann),
      await clientOf(`${url}/servers/small/sse`, '2024-11-05', ann),
      await clientOf(`${url.replace('http', 'ws')}/servers/small/ws`, '2025-11-25', ann),
    ]
    for (const way of ways) expect(await made(way, 1)).toBe(1)
    const all = await clientOf(`${url}/mcp`, '2025-06-18', ann)
    expect(await made(all, 2, 'small__who')).toBe(1)
    for (const way of ways) expect(await made(way, 1)).toBe(0)
    expect(await made(await clientOf(`${url}/mcp`, '2026-07-28', { 'x-user': 'bea' }), 7, 'small__who')).toBe(5)
  })

  it('is counted each time, and said once', async () => {
    const { gateway, url } = await begin(perMinute(1))
    await made(await clientOf(`${url}/servers/small/mcp`, '2025-06-18'), 4)
    expect(gateway.metrics.text()).toContain(
      'parley_requests_refused_total{server="small",reason="client_rate_limit"} 3\n',
    )
    expect(said.filter((line) => line.includes('rateLimit'))).toEqual([
      expect.stringMatching(
        /^small: Session \d+ of ".+" made more requests than allowed, and some are refused \(gateway\.rateLimit: 1 per 1 m\)$/,
      ),
    ])
  })
})

describe('G the limit of a server', () => {
  it('is one for all clients, counted and said, and takes nothing from the lists of all servers', async () => {
    const { gateway, url } = await begin({}, perMinute(2))
    const [one, other] = [await clientOf(`${url}/mcp`, '2025-06-18'), await clientOf(`${url}/mcp`, '2026-07-28')]
    expect([await made(one, 1, 'small__who'), await made(other, 1, 'small__who')]).toEqual([1, 1])
    expect([await made(one, 2, 'small__who'), await made(other, 1, 'small__who')]).toEqual([0, 0])
    for (const client of [one, other]) expect((await client.tools()).map(({ name }) => name)).toEqual(['small__who'])
    expect(gateway.metrics.text()).toContain(
      'parley_requests_refused_total{server="small",reason="server_rate_limit"} 3\n',
    )
    expect(said.filter((line) => line.includes('rateLimit'))).toEqual([
      'small: Clients made more requests than allowed, and some are refused (mcpServers.small.rateLimit: 2 per 1 m)',
    ])
  })
})

describe('G other limits while it runs', () => {
  it('are in force at once, and no session ends', async () => {
    const { gateway, url } = await begin({})
    const client = await clientOf(`${url}/servers/small/mcp`, '2025-06-18')
    const [upstream] = gateway.upstreams
    expect(await made(client, 5)).toBe(5)
    await gateway.reload(configOf(perMinute(2)))
    expect(await made(client, 5)).toBe(2)
    await gateway.reload(configOf({}, perMinute(1)))
    expect(await made(client, 5)).toBe(1)
    await gateway.reload(configOf({}))
    expect(await made(client, 5)).toBe(5)
    expect(gateway.upstreams).toEqual([upstream])
    expect(gateway.sessions).toBe(1)
    expect(client.state).toBe('connected')
    expect(said.filter((line) => line.includes('onfiguration') || line.includes('restart'))).toEqual([
      'The configuration was read again; rate limit: gateway',
      'The configuration was read again; rate limit: gateway, small',
      'The configuration was read again; rate limit: small',
    ])
  })
})
