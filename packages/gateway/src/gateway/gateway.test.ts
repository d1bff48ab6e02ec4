/** G, O: the gateway as a whole: its start, its reloads, what it says of itself, and its end. */
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'parley-mcp/client'
import { type Clock, systemClock } from 'parley-mcp/engine'
import { connect, type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, resource, type Server, tool } from 'parley-mcp/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type GatewayConfig, parseConfig } from '../config/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { Gateway } from './index.ts'

type Settings = Readonly<Record<string, unknown>>

/** Machines can be busy. */
const SOON = { timeout: 10_000 }

let undo: (() => unknown)[]
let said: string[]
beforeEach(() => {
  undo = []
  said = []
})
afterEach(async () => {
  for (const each of undo.reverse()) await each()
})

function small(self: string): Server {
  return createServer({ name: self, version: '1' }).add(
    tool('who', { description: `of ${self}` }, () => self),
    resource('note://x', {}, () => self),
  )
}

async function served(server: Server): Promise<HttpServing> {
  const serving = await serveHttp(server, { port: 0 })
  undo.push(() => serving.close({ drain: 0 }))
  return serving
}

function configOf(servers: Readonly<Record<string, Settings>>, gateway: Settings = {}): GatewayConfig {
  return parseConfig(JSON.stringify({ mcpServers: servers, gateway: { port: 0, ...gateway } }), {
    file: 'parley.json',
    env: {},
  }).config
}

async function begin(config: GatewayConfig, file?: string): Promise<{ gateway: Gateway; url: string }> {
  const say = (message: string): void => void said.push(message)
  const log: GatewayLog = { debug: () => {}, info: say, warning: say, error: say }
  const gateway = new Gateway(config, { log, ...(file && { file }) })
  undo.push(() => gateway.close(0))
  const { url } = await gateway.start()
  return { gateway, url }
}

async function clientOf(address: string, version: '2025-06-18' | '2026-07-28' = '2025-06-18'): Promise<Client> {
  const client = await connect(address, { version })
  undo.push(() => client.close())
  return client
}

const names = async (client: Client): Promise<string[]> => (await client.tools()).map(({ name }) => name)

