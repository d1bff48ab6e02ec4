/** Questions over HTTP that do not name their request. */
import type { Capabilities } from 'parley-mcp'
import type { Body, Inbound } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../config/index.ts'
import { type GatewayLog, silentLog } from '../../log/index.ts'
import { type BridgeRig, bridgeTo, type RigOptions } from './bridge.fixtures.ts'
import {
  onStreams,
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from './peers.fixtures.ts'

const ASKABLE: Capabilities = { elicitation: { form: {} } }
const FORM = { type: 'object', properties: { name: { type: 'string' } } }
const ELICIT = 'elicitation/create'

let clock: FakeClock
let rig: BridgeRig
let warnings: string[]
beforeEach(() => {
  clock = fakeClock()
  warnings = []
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

const log: GatewayLog = { ...silentLog, warning: (message) => void warnings.push(message) }
const elicitation = (message: string, more: Body = {}): Body => ({ message, requestedSchema: FORM, ...more })

/** Asks with the name it was called by, in its session and not on the call. */
function asking(): ScriptedServer {
  return scripted({
    version: '2025-06-18',
    answer: async ({ params, session }: Inbound) => {
      const { action } = await session.request(ELICIT, elicitation(String(params['name'])), { timeout: '1h' })
      return text(`${String(params['name'])} ${String(action)}`)
    },
  })
}

function clientOf(
  server: ScriptedServer,
  more: Partial<ServerConfig> = {},
  options: RigOptions = { transport: 'http' },
): RawClient {
  rig = bridgeTo(server, undefined, more, { clock, log, ...options })
  return new RawClient(rig.address, { clock, sharedLink: true })
}

const call = (client: RawClient, name: string, more: Body = {}): Promise<RawMessage> =>
  client.ask('tools/call', { name, arguments: {}, ...more }, ASKABLE)

function questionIn({ result }: RawMessage): { key: string; message: unknown; state: unknown } {
  const [[key, question] = []] = Object.entries((result?.['inputRequests'] ?? {}) as Record<string, { params: Body }>)
  return { key: key ?? '', message: question?.params['message'], state: result?.['requestState'] }
}

const accept = (client: RawClient, name: string, asked: RawMessage): Promise<RawMessage> => {
  const { key, state } = questionIn(asked)
  return call(client, name, {
    requestState: state,
    inputResponses: { [key]: { action: 'accept', content: { name: 'x' } } },
  })
}

describe('a server that asks in its session', () => {
  it('asks a second call while the first waits for the same user, and from then on one after the other', async () => {
    const server = asking()
    const client = clientOf(server)
    client.principal = 'ann'
    const one = await call(client, 'one')
    expect(questionIn(one).message).toBe('one')
    const two = await call(client, 'two')
    expect(questionIn(two).message).toBe('two')
    expect([textOf(await accept(client, 'two', two)), textOf(await accept(client, 'one', one))]).toEqual([
      'two accept',
      'one accept',
    ])
    const three = await call(client, 'three')
    const four = call(client, 'four')
    await flush()
    expect(server.asked).toHaveLength(3)
    expect(textOf(await accept(client, 'three', three))).toBe('three accept')
    expect(textOf(await accept(client, 'four', await four))).toBe('four accept')
  })

  it('does not ask another client: what all share is not shared any more', async () => {
    const server = asking()
    const client = clientOf(server, { session: 'shared' })
    // It may be about a finished call of another client.
    expect(textOf(await call(client, 'one'))).toBe('one cancel')
    const [before] = server.sessions.slice(-1)
    expect(warnings).toEqual([])
    const two = await call(client, 'two')
    expect(server.asked.at(-1)?.session).not.toBe(before)
    expect(textOf(await accept(client, 'two', two))).toBe('two accept')
    expect(warnings).toEqual([expect.stringMatching(/^rig: "session": "shared" is not followed/)])
  })

  it('does not ask the client whose call is the only one left about that of another', async () => {
    let release = (): void => {}
    const server = scripted({
      version: '2025-06-18',
      answer: async ({ params }: Inbound) => {
        if (params['name'] === 'of bea') await new Promise<void>((resolve) => (release = resolve))
        return text(String(params['name']))
      },
    })
    clientOf(server, { session: 'shared' })
    const [ann, bea] = [new RawClient(rig.address, { clock }), new RawClient(rig.address, { clock })]
    for (const client of [ann, bea]) await client.shakeHands('2025-06-18', ASKABLE)
    const running = bea.request('tools/call', { name: 'of bea', arguments: {} })
    expect(textOf(await ann.request('tools/call', { name: 'of ann', arguments: {} }))).toBe('of ann')
    const [one, other] = server.asked.map(({ session }) => session)
    expect(one).toBe(other)
    expect(await one?.request(ELICIT, elicitation('for ann'))).toEqual({ action: 'cancel' })
    expect(bea.of(ELICIT)).toEqual([])
    release()
    expect(textOf(await running)).toBe('of bea')
  })

  it('is believed where the question comes with the answer to a call', async () => {
    const server = asking()
    const client = clientOf(server, { session: 'shared' }, { transport: 'http', wrap: onStreams })
    const [one, two] = [await call(client, 'one'), await call(client, 'two')]
    expect([one, two].map((asked) => questionIn(asked).message)).toEqual(['one', 'two'])
    expect([textOf(await accept(client, 'one', one)), textOf(await accept(client, 'two', two))]).toEqual([
      'one accept',
      'two accept',
    ])
    expect(new Set(server.asked.map(({ session }) => session)).size).toBe(1)
    expect(warnings).toEqual([])
  })
})

describe('"session": "shared" that cannot be followed', () => {
  it('is said once, with the reason and the way out, for clients of both eras', async () => {
    const client = clientOf(scripted({ version: '2025-06-18' }), { session: 'shared' }, {})
    expect(textOf(await client.ask('tools/call', { name: 'any' }))).toBe('done')
    expect(warnings).toEqual([])
    for (let time = 0; time < 2; time++) expect(textOf(await call(client, 'any'))).toBe('done')
    expect(warnings).toEqual([
      expect.stringMatching(/^rig: .*does not say to which call.*"session": "principal" and "principalHeader"/),
    ])
    await new RawClient(rig.address, { clock }).shakeHands('2025-06-18', ASKABLE)
    expect(warnings).toHaveLength(1)
  })

  it('is said to be so for clients that shook hands', async () => {
    clientOf(scripted({ version: '2025-06-18' }), { session: 'shared' }, {})
    await new RawClient(rig.address, { clock }).shakeHands('2025-06-18')
    expect(warnings).toEqual([])
    await new RawClient(rig.address, { clock }).shakeHands('2025-06-18', ASKABLE)
    expect(warnings).toHaveLength(1)
  })

  it('is not said where nobody asked for it', async () => {
    const client = clientOf(scripted({ version: '2025-06-18' }), {}, {})
    expect(textOf(await call(client, 'any'))).toBe('done')
    await new RawClient(rig.address, { clock }).shakeHands('2025-06-18', ASKABLE)
    expect(warnings).toEqual([])
  })
})

describe('X1 a question goes on as it came', () => {
  it.each([
    ['without a token when the server wants no progress', {}, undefined],
    ['with one when it does', { _meta: { progressToken: 'p' } }, expect.any(Number)],
  ])('%s', async (_, more, token) => {
    const server = scripted({
      version: '2025-06-18',
      answer: async (inbound) => text(String((await inbound.request(ELICIT, elicitation('who', more)))['action'])),
    })
    rig = bridgeTo(server, undefined, {}, { clock, transport: 'http' })
    const client = new RawClient(rig.address, { clock })
    await client.shakeHands('2025-11-25', ASKABLE)
    const called = client.request('tools/call', { name: 'any', arguments: {} })
    const { id, params } = await client.next(ELICIT)
    expect((params?.['_meta'] as Body | undefined)?.['progressToken']).toEqual(token)
    client.send({ id, result: { action: 'decline' } })
    expect(textOf(await called)).toBe('decline')
  })
})

describe('notifications of resources', () => {
  it.each([
    ['that nobody follows are counted', 'a:other', 1],
    ['that somebody follows are not', 'a:one', 0],
    ['below what somebody follows are not', 'a:one/part', 0],
  ])('%s', async (_, uri, count) => {
    const ignored: string[] = []
    const server = scripted({ version: '2025-06-18' })
    rig = bridgeTo(
      server,
      undefined,
      {},
      { clock, onEvent: (event) => void (event.type === 'ignored' && ignored.push(event.detail)) },
    )
    const client = new RawClient(rig.address, { clock })
    await client.shakeHands('2025-06-18')
    await client.request('resources/subscribe', { uri: 'a:one' })
    server.sessions.at(-1)?.notify('notifications/resources/updated', { uri })
    await flush()
    expect(ignored).toEqual(Array.from({ length: count }, () => 'notifications/resources/updated'))
    await until(() => expect(client.of('notifications/resources/updated')).toHaveLength(1 - count))
  })
})
