/** G: a server is sent so many requests by all clients together, and no more. */
import type { Capabilities } from 'parley-mcp'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import {
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  textOf,
} from '../../addresses/server/peers.fixtures.ts'
import type { Refused } from '../../limits/index.ts'

const CALL = { name: 'any', arguments: {} }

let clock: FakeClock
let rig: BridgeRig
let refused: Refused[]
beforeEach(() => {
  clock = fakeClock()
  refused = []
})
afterEach(() => rig.close())

function limited(server: ScriptedServer, requests: number): void {
  rig = bridgeTo(
    server,
    undefined,
    { rateLimit: { requests, per: 60_000 } },
    { clock, onRefused: (each) => refused.push(each) },
  )
}

async function handshaken(): Promise<RawClient> {
  const client = new RawClient(rig.address, { clock })
  await client.shakeHands('2025-06-18')
  return client
}

const stateless = (): RawClient => new RawClient(rig.address, { clock, sharedLink: true })

const REFUSED = {
  code: -32603,
  message:
    'All clients together have sent as many requests to the server "rig" as they may (mcpServers.rig.rateLimit: 2 per 1 m): try again in 30 s',
  data: { retryAfterMs: 30_000, 'parley/kind': 'rate_limited' },
}

describe.each(['2025-06-18', '2026-07-28'] as const)('G a server of %s', (version) => {
  it('is sent what clients of both eras ask until that is too much, and again after a while', async () => {
    const server = scripted({ version })
    limited(server, 2)
    const [old, modern] = [await handshaken(), stateless()]
    expect(textOf(await old.request('tools/call', CALL))).toBe('done')
    expect(textOf(await modern.ask('tools/call', CALL))).toBe('done')
    for (const answer of [await old.request('tools/call', CALL), await modern.ask('tools/call', CALL)])
      expect(answer.error).toEqual(REFUSED)
    const asked = server.asked.filter(({ method }) => method === 'tools/call')
    expect(asked).toHaveLength(2)
    expect(refused).toEqual(
      Array(2).fill({
        server: 'rig',
        reason: 'server_rate_limit',
        whom: 'Clients',
        limit: 'mcpServers.rig.rateLimit: 2 per 1 m',
      }),
    )
    await clock.advance(30_000)
    expect(textOf(await old.request('tools/call', CALL))).toBe('done')
    expect((await modern.ask('tools/call', CALL)).error).toEqual(REFUSED)
  })

  it('is asked as often as before when the limit is taken away', async () => {
    limited(scripted({ version }), 1)
    const client = await handshaken()
    await client.request('tools/call', CALL)
    expect((await client.request('tools/call', CALL)).error?.data).toMatchObject({ 'parley/kind': 'rate_limited' })
    rig.upstream.rate.limit = undefined
    expect(textOf(await client.request('tools/call', CALL))).toBe('done')
  })
})

describe('G what counts', () => {
  const counted = async (client: RawClient, ask: () => Promise<RawMessage>): Promise<boolean> => {
    await ask()
    return (await client.request('tools/call', CALL)).error !== undefined
  }

  it('calls, prompts, reads, completions, subscriptions and levels do, what a client tells and pings do not', async () => {
    const capabilities: Capabilities = {
      tools: {},
      prompts: {},
      resources: { subscribe: true },
      completions: {},
      logging: {},
    }
    const version = '2025-06-18'
    const outcomes: Record<string, boolean> = {}
    const requests: Record<string, object> = {
      'prompts/get': { name: 'p' },
      'resources/read': { uri: 'note://x' },
      'completion/complete': { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
      'resources/subscribe': { uri: 'note://x' },
      'logging/setLevel': { level: 'info' },
      'tools/list': {},
      ping: {},
    }
    for (const [method, params] of Object.entries(requests)) {
      limited(scripted({ version, capabilities }), 1)
      const client = await handshaken()
      outcomes[method] = await counted(client, () => client.request(method, params as never))
      await rig.close()
    }
    limited(scripted({ version, capabilities }), 1)
    const client = await handshaken()
    client.send({ method: 'notifications/roots/list_changed' })
    outcomes['notifications/roots/list_changed'] = await counted(client, () => client.request('ping'))
    expect(outcomes).toEqual({
      'prompts/get': true,
      'resources/read': true,
      'completion/complete': true,
      'resources/subscribe': true,
      'logging/setLevel': true,
      'tools/list': true,
      ping: false,
      'notifications/roots/list_changed': false,
    })
  })

  it('an answer that was kept does not', async () => {
    const server = scripted({
      version: '2026-07-28',
      answer: () => ({ contents: [{ uri: 'note://x', text: 'kept' }], ttlMs: 600_000, cacheScope: 'public' }),
    })
    limited(server, 1)
    const [old, modern] = [await handshaken(), stateless()]
    for (let n = 0; n < 3; n++) {
      expect((await modern.ask('resources/read', { uri: 'note://x' })).error).toBeUndefined()
      expect((await old.request('resources/read', { uri: 'note://x' })).error).toBeUndefined()
    }
    expect(server.asked.filter(({ method }) => method === 'resources/read')).toHaveLength(1)
  })
})
