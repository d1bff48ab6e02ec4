/**
 * L1, L3: a server that dies and comes back, perhaps as another one: waiting clients learn it at once, and all clients
 * else goes on.
 */
import { type Capabilities, eraOf, type ProtocolVersion, versions } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import {
  EVERYTHING,
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from './peers.fixtures.ts'

let clock: FakeClock
let rig: BridgeRig
beforeEach(() => {
  clock = fakeClock()
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

type Ask = (method: string, params?: Body) => Promise<RawMessage>
const CALL: Body = { name: 'any', arguments: {} }
const isStateless = (version: ProtocolVersion): boolean => eraOf(version) === 'stateless'

/** A server that answers `hang` never. */
const serverOf = (version: ProtocolVersion, name: string, capabilities: Capabilities = EVERYTHING): ScriptedServer =>
  scripted({
    version,
    capabilities,
    answer: ({ method, params }) => {
      if (params['name'] === 'hang') return new Promise(() => {})
      return method === 'tools/list' ? { tools: [{ name, inputSchema: { type: 'object' } }] } : text(name)
    },
  })

async function clientOf(server: ScriptedServer, version: ProtocolVersion): Promise<{ ask: Ask; raw: RawClient }> {
  rig = bridgeTo(server, undefined, {}, { clock })
  const raw = new RawClient(rig.address, { clock })
  if (isStateless(version)) return { raw, ask: (method, params) => raw.ask(method, params) }
  await raw.shakeHands(version)
  return { raw, ask: (method, params) => raw.request(method, params) }
}

/** Lets the clock run until it is there. */
async function soon<T>(wanted: Promise<T>): Promise<T> {
  let over = false
  void wanted.finally(() => {
    over = true
  })
  for (let step = 0; step < 400 && !over; step++) await clock.advance(100)
  return wanted
}

const few: readonly ProtocolVersion[] = ['2024-11-05', '2025-11-25', '2026-07-28']
const pairs = few.flatMap((client) => few.map((server) => ({ client, server })))

describe.each(pairs)('L1 a client of $client and a server of $server that dies', ({ client: version, server }) => {
  it('calls that wait fail at once and say why, and the next ones work', async () => {
    const one = serverOf(server, 'one')
    const { ask } = await clientOf(one, version)
    expect(textOf(await ask('tools/call', CALL))).toBe('one')
    const waiting = ask('tools/call', { name: 'hang', arguments: {} })
    await until(() => expect(one.asked.some(({ params }) => params['name'] === 'hang')).toBe(true))
    rig.crash()
    const { error, result } = await waiting
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ code: expect.any(Number), message: expect.stringContaining('rig') })
    expect(textOf(await soon(ask('tools/call', CALL)))).toBe('one')
  })

  it('subscriptions and the log level are there again, and lists are presumed to have changed', async () => {
    const one = serverOf(server, 'one')
    const { raw, ask } = await clientOf(one, version)
    if (isStateless(version)) {
      void ask('subscriptions/listen', {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] },
      })
      await raw.next('notifications/subscriptions/acknowledged')
    } else {
      expect((await ask('resources/subscribe', { uri: 'note://one' })).result).toEqual({})
      expect((await ask('logging/setLevel', { level: 'warning' })).result).toEqual({})
    }
    const two = serverOf(server, 'two')
    rig.replaceBy(two)
    const before = raw.received.length
    rig.crash()
    await soon(until(() => expect(two.sessions.length).toBeGreaterThan(0)))
    await clock.advance(1000)
    const told = raw.received.slice(before).map(({ method }) => method)
    expect(told).toContain('notifications/tools/list_changed')
    expect(told).toContain('notifications/resources/updated')
    // And from then on.
    const heard = raw.of('notifications/resources/updated').length
    for (const session of two.sessions)
      if (!isStateless(server)) session.notify('notifications/resources/updated', { uri: 'note://one' })
    for (const listening of two.listening) {
      const filter = listening.params['notifications'] as Body
      if (filter['resourceSubscriptions'] !== undefined)
        listening.notify('notifications/resources/updated', { uri: 'note://one' })
    }
    await until(() => expect(raw.of('notifications/resources/updated').length).toBe(heard + 1))
    if (isStateless(version)) return
    if (isStateless(server)) {
      await soon(ask('tools/call', CALL))
      expect(two.asked.at(-1)?.logLevel).toBe('warning')
    } else expect(two.told).toContainEqual({ method: 'logging/setLevel', params: { level: 'warning' } })
  })
})