describe('G the gateway', () => {
  it('serves each server at its own address, names untouched, and all at one', async () => {
    const { url } = await begin(
      configOf({ a: { url: (await served(small('a'))).url }, b: { url: (await served(small('b'))).url } }),
    )
    expect(await names(await clientOf(`${url}/servers/a/mcp`))).toEqual(['who'])
    for (const version of ['2025-06-18', '2026-07-28'] as const)
      expect(await names(await clientOf(`${url}/mcp`, version))).toEqual(['a__who', 'b__who'])
  })

  it('tells gateways in front of it which servers are behind it, and nobody else', async () => {
    const { url } = await begin(configOf({ a: { url: (await served(small('a'))).url } }))
    const front = await begin(
      configOf({ all: { url: `${url}/mcp` }, one: { url: `${url}/mcp`, versions: ['2025-06-18'] } }),
    )
    await front.gateway.reach()
    for (const { introduction } of front.gateway.upstreams)
      expect(introduction?.capabilities).toHaveProperty(['experimental', 'dev.parley/via', 'ids'])
    for (const address of [
      `${url}/mcp`,
      `${front.url}/mcp`,
      `${front.url}/servers/all/mcp`,
      `${front.url}/servers/one/mcp`,
    ]) {
      for (const version of ['2025-06-18', '2026-07-28'] as const) {
        const { capabilities } = await clientOf(address, version)
        expect([address, version, capabilities]).toEqual([
          address,
          version,
          expect.not.objectContaining({ experimental: expect.anything() }),
        ])
      }
    }
  })

  it('reload: what is kept goes on, also in the middle of a call; added, changed and removed ones are met at once', async () => {
    let release: ((value: string) => void) | undefined
    const kept = small('kept').add(tool('wait', {}, () => new Promise<string>((resolve) => (release = resolve))))
    const [keptUrl, oldUrl, newUrl, goneUrl] = await Promise.all(
      [kept, small('old'), small('new'), small('gone')].map(async (server) => (await served(server)).url),
    )
    const { gateway, url } = await begin(
      configOf({ kept: { url: keptUrl }, changed: { url: oldUrl }, gone: { url: goneUrl } }),
    )
    const all = await clientOf(`${url}/mcp`)
    const one = await clientOf(`${url}/servers/kept/mcp`)
    const other = await clientOf(`${url}/servers/changed/mcp`)
    expect((await all.call('changed__who')).text).toBe('old')
    const waiting = [all.call('kept__wait')]
    // That something runs there is not enough: it may be a list, and the call only on its way.
    await vi.waitFor(() => expect(release).toBeDefined(), SOON)
    await gateway.reload(configOf({ added: { url: newUrl }, changed: { url: newUrl }, kept: { url: keptUrl } }))
    release?.('released')
    expect((await waiting[0])?.text).toBe('released')
    expect((await one.call('who')).text).toBe('kept')
    // In the order of the new configuration.
    expect((await names(all)).filter((name) => name.endsWith('who'))).toEqual([
      'added__who',
      'changed__who',
      'kept__who',
    ])
    expect((await all.call('changed__who')).text).toBe('new')
    await expect(all.call('gone__who')).rejects.toThrow(/Unknown tool: gone__who/)
    // Its session has ended with its server: clients that can begin another one meet the new server.
    expect((await other.call('who')).text).toBe('new')
    await expect(clientOf(`${url}/servers/gone/mcp`)).rejects.toThrow()
    expect(said).toContain(
      'The configuration was read again; added: added; removed: gone; changed: changed; order: added, changed, kept',
    )
  })

  it('reload in another order only: lists follow it, the first one keeps a URI that both offer, and clients are told', async () => {
    const [a, b] = await Promise.all(
      [small('a'), small('b')].map(async (server) => ({ url: (await served(server)).url })),
    )
    const { gateway, url } = await begin(configOf({ a, b } as Record<string, Settings>))
    const client = await clientOf(`${url}/mcp`)
    expect((await client.read('note://x')).contents).toMatchObject([{ text: 'a' }])
    let told = 0
    client.onListChanged('resources', () => told++)
    await gateway.reload(configOf({ b, a } as Record<string, Settings>))
    expect(said).toContain('The configuration was read again; order: b, a')
    await vi.waitFor(() => expect(told).toBeGreaterThan(0))
    expect(await names(client)).toEqual(['b__who', 'a__who'])
    expect((await client.read('note://x')).contents).toMatchObject([{ text: 'b' }])
    expect(gateway.readiness().servers.map(({ name }) => name)).toEqual(['b', 'a'])
  })

  it('reload of a busy server: it answers earlier calls at all addresses, and new clients use the new server at once', async () => {
    const releases: ((value: string) => void)[] = []
    const old = small('old').add(tool('slow', {}, () => new Promise<string>((resolve) => releases.push(resolve))))
    const [before, after] = [await served(old), await served(small('new'))]
    const { gateway, url } = await begin(configOf({ s: { url: before.url } }))
    const own = `${url}/servers/s/mcp`
    const [one, stateless, all, allStateless] = await Promise.all([
      clientOf(own),
      clientOf(own, '2026-07-28'),
      clientOf(`${url}/mcp`),
      clientOf(`${url}/mcp`, '2026-07-28'),
    ])
    const running = [one.call('slow'), stateless.call('slow'), all.call('s__slow'), allStateless.call('s__slow')]
    await vi.waitFor(() => expect(releases).toHaveLength(4))
    const reloading = gateway.reload(configOf({ s: { url: after.url } }))
    await vi.waitFor(() => expect(said).toContain('The configuration was read again; changed: s'))
    for (const version of ['2025-06-18', '2026-07-28'] as const) {
      expect((await (await clientOf(own, version)).call('who')).text).toBe('new')
      expect((await (await clientOf(`${url}/mcp`, version)).call('s__who')).text).toBe('new')
    }
    expect((await stateless.call('who')).text).toBe('new')
    expect((await all.call('s__who')).text).toBe('new')
    for (const release of releases) release('done')
    expect((await Promise.all(running)).map(({ text }) => text)).toEqual(['done', 'done', 'done', 'done'])
    await reloading
    expect((await one.call('who')).text).toBe('new')
    await vi.waitFor(() => expect(before.sessions).toBe(0))
  })

  it('reload with nothing new says nothing, and with settings of the gateway that they wait for a restart', async () => {
    const { url } = await served(small('a'))
    const { gateway } = await begin(configOf({ a: { url } }))
    await gateway.reload(configOf({ a: { url } }))
    expect(said).toEqual([])
    await gateway.reload(configOf({ a: { url } }, { log: 'debug' }))
    const warned = ['Changed, but only in force after a restart: gateway.log']
    expect(said).toEqual(warned)
    // The same again is no news, and what is put back is in force.
    await gateway.reload(configOf({ a: { url, timeout: '1m' } }, { log: 'debug' }))
    await gateway.reload(configOf({ a: { url, timeout: '1m' } }))
    expect(said.filter((each) => each.startsWith('Changed'))).toEqual(warned)
  })

  it('reload: what goes wrong once it is in force is said as that, and calls nothing off', async () => {
    const [{ url: before }, { url: after }] = [await served(small('before')), await served(small('after'))]
    const { gateway, url } = await begin(configOf({ a: { url: before } }))
    vi.spyOn(gateway.site, 'removeServer').mockRejectedValueOnce(new Error('stuck'))
    await gateway.reload(configOf({ b: { url: after } }))
    expect(said.filter((each) => each.includes('stuck'))).toEqual([
      'The configuration is in force, but not all replaced servers have ended: stuck',
    ])
    expect(await names(await clientOf(`${url}/mcp`))).toEqual(['b__who'])
  })

  it('reload: servers that come later are met with the settings the gateway began with', async () => {
    const { url } = await served(
      createServer({ name: 'a', version: '1' }).add(tool('who', { title: 'Who' }, () => 'a')),
    )
    const { gateway, url: address } = await begin(configOf({}, { translation: 'lenient' }))
    await gateway.reload(configOf({ a: { url } }, { translation: 'strict' }))
    const client = await connect(`${address}/servers/a/mcp`, { version: '2024-11-05' })
    undo.push(() => client.close())
    expect(await client.tools()).toMatchObject([{ name: 'who', title: 'Who' }])
  })

  it('readiness: ready when it can serve, whatever became of one server, unless that one is required', async () => {
    const dead = await served(small('dead'))
    const { url: deadUrl } = dead
    await dead.close({ drain: 0 })
    const servers = { a: { url: (await served(small('a'))).url }, dead: { url: deadUrl } }
    const { gateway, url } = await begin(configOf(servers))
    await gateway.reach()
    expect(gateway.readiness()).toMatchObject({
      ready: true,
      servers: [
        { name: 'a', state: 'running', ready: true },
        { name: 'dead', ready: false, detail: expect.any(String) },
      ],
    })
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    await gateway.reload(configOf(servers, { requiredServers: ['dead'] }))
    const probe = await fetch(`${url}/readyz`)
    expect(probe.status).toBe(503)
    expect(await probe.json()).toMatchObject({
      status: 'not ready',
      servers: { a: { ready: true }, dead: { ready: false, required: true } },
    })
    await gateway.reload(configOf({ a: servers.a }))
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  it('readiness: a permanent server that fails its first starts is tried again without a client, until it is there', async () => {
    const first = await served(small('late'))
    const { port, url: lateUrl } = first
    await first.close({ drain: 0 })
    const { gateway, url } = await begin(configOf({ late: { url: lateUrl } }, { requiredServers: ['late'] }))
    await gateway.reach()
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    const again = await serveHttp(small('late'), { port })
    undo.push(() => again.close({ drain: 0 }))
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), SOON)
  })

  it('readiness: a server that was never reached is not ready while it starts, for the probe, the page and the metric alike', async () => {
    const mute = createTcpServer(() => {}).listen(0, '127.0.0.1')
    await once(mute, 'listening')
    undo.push(() => mute.close())
    const { port } = mute.address() as AddressInfo
    const { gateway, url } = await begin(
      configOf(
        { mute: { url: `tcp://127.0.0.1:${port}` }, later: { url: `tcp://127.0.0.1:${port}`, lazy: true } },
        { requiredServers: ['mute'] },
      ),
    )
    void gateway.reach()
    await vi.waitFor(() => expect(gateway.readiness().servers[0]?.state).toBe('starting'))
    const probe = await fetch(`${url}/readyz`)
    expect(probe.status).toBe(503)
    expect(await probe.json()).toEqual({
      status: 'not ready',
      servers: {
        mute: { state: 'starting', ready: false, required: true, detail: expect.stringContaining('starting') },
        later: { state: 'idle', ready: true },
      },
    })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/^parley_server_up\{server="mute"\} 0$/m)
    expect(metrics).toMatch(/^parley_server_up\{server="later"\} 1$/m)
    const page = await (await fetch(url)).text()
    expect(page).toContain('1 of 2 up')
    expect(page).toContain('<span class="down">starting</span>')
  })

  it('O metrics: losses, versions, sessions and restarts by server, and nothing of servers that are gone', async () => {
    const annotated = createServer({ name: 'a', version: '1' }).add(
      tool(
        'who',
        { title: 'Who', annotations: { title: 'T' }, output: { type: 'object', properties: {} } as const },
        () => ({}),
      ),
    )
    const [a, b] = [await served(annotated), await served(small('b'))]
    const { gateway, url } = await begin(configOf({ a: { url: a.url }, b: { url: b.url } }))
    const client = await connect(`${url}/mcp`, { version: '2024-11-05' })
    undo.push(() => client.close())
    await client.call('a__who')
    await client.tools()
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toMatch(/^parley_client_sessions 1$/m)
    expect(text).toMatch(/^parley_server_up\{server="a"\} 1$/m)
    expect(text).toMatch(/^parley_server_sessions\{server="a"\} [1-9]/m)
    expect(text).toMatch(/^parley_server_restarts\{server="b"\} 0$/m)
    expect(text).toMatch(/^parley_requests_running\{server="b"\} 0$/m)
    expect(text).toMatch(/^parley_requests_queued\{server="a"\} 0$/m)
    expect(text).toMatch(/^parley_versions_negotiated_total\{server="\*",version="2024-11-05"\} 1$/m)
    expect(text).toMatch(/^parley_translation_losses_total\{server="\*",rule="[A-D]-\d+",severity="\w+"\} [1-9]/m)
    await gateway.reload(configOf({ b: { url: b.url } }))
    expect(await (await fetch(`${url}/metrics`)).text()).not.toMatch(/^parley_server_\w+\{server="a"\}/m)
  })
})

