/** What clients make a server keep has limits in bytes, and is given back (L4). */
import { afterEach, describe, expect, it } from 'vitest'
import type { Body } from '../jsonrpc/index.ts'
import type { MemoryLimits } from '../session/index.ts'
import { fakeClock, flush } from '../testing/clock.ts'
import { RawClient, type RawMessage, rawClient } from './raw-client.fixtures.ts'
import { resource } from './resources/resource.ts'
import { createServer, type Server } from './server.ts'
import { tool } from './tools/tool.ts'

const KIB = 1024
const LIMITS: MemoryLimits = { session: 256 * KIB, principal: 384 * KIB, total: 1024 * KIB }
const REFUSED = {
  code: -32603,
  data: { 'parley/kind': 'refusal_resource_constraints', setting: 'memory.session', limit: 256 * KIB },
}
const NAMES = 'io.modelcontextprotocol/'
const _meta: Body = { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: { elicitation: {} } }
const yes = { type: 'object', properties: { yes: { type: 'boolean' } } } as const
const long = 'x'.repeat(60 * KIB)

function start(limits: MemoryLimits = LIMITS) {
  const clock = fakeClock()
  const finish: (() => void)[] = []
  const server = createServer({ name: 'test', version: '1' }, { clock, memory: limits }).add(
    tool('wait', { input: { type: 'object' } }, (_, { signal }) => {
      return new Promise<string>((resolve) => {
        finish.push(() => resolve('done'))
        signal.addEventListener('abort', () => resolve('given up'))
      })
    }),
    tool(
      'deaf',
      { input: { type: 'object' } },
      () => new Promise<string>((resolve) => finish.push(() => resolve('done'))),
    ),
    tool('ask', { input: { type: 'object' } }, async (_, ctx) => {
      await ctx.elicit('sure', 'Sure?', yes)
      return 'done'
    }),
    tool(
      'later',
      { input: { type: 'object' }, execution: { taskSupport: 'required' } },
      (_, { signal }) =>
        new Promise<string>((resolve) => {
          finish.push(() => resolve(long))
          signal.addEventListener('abort', () => resolve('given up'))
        }),
    ),
    resource('note://{id}', {}, () => 'x'),
  )
  return { clock, server, finish }
}

const kept = (server: Pick<Server, 'health'>): number => server.health().keptBytes
const call = (name: string, more: Body = {}): Body => ({ name, arguments: { long }, ...more })

/** Makes the same request until it is refused, and gives the refusal with how many were taken before. */
async function fill(
  client: RawClient,
  method: string,
  params: (n: number) => Body,
): Promise<{ taken: number; error: RawMessage['error'] }> {
  for (let taken = 0; taken < 100; taken++) {
    const id = client.nextId
    void client.request(method, params(taken))
    await flush()
    const answer = client.received.find((message) => message.id === id && message.method === undefined)
    if (answer?.error !== undefined) return { taken, error: answer.error }
  }
  throw new Error('Nothing was refused')
}

describe.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('L4 what a session of %s keeps', (version) => {
  it('calls that wait, until they are answered', async () => {
    const { server, finish } = start()
    const client = await rawClient(server, { version })
    const idle = kept(server)
    expect(await fill(client, 'tools/call', () => call('wait'))).toMatchObject({ taken: 3, error: REFUSED })
    expect(kept(server)).toBeGreaterThan(180 * KIB)
    // Small ones still find room.
    expect(await client.result('tools/list')).toBeDefined()
    for (const each of finish.splice(0)) each()
    await flush()
    expect(kept(server)).toBe(idle)
    void client.request('tools/call', call('wait'))
    await flush()
    expect(finish).toHaveLength(1)
    await client.close()
    expect(kept(server)).toBe(0)
  })
})