describe.each(versions)('V5 a client of %s goes on when the server', (version) => {
  it.each(
    versions.flatMap((before) => versions.filter((after) => after !== before).map((after) => [before, after] as const)),
  )('was of %s and comes back in %s', async (before, after) => {
    const { ask } = await clientOf(serverOf(before, 'one'), version)
    expect(textOf(await ask('tools/call', CALL))).toBe('one')
    rig.replaceBy(serverOf(after, 'two'))
    rig.crash()
    expect(textOf(await soon(ask('tools/call', CALL)))).toBe('two')
    expect(((await soon(ask('tools/list'))).result as { tools: Body[] }).tools).toMatchObject([{ name: 'two' }])
  })
})

/** Clients that are not known may name their conversation. */
const BY_HANDLE = { experimental: { 'dev.parley/session': {} } }

describe('L1 a server that comes back', () => {
  it('with other capabilities is introduced with them, and lists it has now are told of', async () => {
    rig = bridgeTo(serverOf('2025-06-18', 'one', { tools: { listChanged: true } }), undefined, {}, { clock })
    const client = new RawClient(rig.address, { clock })
    expect((await client.ask('server/discover')).result?.['capabilities']).toEqual({
      tools: { listChanged: true },
      ...BY_HANDLE,
    })
    const kinds: string[] = []
    rig.upstream.onListChanged((kind) => kinds.push(kind))
    rig.replaceBy(serverOf('2025-06-18', 'two', { prompts: { listChanged: true } }))
    rig.crash()
    await soon(
      until(() =>
        expect(rig.upstream.introduction?.capabilities).toEqual({ prompts: { listChanged: true }, ...BY_HANDLE }),
      ),
    )
    expect((await client.ask('server/discover')).result?.['capabilities']).toEqual({
      prompts: { listChanged: true },
      ...BY_HANDLE,
    })
    await flush()
    expect(kinds).toContain('prompts')
    expect((await client.ask('tools/list')).error).toMatchObject({ code: -32601 })
  })

  it('does not get questions answered that it asked before it died: the call is lost, and says so', async () => {
    const server = scripted({
      version: '2025-06-18',
      answer: async (inbound) => text(JSON.stringify(await inbound.request('roots/list'))),
    })
    rig = bridgeTo(server, undefined, {}, { clock })
    const client = new RawClient(rig.address, { clock })
    const { result } = await client.ask('tools/call', CALL, { roots: {} })
    rig.crash()
    await flush()
    const [key] = Object.keys(result?.['inputRequests'] as Body)
    const retry = {
      ...CALL,
      requestState: result?.['requestState'],
      inputResponses: { [key as string]: { roots: [] } },
    }
    const last = await client.ask('tools/call', retry, { roots: {} })
    expect(last.result).toMatchObject({ resultType: 'complete', isError: true })
    expect(server.asked).toHaveLength(1)
  })

  it('and lists that were kept are read again', async () => {
    const list = (name: string) => () => ({
      tools: [{ name, inputSchema: { type: 'object' } }],
      ttlMs: 3_600_000,
      cacheScope: 'public',
    })
    const one = scripted({ version: '2026-07-28', answer: list('one') })
    rig = bridgeTo(one, undefined, {}, { clock })
    const client = new RawClient(rig.address, { clock })
    for (let count = 0; count < 3; count++) await client.ask('tools/list')
    expect(one.asked).toHaveLength(1)
    rig.replaceBy(scripted({ version: '2026-07-28', answer: list('two') }))
    rig.crash()
    await soon(until(() => expect(rig.ways.open).toBe(1)))
    await clock.advance(1000)
    expect((await client.ask('tools/list')).result).toMatchObject({ tools: [{ name: 'two' }] })
  })

  it('too often is left alone for a while, and everybody is told so at once', async () => {
    for (const version of ['2025-06-18', '2026-07-28'] as const) {
      const { ask } = await clientOf(serverOf('2025-06-18', 'one'), version)
      expect(textOf(await ask('tools/call', CALL))).toBe('one')
      rig.replaceBy({
        accept: () => {
          throw new Error('no such program')
        },
      })
      rig.crash()
      await clock.advance(60_000)
      const { error } = await ask('tools/call', CALL)
      expect(error).toMatchObject({ message: expect.stringContaining('"rig"') })
      rig.replaceBy(serverOf('2025-06-18', 'two'))
      await clock.advance(10 * 60_000)
      expect(textOf(await soon(ask('tools/call', CALL)))).toBe('two')
      await rig.close()
    }
  })
})
