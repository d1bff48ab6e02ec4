/**
 * D-42, 8.5: what a server of 2026-07-28 says stays true for a while is not asked for again, whatever its clients
 * speak.
 */
import { type ProtocolVersion, versions } from 'parley-mcp'
import type { Body, Inbound } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import {
  EVERYTHING,
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  until,
} from '../../addresses/server/peers.fixtures.ts'
import type { ServerConfig } from '../../config/index.ts'
import { REPORT_KEY } from '../report.ts'

const STATELESS = '2026-07-28'
const handshakes = versions.filter((version) => version !== STATELESS)
const tool = (name: string): Body => ({ name, inputSchema: { type: 'object' } })
const FRESH: Body = { ttlMs: 60_000, cacheScope: 'public' }
const ANSWERS: Readonly<Record<string, Body>> = {
  'tools/list': { tools: [tool('one'), tool('two')] },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'resources/list': { resources: [{ uri: 'note://one', name: 'one' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [{ uri: 'note://one', text: 'x' }] },
}
const PARAMS: Readonly<Record<string, Body>> = { 'resources/read': { uri: 'note://one' } }

let clock: FakeClock
let rig: BridgeRig
beforeEach(() => {
  clock = fakeClock()
})
afterEach(() => rig.close())

function serverOf(hints: Body, capabilities = EVERYTHING): ScriptedServer {
  return scripted({
    version: STATELESS,
    capabilities,
    answer: ({ method }: Inbound) => ({ ...ANSWERS[method], ...hints }),
  })
}

function gatewayTo(server: ScriptedServer, more: Partial<ServerConfig> = {}): void {
  rig = bridgeTo(server, STATELESS, more, { clock })
}

async function clientOf(version: ProtocolVersion): Promise<(method: string, meta?: Body) => Promise<RawMessage>> {
  const raw = new RawClient(rig.address, { clock })
  if (version !== STATELESS) await raw.shakeHands(version)
  return (method, meta) => {
    const params = { ...PARAMS[method], ...(meta && { _meta: meta }) }
    return version === STATELESS ? raw.ask(method, params) : raw.request(method, params)
  }
}

describe.each(handshakes)('a client of %s', (version) => {
  it.each(Object.keys(ANSWERS))('shares %s with all clients, each in its own version', async (method) => {
    const server = serverOf({ ...FRESH, _meta: { 'x/y': 1 } })
    gatewayTo(server)
    const [ask, other, stateless] = [await clientOf(version), await clientOf('2025-11-25'), await clientOf(STATELESS)]
    const { result } = await ask(method)
    expect(result).toEqual({ ...ANSWERS[method], _meta: { 'x/y': 1 } })
    expect((await ask(method)).result).toEqual(result)
    expect((await other(method)).result).toEqual(result)
    expect((await stateless(method)).result).toMatchObject({ ...ANSWERS[method], ...FRESH, resultType: 'complete' })
    expect(server.asked).toHaveLength(1)
    await clock.advance(60_000)
    await stateless(method)
    expect((await ask(method)).result).toEqual(result)
    expect(server.asked).toHaveLength(2)
  })

  it('asks again for what is private, and for what is not said to stay true', async () => {
    for (const hints of [
      { ttlMs: 60_000, cacheScope: 'private' },
      { ttlMs: 0, cacheScope: 'public' },
    ]) {
      const server = serverOf(hints)
      gatewayTo(server)
      const [ask, other] = [await clientOf(version), await clientOf(version)]
      for (const each of [ask, other, ask]) await each('prompts/list')
      expect(server.asked).toHaveLength(3)
      await rig.close()
    }
  })

  it('that wants to know what was lost gets an answer that has made the way', async () => {
    const server = serverOf(FRESH)
    gatewayTo(server)
    const ask = await clientOf(version)
    await ask('prompts/list')
    const { result } = await ask('prompts/list', { [REPORT_KEY]: true })
    expect(result).toMatchObject({ prompts: [{ name: 'p' }], _meta: { [REPORT_KEY]: [] } })
    expect(server.asked).toHaveLength(2)
  })

  it('is asked for nothing new where that is turned off', async () => {
    const server = serverOf(FRESH)
    gatewayTo(server, { cache: false })
    const ask = await clientOf(version)
    await ask('prompts/list')
    await ask('prompts/list')
    expect(server.asked).toHaveLength(2)
  })

  it('that is told of news reads them', async () => {
    const server = serverOf(FRESH)
    gatewayTo(server)
    const raw = new RawClient(rig.address, { clock })
    await raw.shakeHands(version)
    await raw.request('resources/subscribe', { uri: 'note://one' })
    await until(() => expect(server.listening.size).toBeGreaterThan(0))
    await raw.request('prompts/list')
    await raw.request('resources/read', { uri: 'note://one' })
    const tell = (method: string, params: Body): void => {
      for (const listening of server.listening) listening.notify(method, params)
    }
    tell('notifications/resources/updated', { uri: 'note://one' })
    await raw.next('notifications/resources/updated')
    await raw.request('resources/read', { uri: 'note://one' })
    tell('notifications/prompts/list_changed', {})
    await flush()
    await clock.advance(10_000)
    await raw.next('notifications/prompts/list_changed')
    await raw.request('prompts/list')
    expect(server.asked.map(({ method }) => method)).toEqual([
      'prompts/list',
      'resources/read',
      'resources/read',
      'prompts/list',
    ])
  })
})

async function toolsFor(version: ProtocolVersion): Promise<Body[]> {
  const { result } = await (await clientOf(version))('tools/list')
  return (result as { tools: Body[] }).tools
}

it('D-42 names and filters are those of the configuration, whichever client asks first', async () => {
  const server = serverOf(FRESH)
  gatewayTo(server, { tools: { allow: undefined, deny: ['two'], rename: { one: 'first' }, pin: 'off' } })
  for (const version of ['2025-11-25', STATELESS, '2025-11-25', STATELESS] as const) {
    expect((await toolsFor(version)).map(({ name }) => name)).toEqual(['first'])
  }
  expect(server.asked).toHaveLength(1)
})

it('D-42, D-47 only clients that may run calls as tasks are told so, in whatever order they ask', async () => {
  const server = serverOf(FRESH, { ...EVERYTHING, extensions: { 'io.modelcontextprotocol/tasks': {} } })
  gatewayTo(server)
  for (const version of ['2025-11-25', STATELESS, '2025-11-25'] as const) {
    const [first] = await toolsFor(version)
    expect(first?.['execution']).toEqual(version === STATELESS ? undefined : { taskSupport: 'optional' })
  }
  expect(server.asked).toHaveLength(1)
})

it.each([
  ['prompts/list', 'notifications/prompts/list_changed', {}],
  ['resources/read', 'notifications/resources/updated', { uri: 'note://one' }],
] as const)('D-42 an answer to %s that news have overtaken is given to nobody else', async (method, news, about) => {
  let answer: (() => void) | undefined
  let isNew = false
  const server = scripted({
    version: STATELESS,
    answer: (inbound) => {
      const result = { ...ANSWERS[inbound.method], ...FRESH, _meta: { 'x/new': isNew } }
      if (isNew || inbound.method !== method) return result
      return new Promise((resolve) => {
        answer = () => resolve(result)
      })
    },
  })
  gatewayTo(server)
  const follower = new RawClient(rig.address, { clock })
  await follower.shakeHands('2025-11-25')
  await follower.request('resources/subscribe', { uri: 'note://one' })
  await until(() => expect(server.listening.size).toBeGreaterThan(0))
  const asking = (await clientOf(STATELESS))(method)
  await until(() => expect(answer).toBeDefined())
  isNew = true
  for (const listening of server.listening) listening.notify(news, about)
  await flush()
  await clock.advance(10_000)
  await follower.next(news)
  answer?.()
  expect((await asking).result).toMatchObject({ _meta: { 'x/new': false } })
  for (const version of [STATELESS, '2025-11-25'] as const) {
    expect((await (await clientOf(version))(method)).result).toMatchObject({ _meta: { 'x/new': true } })
  }
})