describe.each(['2025-06-18', '2026-07-28'] as const)('G what a client of %s follows', (version) => {
  it('is told by whichever server has it after each reload', async () => {
    const servers = { a: small('a'), b: small('b') }
    const [a, b] = [{ url: (await served(servers.a)).url }, { url: (await served(servers.b)).url }]
    const { gateway, url } = await begin(configOf({ a, b }))
    await gateway.reach()
    const client = await clientOf(`${url}/mcp`, version)
    await client.resources()
    let told = 0
    await client.subscribe('note://x', () => told++)
    const owners: [keyof typeof servers, GatewayConfig][] = [
      ['b', configOf({ b })],
      ['a', configOf({ a, b })],
      ['b', configOf({ b, a })],
      ['a', configOf({ a })],
    ]
    for (const [owner, config] of owners) {
      told = 0
      await gateway.reload(config)
      // Nobody knows whether it has changed meanwhile.
      await vi.waitFor(() => expect(told).toBe(1))
      servers[owner].updated('note://x')
      await vi.waitFor(() => expect(told).toBe(2))
    }
  })
})

describe('G the end', () => {
  it('leaves nothing, also in the middle of a reload and of calls', async () => {
    const before = await served(small('a').add(tool('wait', {}, () => new Promise(() => {}))))
    const clock = countedClock()
    const gateway = new Gateway(configOf({ a: { url: before.url } }), { clock })
    const { url } = await gateway.start()
    const client = await connect(`${url}/mcp`, { version: '2025-06-18', reconnect: false })
    for (const uri of ['parley://status', 'note://x']) await client.subscribe(uri, () => {})
    const waiting = expect(client.call('a__wait')).rejects.toThrow()
    await vi.waitFor(() => expect(gateway.upstreams[0]?.bulkhead.stats().running).toBe(1))
    const reloading = gateway.reload(configOf({ a: { url: before.url }, b: { url: before.url } }))
    await gateway.close(0)
    await reloading
    await waiting
    await client.close()
    await gateway.reload(configOf({ c: { url: before.url } }))
    expect(gateway.upstreams.map(({ name }) => name)).not.toContain('c')
    expect(gateway.upstreams.every((upstream) => upstream.status().sessions === 0)).toBe(true)
    await vi.waitFor(() => expect(clock.waiting()).toEqual([]))
    await vi.waitFor(() => expect(before.sessions).toBe(0))
  })
})

