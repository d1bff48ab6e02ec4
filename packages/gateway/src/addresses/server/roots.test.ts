/**
 * Servers that ask for roots outside of any call, of clients that can only be asked within one (the roots trick).
 */
import { type Capabilities, versions } from 'parley-mcp'
import type { Body, Session } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../config/index.ts'
import { shown } from './asking.fixtures.ts'
import { type BridgeRig, bridgeTo, type RigOptions } from './bridge.fixtures.ts'
import {
  fromAfar,
  overheard,
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from './peers.fixtures.ts'

const handshakes = versions.filter((version) => version !== '2026-07-28')
const CALL: Body = { name: 'any', arguments: {} }
const ROOTS: Capabilities = { roots: {} }
const CHANGED = 'notifications/roots/list_changed'
const MINE: Body = { roots: [{ uri: 'file:///one' }] }

let clock: FakeClock
let rig: BridgeRig
beforeEach(() => {
  clock = fakeClock()
})
afterEach(() => rig.close())

function clientOf(
  server: ScriptedServer,
  more: Partial<ServerConfig> = {},
  options: RigOptions & { gather?: number } = {},
): RawClient {
  const { gather = 0, ...others } = options
  rig = bridgeTo(server, undefined, more, { clock, wrap: fromAfar(), ...others })
  return new RawClient(rig.address, { clock, sharedLink: true, asking: { gather } })
}

/** Asks for roots when it is spoken to, and again when it hears of others; its tools tell what it has heard by then. */
function curious(version: (typeof handshakes)[number], asksAgain = true): ScriptedServer {
  const heard = new Map<Session, string[]>()
  const ask = (session: Session): void => {
    if (!session.can('roots/list')) return
    const note = (what: unknown): void => void heard.set(session, [...(heard.get(session) ?? []), JSON.stringify(what)])
    session.request('roots/list').then(note, (error) => note(error.receivedCode))
  }
  return scripted({
    version,
    opened: (session) => {
      ask(session)
      if (asksAgain) session.onNotification(CHANGED, () => ask(session))
    },
    answer: ({ session }) => text((heard.get(session) ?? []).join(' ')),
  })
}

/** What a call tells, and whether its client was asked on the way. */
async function called(client: RawClient): Promise<{ asked: string[]; told: string }> {
  const first = await client.ask('tools/call', CALL, ROOTS)
  if (first.result?.['inputRequests'] === undefined) return { asked: [], told: textOf(first) }
  return {
    asked: Object.values(shown(first).requests).map(({ method }) => method),
    told: textOf(await answered(client, first)),
  }
}

function answered(client: RawClient, first: RawMessage): Promise<RawMessage> {
  const { keys, state } = shown(first)
  return client.ask(
    'tools/call',
    { ...CALL, requestState: state, inputResponses: { [keys[0] as string]: MINE } },
    ROOTS,
  )
}

const BOTH = `{"roots":[]} ${JSON.stringify(MINE)}`

describe.each(handshakes)('a server of %s asks for roots as soon as it is spoken to', (version) => {
  it('each call of its own conversation has them', async () => {
    const client = clientOf(curious(version), { session: 'request' })
    for (let i = 0; i < 3; i++) expect(await called(client)).toEqual({ asked: ['roots/list'], told: BOTH })
  })

  it('a conversation that is kept has them from its first call on, and its client is asked once', async () => {
    const client = clientOf(curious(version), { session: 'principal' })
    client.principal = 'ann'
    expect(await called(client)).toEqual({ asked: ['roots/list'], told: BOTH })
    expect(await called(client)).toEqual({ asked: [], told: BOTH })
  })
})

it('a question for roots whose call is over is answered without any, and the next call brings them', async () => {
  const heard: string[] = []
  const ask = (session: Session): Promise<unknown> =>
    session.request('roots/list').then(
      (roots) => heard.push(JSON.stringify(roots)),
      (error) => heard.push(error.message),
    )
  const server = scripted({
    version: '2025-11-25',
    opened: (session) => session.onNotification(CHANGED, () => void ask(session)),
    answer: ({ session }) => {
      if (heard.length === 0) void ask(session)
      return text(heard.join(' '))
    },
  })
  const client = clientOf(server, { session: 'principal' }, { gather: 30 })
  client.principal = 'ann'
  expect(await called(client)).toEqual({ asked: [], told: '' })
  await until(() => expect(heard).toEqual(['{"roots":[]}']))
  const second = client.ask('tools/call', CALL, ROOTS)
  await flush()
  await clock.advance(30)
  expect(textOf(await answered(client, await second))).toBe(BOTH)
})

it('a client that never brings them is asked again with its next call', async () => {
  const client = clientOf(curious('2025-11-25'), { session: 'principal' })
  client.principal = 'ann'
  shown(await client.ask('tools/call', CALL, ROOTS))
  await clock.advance(600_001)
  expect(await called(client)).toEqual({ asked: ['roots/list'], told: BOTH })
})

it('a server that does not ask again is waited for once, and then hardly', async () => {
  const server = curious('2025-11-25', false)
  const client = clientOf(server, { session: 'request' })
  for (const [before, patience] of [1000, 50].entries()) {
    let told: string | undefined
    const call = answered(client, await client.ask('tools/call', CALL, ROOTS)).then((answer) => {
      told = textOf(answer)
    })
    await until(() => expect(server.told.filter(({ method }) => method === CHANGED)).toHaveLength(before + 1))
    await clock.advance(patience - 1)
    expect(told).toBeUndefined()
    await clock.advance(1)
    await call
    expect(told).toBe('{"roots":[]}')
  }
})

it('a server that answers no ping is called all the same', async () => {
  const pings = new Set<unknown>()
  const sent: string[] = []
  const lost = ({ id, result }: RawMessage): boolean => result !== undefined && pings.has(id)
  const notePings = (): void => {
    for (const { id, method } of sent.map((frame) => JSON.parse(frame) as RawMessage))
      if (method === 'ping') pings.add(id)
  }
  const server = scripted({ version: '2025-11-25' })
  const wrap: RigOptions['wrap'] = (link) =>
    overheard(
      [],
      sent,
    )(
      fromAfar((message) => {
        notePings()
        return lost(message)
      })(link),
    )
  const client = clientOf(server, { session: 'request' }, { wrap })
  const call = client.ask('tools/call', CALL, ROOTS)
  await until(() => expect(sent.some((frame) => frame.includes('"ping"'))).toBe(true))
  await clock.advance(1000)
  expect(textOf(await call)).toBe('done')
})

it('nothing is found out for clients without roots', async () => {
  const sent: string[] = []
  const client = clientOf(scripted({ version: '2025-11-25' }), { session: 'request' }, { wrap: overheard([], sent) })
  expect(textOf(await client.ask('tools/call', CALL, { elicitation: { form: {} } }))).toBe('done')
  expect(sent.filter((frame) => frame.includes('"ping"'))).toEqual([])
})

it('a call whose server asks for roots only then has those of its own client, not those of an earlier call', async () => {
  const server = scripted({
    version: '2025-11-25',
    // It wants to know at once, and does not care for changes.
    opened: (session) => void (session.can('roots/list') && session.request('roots/list')),
    answer: async (inbound) =>
      text(inbound.params['name'] === 'look' ? JSON.stringify(await inbound.request('roots/list')) : 'done'),
  })
  const client = clientOf(server, { session: 'principal' })
  client.principal = 'ann'
  const first = answered(client, await client.ask('tools/call', CALL, ROOTS))
  await until(() => expect(server.told.filter(({ method }) => method === CHANGED)).toHaveLength(1))
  await clock.advance(1000)
  expect(textOf(await first)).toBe('done')
  const theirs = { roots: [{ uri: 'file:///two' }] }
  const look = { ...CALL, name: 'look' }
  const { keys, state, requests } = shown(await client.ask('tools/call', look, ROOTS))
  expect(Object.values(requests).map(({ method }) => method)).toEqual(['roots/list'])
  const again = { ...look, requestState: state, inputResponses: { [keys[0] as string]: theirs } }
  expect(textOf(await client.ask('tools/call', again, ROOTS))).toBe(JSON.stringify(theirs))
})
