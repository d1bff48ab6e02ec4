/** L4: what clients make the gateway keep has limits in bytes, at every address, and is given back. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { connect, type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, resource, tool } from 'parley-mcp/server'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseConfig } from '../config/index.ts'
import { Gateway } from './index.ts'

const KIB = 1024
const MEMORY = { session: '256KiB', principal: '512KiB', total: '1MiB' }
const long = 'x'.repeat(60 * KIB)
const yes = { type: 'object', properties: { yes: { type: 'boolean' } } } as const

let serving: HttpServing
beforeAll(async () => {
  const server = createServer({ name: 'small', version: '1' }).add(
    tool('wait', { input: { type: 'object' } }, (_, { signal }) => {
      return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('given up')))
    }),
    tool('ask', { input: { type: 'object' } }, async (_, ctx) => {
      await ctx.elicit('sure', 'Sure?', yes)
      return 'done'
    }),
    resource('note://{id}', {}, () => 'x'),
  )
  serving = await serveHttp(server, { port: 0 })
})
afterAll(() => serving.close({ drain: 0 }))

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

async function begin(
  serverVersion: ProtocolVersion,
  memory: Readonly<Record<string, string>> = MEMORY,
): Promise<{ gateway: Gateway; url: string }> {
  const servers = { small: { url: serving.url, versions: [serverVersion], session: 'shared' } }
  const text = JSON.stringify({ mcpServers: servers, gateway: { port: 0, principalHeader: 'x-user', memory } })
  const gateway = new Gateway(parseConfig(text, { file: 'parley.json', env: {} }).config)
  undo.push(() => gateway.close(0))
  const { url } = await gateway.start()
  await gateway.reach()
  return { gateway, url }
}

const kept = (gateway: Gateway): number => Number(/^parley_kept_bytes (\d+)$/m.exec(gateway.metrics.text())?.[1])
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 15_000, interval: 5 })

async function clientOf(url: string, version: ProtocolVersion, user = 'ann'): Promise<Client> {
  const client = await connect(
    { url, headers: { 'x-user': user } },
    { version, keepAlive: false, elicit: () => new Promise<never>(() => {}) },
  )
  undo.push(() => client.close())
  return client
}

/** What each of so many attempts is refused with; those that are not wait. */
function refusals(
  attempts: number,
  attempt: (n: number) => Promise<unknown>,
): { readonly all: Record<string, unknown>[] } {
  const all: Record<string, unknown>[] = []
  for (let n = 0; n < attempts; n++) {
    attempt(n).catch((error: { kind: string; data?: Record<string, unknown> }) => {
      if (error.kind === 'refusal_resource_constraints') all.push({ ...error.data })
    })
  }
  return { all }
}

const ADDRESSES = [
  ['/servers/small/mcp', ''],
  ['/mcp', 'small__'],
  ['/servers/small/ws', ''],
] as const
const PAIRS = [
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
] as const

describe.each(ADDRESSES)('L4 what is kept at %s', (path, prefix) => {
  const at = (url: string): string => `${path.endsWith('/ws') ? url.replace('http', 'ws') : url}${path}`

  it.each(PAIRS)(
    'calls of a client of %s that wait for a server of %s, until the client leaves',
    async (version, serverVersion) => {
      const { gateway, url } = await begin(serverVersion)
      const client = await clientOf(at(url), version)
      const setting =
        version === '2026-07-28' && !path.endsWith('/ws') ? 'gateway.memory.principal' : 'gateway.memory.session'
      const refused = refusals(10, () => client.call(`${prefix}wait`, { long }))
      await until(() => expect(refused.all.length).toBeGreaterThan(1))
      expect(refused.all[0]).toMatchObject({ setting })
      expect(kept(gateway)).toBeGreaterThan(180 * KIB)
      // Small requests still find room.
      expect((await client.tools()).length).toBe(2)
      await client.close()
      await until(() => expect(kept(gateway)).toBe(0))
    },
  )

  it.each(PAIRS)(
    'calls of a client of %s that wait for its user, asked by a server of %s',
    async (version, serverVersion) => {
      const { gateway, url } = await begin(serverVersion)
      const client = await clientOf(at(url), version)
      const refused = refusals(10, () => client.call(`${prefix}ask`, { long }))
      await until(() => expect(refused.all.length).toBeGreaterThan(1))
      await client.close()
      await gateway.close(0)
      expect(kept(gateway)).toBe(0)
    },
  )

  it('subscriptions, until they end', async () => {
    const { gateway, url } = await begin('2025-11-25')
    const client = await clientOf(at(url), '2025-11-25')
    const idle = kept(gateway)
    const uri = (n: number): string => `note://${n}${'x'.repeat(4 * KIB)}`
    const settled = await Promise.allSettled(Array.from({ length: 80 }, (_, n) => client.subscribe(uri(n), () => {})))
    const held = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(held.length).toBeGreaterThan(20)
    expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'refusal_resource_constraints' },
    })
    for (const each of held) await each.unsubscribe()
    expect(kept(gateway)).toBe(idle)
    await client.close()
    await until(() => expect(kept(gateway)).toBe(0))
  })
})

describe('L4 listeners without a session', () => {
  it.each(['/servers/small/mcp', '/mcp'])('at %s, until they hang up', async (path) => {
    const { gateway, url } = await begin('2025-11-25')
    const client = await clientOf(`${url}${path}`, '2026-07-28')
    const named = (n: number): string[] => Array.from({ length: 100 }, (_, at) => `note://${n}-${at}`)
    const listenings = Array.from({ length: 20 }, (_, n) => client.session.listen({ resourceSubscriptions: named(n) }))
    const refused: unknown[] = []
    for (const { acknowledged, ended } of listenings) {
      acknowledged.catch((error) => refused.push(error))
      ended.catch(() => {})
    }
    await until(() => expect(refused.length).toBeGreaterThan(1))
    expect(refused[0]).toMatchObject({ kind: 'refusal_resource_constraints' })
    await client.close()
    await until(() => expect(kept(gateway)).toBe(0))
  })
})

describe('L4 all clients together', () => {
  it('share the total, at all addresses', async () => {
    const { gateway, url } = await begin('2025-11-25', { ...MEMORY, total: '300KiB' })
    const ann = await clientOf(`${url}/servers/small/mcp`, '2025-11-25', 'ann')
    const bea = await clientOf(`${url}/mcp`, '2026-07-28', 'bea')
    const first = refusals(10, () => ann.call('wait', { long }))
    await until(() => expect(first.all.length).toBeGreaterThan(1))
    const second = refusals(10, () => bea.call('small__wait', { long }))
    await until(() => expect(second.all.length).toBeGreaterThan(1))
    expect(second.all[0]).toMatchObject({ setting: 'gateway.memory.total', limit: 300 * KIB })
    expect(kept(gateway)).toBeLessThan(300 * KIB)
  })
})