describe('L4 what is kept', () => {
  let server: Pick<Server, 'health' | 'close'> | undefined
  afterEach(async () => {
    await server?.close({ drain: 0 })
    expect(server === undefined ? 0 : kept(server)).toBe(0)
    server = undefined
  })

  it('calls that the client has cancelled, until their handlers have ended or a minute has passed', async () => {
    const rig = start()
    server = rig.server
    const client = await rawClient(rig.server)
    const idle = kept(rig.server)
    for (const name of ['deaf', 'deaf', 'wait']) {
      const id = client.nextId
      void client.request('tools/call', call(name))
      await flush()
      client.notify('notifications/cancelled', { requestId: id })
      await flush()
    }
    expect(kept(rig.server) - idle).toBeGreaterThan(120 * KIB)
    rig.finish[0]?.()
    await flush()
    expect(kept(rig.server) - idle).toBeLessThan(70 * KIB)
    await rig.clock.advance(60_000)
    expect(await fill(client, 'tools/call', () => call('wait'))).toMatchObject({ taken: 3 })
  })

  it('calls that wait for the answer of a user, until the client comes back or its time is over', async () => {
    const rig = start()
    server = rig.server
    const client = new RawClient(rig.server, {})
    const idle = kept(rig.server)
    const ask: Body = { name: 'ask', arguments: { long: 'x'.repeat(10 * KIB) }, _meta }
    const { taken, error } = await fill(client, 'tools/call', () => ask)
    expect(error).toMatchObject(REFUSED)
    expect(taken).toBeGreaterThan(15)
    const full = kept(rig.server)
    // There is a reserve for answers, or no call that waits could end.
    const [first] = client.received
    const inputResponses = { sure: { action: 'accept', content: { yes: true } } }
    const again = { ...ask, inputResponses, requestState: first?.result?.['requestState'] }
    expect(await client.result('tools/call', again)).toMatchObject({ content: [{ text: 'done' }] })
    expect(full - kept(rig.server)).toBeGreaterThan(8 * KIB)
    await rig.clock.advance(600_000)
    expect(kept(rig.server)).toBe(idle)
  })

  it('subscriptions, until they end', async () => {
    const rig = start()
    server = rig.server
    const client = await rawClient(rig.server)
    const idle = kept(rig.server)
    const uri = (n: number): string => `note://${n}${'x'.repeat(4 * KIB)}`
    const { taken, error } = await fill(client, 'resources/subscribe', (n) => ({ uri: uri(n) }))
    expect(error).toMatchObject(REFUSED)
    expect(taken).toBeGreaterThan(40)
    // Again is not twice.
    await client.result('resources/subscribe', { uri: uri(0) })
    for (let n = 0; n < taken; n++) await client.result('resources/unsubscribe', { uri: uri(n) })
    expect(kept(rig.server)).toBe(idle)
    await client.result('resources/subscribe', { uri: uri(0) })
  })

  it('listeners, until they hang up', async () => {
    const rig = start()
    server = rig.server
    const client = new RawClient(rig.server, {})
    const idle = kept(rig.server)
    const uris = (n: number): string[] => Array.from({ length: 50 }, (_, at) => `note://${n}-${at}-${'x'.repeat(100)}`)
    const { taken, error } = await fill(client, 'subscriptions/listen', (n) => ({
      _meta,
      notifications: { resourceSubscriptions: uris(n) },
    }))
    expect(error).toMatchObject(REFUSED)
    expect(taken).toBeGreaterThan(2)
    for (let id = 1; id <= taken; id++) client.notify('notifications/cancelled', { requestId: id })
    await flush()
    expect(kept(rig.server)).toBe(idle)
  })

  it('tasks and their results, until their time is over', async () => {
    const rig = start()
    server = rig.server
    const client = await rawClient(rig.server)
    const idle = kept(rig.server)
    const begin = (): Body => call('later', { task: { ttl: 60_000 } })
    expect(await fill(client, 'tools/call', begin)).toMatchObject({ taken: 2, error: REFUSED })
    const { tasks } = (await client.result('tasks/list')) as { tasks: { taskId: string }[] }
    for (const each of rig.finish.splice(0)) each()
    await flush()
    const statuses = await Promise.all(tasks.map(({ taskId }) => client.result('tasks/get', { taskId })))
    // There was room for one result; the others have failed with that.
    expect(statuses.map(({ status }) => status)).toContain('failed')
    await rig.clock.advance(60_001)
    await flush()
    expect(kept(rig.server)).toBe(idle)
  })

  it('what comes while the server is paused', async () => {
    const rig = start()
    server = rig.server
    const client = await rawClient(rig.server)
    const idle = kept(rig.server)
    rig.server.pause()
    expect(await fill(client, 'tools/call', () => call('wait'))).toMatchObject({ taken: 3, error: REFUSED })
    client.notify('notifications/cancelled', { requestId: 2 })
    for (let n = 0; n < 50; n++) client.notify('notifications/roots/list_changed', { _meta: { long } })
    await flush()
    expect(client.session.stats().droppedNotifications).toBeGreaterThan(40)
    rig.server.resume()
    for (const each of rig.finish.splice(0)) each()
    await flush()
    expect(kept(rig.server)).toBe(idle)
  })

  it('all sessions of a principal, and all sessions together', async () => {
    const rig = start()
    server = rig.server
    const open = (principal?: string): Promise<RawClient> =>
      rawClient(rig.server, principal === undefined ? {} : { accept: { principal } })
    const refusals: unknown[] = []
    for (const principal of ['ann', 'ann', 'bea', 'bea', undefined, undefined]) {
      const { error } = await fill(await open(principal), 'tools/call', () => call('wait'))
      refusals.push(error?.data?.['setting'])
    }
    const [session, principal, total] = ['memory.session', 'memory.principal', 'memory.total']
    expect(refusals).toEqual([session, principal, session, principal, session, total])
    expect(kept(rig.server)).toBeLessThan(1024 * KIB)
  })
})
