/** Which conversation with a server of the handshake era a request without a session gets. */
import { type Capabilities, versions } from 'parley-mcp'
import type { Body, Inbound, Link } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo, type RigOptions } from '../../addresses/server/bridge.fixtures.ts'
import {
  onStreams,
  RawClient,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from '../../addresses/server/peers.fixtures.ts'
import type { ServerConfig } from '../../config/index.ts'
import { HANDLE_KEY } from '../index.ts'

const ASKABLE: Capabilities = { elicitation: { form: {} } }
const CALL: Body = { name: 'any', arguments: {} }
const MINUTE = 60_000

let clock: FakeClock
let rig: BridgeRig
beforeEach(() => {
  clock = fakeClock()
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

/** A server that tells in which of its sessions it was called. */
function numbered(version: (typeof versions)[number] = '2025-06-18'): ScriptedServer {
  const server: ScriptedServer = scripted({
    version,
    answer: ({ session }) => text(String(server.sessions.indexOf(session))),
  })
  return server
}

/** A server that asks for roots, however long that takes. */
const patient = (): ScriptedServer =>
  scripted({
    version: '2025-06-18',
    answer: async (inbound) =>
      text(JSON.stringify(await inbound.request('roots/list', {}, { timeout: '2h', maxTimeout: '2h' }))),
  })

/** Clients without sessions that share one way in. */
function clientOf(server: ScriptedServer, more: Partial<ServerConfig> = {}, options: RigOptions = {}): RawClient {
  rig = bridgeTo(server, undefined, more, { clock, ...options })
  return new RawClient(rig.address, { clock, sharedLink: true })
}

async function sessionOf(client: RawClient, capabilities: Capabilities = {}, meta: Body = {}): Promise<string> {
  return textOf(await client.ask('tools/call', { ...CALL, _meta: meta }, capabilities))
}

/** A server elsewhere that gives no session id. */
const sessionless = (link: Link): Link => ({
  transport: 'http',
  remembered: false,
  open: (events) => link.open(events),
  send: (frame) => link.send(frame),
  close: () => link.close(),
})

describe.each(versions.filter((version) => version !== '2026-07-28'))('with a server of %s', (version) => {
  it('an anonymous client gets a session for each request, which was opened before', async () => {
    const client = clientOf(numbered(version))
    const seen = [await sessionOf(client), await sessionOf(client), await sessionOf(client)]
    expect(new Set(seen).size).toBe(3)
    await flush()
    // The gateway's own, and one that waits for the next.
    expect(rig.ways.open).toBe(2)
    const { opened } = rig.ways
    expect(opened).toBe(5)
    await clock.advance(MINUTE)
    expect(rig.ways.open).toBe(1)
    expect(rig.ways.opened).toBe(opened)
  })

  it('a known client keeps its session, and no other client gets it', async () => {
    const client = clientOf(numbered(version))
    client.principal = 'ann'
    const ann = await sessionOf(client)
    client.principal = 'bea'
    const bea = await sessionOf(client)
    expect(bea).not.toBe(ann)
    client.principal = 'ann'
    expect(await sessionOf(client)).toBe(ann)
    client.principal = undefined
    expect([ann, bea]).not.toContain(await sessionOf(client))
  })
})

it('a session is only used for requests that can be asked exactly what it was begun with', async () => {
  const server = numbered()
  const client = clientOf(server)
  client.principal = 'ann'
  const plain = await sessionOf(client)
  const askable = await sessionOf(client, ASKABLE)
  const more = await sessionOf(client, { ...ASKABLE, sampling: {} })
  expect(new Set([plain, askable, more]).size).toBe(3)
  expect(await sessionOf(client, { elicitation: {} })).toBe(askable)
  const names = ['elicitation', 'roots', 'sampling']
  const declared = server.sessions.map(({ peer }) =>
    names.filter((name) => Object.hasOwn(peer?.capabilities ?? {}, name)),
  )
  expect(declared).toEqual([[], [], ['elicitation'], ['elicitation', 'sampling']])
})

describe('policy principal', () => {
  it('two names are two, whatever is in them and whatever they can be asked', async () => {
    const client = clientOf(numbered())
    client.principal = 'bob'
    const bob = await sessionOf(client, { ...ASKABLE, sampling: {} })
    client.principal = 'bob elicitation(form)'
    expect(await sessionOf(client, { sampling: {} })).not.toBe(bob)
  })

  it('anonymous clients do not share a session', async () => {
    const client = clientOf(numbered(), { session: 'principal' })
    const anonymous = [await sessionOf(client), await sessionOf(client)]
    client.principal = ''
    const empty = await sessionOf(client)
    expect(new Set([...anonymous, empty]).size).toBe(3)
    expect(await sessionOf(client)).toBe(empty)
  })
})

describe('policy shared', () => {
  it('is the default for remote servers without a session id, for all clients', async () => {
    const client = clientOf(numbered(), {}, { wrap: sessionless })
    const first = await sessionOf(client)
    expect(await sessionOf(client)).toBe(first)
  })

  it('is not for known clients unless the operator says so', async () => {
    const client = clientOf(numbered(), {}, { wrap: sessionless })
    client.principal = 'ann'
    const ann = await sessionOf(client)
    client.principal = 'bea'
    expect(await sessionOf(client)).not.toBe(ann)
  })

  it('applies as configured, except for clients that can be asked where a question names no call', async () => {
    const client = clientOf(numbered(), { session: 'shared' })
    client.principal = 'ann'
    const common = await sessionOf(client)
    const own = await sessionOf(client, ASKABLE)
    client.principal = 'bea'
    expect(await sessionOf(client)).toBe(common)
    const other = await sessionOf(client, ASKABLE)
    client.principal = undefined
    const [once, twice] = [await sessionOf(client, ASKABLE), await sessionOf(client, ASKABLE)]
    expect(new Set([common, own, other, once, twice]).size).toBe(5)
  })

  it('shows no client the roots of another', async () => {
    const heard: unknown[] = []
    const server = scripted({
      version: '2025-06-18',
      answer: async (inbound) => {
        heard.push(await inbound.request('roots/list'))
        return text('done')
      },
    })
    const client = clientOf(server, { session: 'shared' }, { wrap: (link) => sessionless(onStreams(link)) })
    for (const name of ['ann', 'bea']) {
      client.principal = name
      const { result } = await client.ask('tools/call', CALL, { roots: {} })
      const [key] = Object.keys(result?.['inputRequests'] as Body)
      const answered = {
        ...CALL,
        requestState: result?.['requestState'],
        inputResponses: { [key as string]: { roots: [{ uri: `file:///${name}` }] } },
      }
      expect(textOf(await client.ask('tools/call', answered, { roots: {} }))).toBe('done')
    }
    expect(heard).toEqual([{ roots: [{ uri: 'file:///ann' }] }, { roots: [{ uri: 'file:///bea' }] }])
  })
})

describe('policy request', () => {
  it('never uses a session twice, not even for calls at once', async () => {
    const client = clientOf(numbered(), { session: 'request' })
    client.principal = 'ann'
    const seen = await Promise.all(Array.from({ length: 8 }, () => sessionOf(client)))
    expect(new Set(seen).size).toBe(8)
    await flush()
    expect(rig.ways.open).toBe(2)
  })

  it('keeps the session of a call that waits for its client, and ends it with the call', async () => {
    const client = clientOf(patient(), { session: 'request' })
    const { result } = await client.ask('tools/call', CALL, { roots: {} })
    await clock.advance(5 * MINUTE)
    // The gateway's own and that of the call; what waited for the next is past.
    expect(rig.ways.open).toBe(2)
    const [key] = Object.keys(result?.['inputRequests'] as Body)
    const answered = {
      ...CALL,
      requestState: result?.['requestState'],
      inputResponses: { [key as string]: { roots: [] } },
    }
    expect(textOf(await client.ask('tools/call', answered, { roots: {} }))).toBe('{"roots":[]}')
    await flush()
    expect(rig.ways.open).toBe(1)
  })

  it('ends the session of a call whose client never comes back', async () => {
    const client = clientOf(patient(), { session: 'request' })
    await client.ask('tools/call', CALL, { roots: {} })
    await clock.advance(10 * MINUTE + 1)
    expect(rig.ways.open).toBe(1)
  })

  it('lists with the conversation of the gateway itself: what there is does not depend on who asks (D-53)', async () => {
    const server = scripted({ version: '2025-06-18', answer: () => ({ tools: [] }) })
    const client = clientOf(server, { session: 'request' })
    for (let count = 0; count < 3; count++) await client.ask('tools/list')
    expect(rig.ways.opened).toBe(1)
  })
})

describe('policy handle', () => {
  const handleOf = async (client: RawClient, meta: Body = {}): Promise<string> => {
    const { result } = await client.ask('tools/call', { ...CALL, _meta: meta })
    return (result as { _meta: Record<string, string> })._meta[HANDLE_KEY] as string
  }

  it('gives each result a handle, by which the next request gets the same session', async () => {
    const client = clientOf(numbered(), { session: 'handle' })
    const [one, two] = [await handleOf(client), await handleOf(client)]
    expect(one).not.toBe(two)
    const session = await sessionOf(client, {}, { [HANDLE_KEY]: one })
    expect(await sessionOf(client, {}, { [HANDLE_KEY]: one })).toBe(session)
    expect(await sessionOf(client, {}, { [HANDLE_KEY]: two })).not.toBe(session)
    expect(await handleOf(client, { [HANDLE_KEY]: one })).toBe(one)
  })

  it('also beside a report of what was lost', async () => {
    const client = clientOf(numbered(), { session: 'handle' })
    const { result } = await client.ask('tools/call', { ...CALL, _meta: { 'dev.parley/translation': true } })
    expect(result?.['_meta']).toMatchObject({ [HANDLE_KEY]: expect.any(String), 'dev.parley/translation': [] })
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text' }] })
  })

  it('begins one under a handle that the client chose and cannot be guessed, and keeps it', async () => {
    const client = clientOf(numbered(), { session: 'handle' })
    const [own, other] = ['a'.repeat(64), 'b'.repeat(64)]
    const session = await sessionOf(client, {}, { [HANDLE_KEY]: own })
    expect(await sessionOf(client, {}, { [HANDLE_KEY]: other })).not.toBe(session)
    expect(await sessionOf(client, {}, { [HANDLE_KEY]: own })).toBe(session)
    client.principal = 'ann'
    expect(await sessionOf(client, {}, { [HANDLE_KEY]: own })).not.toBe(session)
  })

  it("Parley's own client keeps its conversation by itself, where the gateway does not know the user", async () => {
    for (const config of [{}, { session: 'handle' }] as const) {
      const server = numbered()
      rig = bridgeTo(server, undefined, config, { clock })
      const [one, two] = [await rig.connect({ version: '2026-07-28' }), await rig.connect({ version: '2026-07-28' })]
      const inSession = async (client: typeof one): Promise<string> => (await client.call('any')).text
      const [first, second] = await Promise.all([inSession(one), inSession(two)])
      expect(first).not.toBe(second)
      expect([await inSession(one), await inSession(two)]).toEqual([first, second])
      expect(JSON.stringify(server.asked)).not.toContain(HANDLE_KEY)
      for (const client of [one, two]) await client.close()
      await rig.close()
    }
  })

  it.each<[string, unknown, RegExp]>([
    ['that was never given', 'none', /names no conversation/],
    ['that is no text', 7, /must be a string/],
  ])('refuses one %s', async (_, handle, message) => {
    const client = clientOf(numbered(), { session: 'handle' })
    const { error } = await client.ask('tools/call', { ...CALL, _meta: { [HANDLE_KEY]: handle } })
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
  })

  it('ends sessions whose handle nobody brings back sooner than those whose client knows what it is for', async () => {
    const client = clientOf(numbered(), { session: 'handle' })
    const handles = [await handleOf(client), await handleOf(client), await handleOf(client)]
    const session = await sessionOf(client, {}, { [HANDLE_KEY]: handles[0] })
    await clock.advance(2 * MINUTE)
    expect(rig.ways.open).toBe(2)
    await clock.advance(6 * MINUTE)
    expect(await sessionOf(client, {}, { [HANDLE_KEY]: handles[0] })).toBe(session)
  })

  it('refuses one of somebody else who has a part of it in the name', async () => {
    const client = clientOf(numbered(), { session: 'handle' })
    client.principal = 'ann of'
    const handle = await handleOf(client)
    client.principal = 'ann'
    expect((await client.ask('tools/call', { ...CALL, _meta: { [HANDLE_KEY]: `of ${handle}` } })).error).toMatchObject({
      code: -32602,
    })
  })

  it('refuses one of somebody else', async () => {
    const client = clientOf(numbered(), { session: 'handle' })
    client.principal = 'ann'
    const handle = await handleOf(client)
    client.principal = 'bea'
    expect((await client.ask('tools/call', { ...CALL, _meta: { [HANDLE_KEY]: handle } })).error).toMatchObject({
      code: -32602,
    })
  })
})

describe('unused sessions', () => {
  it('end after 10 minutes', async () => {
    const client = clientOf(numbered())
    client.principal = 'ann'
    const first = await sessionOf(client)
    await clock.advance(6 * MINUTE)
    expect(await sessionOf(client)).toBe(first)
    await clock.advance(9 * MINUTE)
    expect(rig.ways.open).toBe(2)
    await clock.advance(6 * MINUTE)
    expect(rig.ways.open).toBe(1)
    expect(await sessionOf(client)).not.toBe(first)
  })

  it('do not end while a call uses them', async () => {
    let finish: () => void = () => {}
    const server = scripted({
      version: '2025-06-18',
      answer: (inbound: Inbound) =>
        new Promise((resolve) => {
          finish = () => {
            resolve(text(String(server.sessions.indexOf(inbound.session))))
          }
        }),
    })
    const client = clientOf(server, { timeout: 3_600_000 })
    client.principal = 'ann'
    const called = client.ask('tools/call', CALL)
    await until(() => expect(server.asked).toHaveLength(1))
    await clock.advance(30 * MINUTE)
    expect(rig.ways.open).toBe(2)
    finish()
    expect(textOf(await called)).toBe('1')
  })

  it('do not end while somebody listens there', async () => {
    const client = clientOf(numbered())
    client.principal = 'ann'
    const id = client.nextId
    void client.ask('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await client.next('notifications/subscriptions/acknowledged')
    await clock.advance(30 * MINUTE)
    expect(rig.ways.open).toBe(2)
    expect(client.session.inFlight().map(({ method }) => method)).toEqual(['subscriptions/listen'])
    expect(id).toBe(1)
  })
})

it('L2 a server that is stopped when nobody needs it is not stopped in the middle of a call', async () => {
  for (const version of ['2025-06-18', '2026-07-28'] as const) {
    let finish: () => void = () => {}
    const server = scripted({
      version,
      answer: () =>
        new Promise((resolve) => {
          finish = () => resolve(text('done'))
        }),
    })
    const client = clientOf(server, { idleStop: MINUTE, timeout: 3_600_000 })
    const called = client.ask('tools/call', CALL)
    await until(() => expect(server.asked).toHaveLength(1))
    await clock.advance(10 * MINUTE)
    finish()
    expect(textOf(await called)).toBe('done')
    await clock.advance(2 * MINUTE)
    expect(rig.ways.open).toBe(0)
    await rig.close()
  }
})