/** The real clock, and where the timers that still wait were set. */
function countedClock(): Clock & { waiting(): string[] } {
  const timers = new Map<object, string>()
  return {
    now: () => systemClock.now(),
    after(ms, task, hold) {
      const timer = {}
      timers.set(timer, `${ms} ms, ${new Error().stack?.split('\n')[2]?.trim()}`)
      const stop = systemClock.after(
        ms,
        () => {
          timers.delete(timer)
          task()
        },
        hold,
      )
      return () => {
        timers.delete(timer)
        stop()
      }
    },
    waiting: () => [...timers.values()],
  }
}

describe('G pinned tools', () => {
  it('a broken file of pins is a clear error at the start, and is left as it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-gateway-'))
    undo.push(() => rm(folder, { recursive: true }))
    const pins = join(folder, 'parley.pins.json')
    await writeFile(pins, '{"broken"')
    const { url } = await served(small('a'))
    const gateway = new Gateway(configOf({ a: { url, tools: { pin: 'report' } } }), {
      file: join(folder, 'parley.json'),
    })
    undo.push(() => gateway.close(0))
    await expect(gateway.start()).rejects.toThrow(/parley\.pins\.json/)
    expect(await readFile(pins, 'utf8')).toBe('{"broken"')
  })

  it('a reload that asks for pins keeps them beside the configuration; with a broken file the old one stays in force', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-gateway-'))
    undo.push(() => rm(folder, { recursive: true }))
    const pins = join(folder, 'parley.pins.json')
    const { url } = await served(small('a'))
    const { gateway, url: address } = await begin(configOf({ a: { url } }), join(folder, 'parley.json'))
    const client = await clientOf(`${address}/mcp`)
    await writeFile(pins, 'no')
    await expect(gateway.reload(configOf({ a: { url, tools: { pin: 'block' } } }))).rejects.toThrow(
      /parley\.pins\.json/,
    )
    expect(await names(client)).toEqual(['a__who'])
    await rm(pins)
    await gateway.reload(configOf({ a: { url, tools: { pin: 'block' } } }))
    expect(await names(client)).toEqual(['a__who'])
    await vi.waitFor(async () =>
      expect(JSON.parse(await readFile(pins, 'utf8'))).toMatchObject({
        servers: { a: { who: expect.stringContaining('sha256-') } },
      }),
    )
  })
})
