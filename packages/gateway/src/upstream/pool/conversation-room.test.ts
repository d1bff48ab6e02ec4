/**
 * L2, L4: clients that leave without a word, or never answer, do not lock out others; clients at work keep their
 * conversations.
 */
import type { Capabilities } from 'parley-mcp'
import type { Body, Inbound } from 'parley-mcp/engine'
import { type FetchHandler, fetchHandler } from 'parley-mcp/server'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo, collectingLog } from '../../addresses/server/bridge.fixtures.ts'
import {
  envelope,
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from '../../addresses/server/peers.fixtures.ts'
import type { ServerConfig } from '../../config/index.ts'

const MINUTE = 60_000
const MOST = 10
const ASKABLE: Capabilities = { elicitation: { form: {} } }
const QUESTION: Body = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } }
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

let clock: FakeClock
let rig: BridgeRig
let handler: FetchHandler
let server: ScriptedServer
let said: string[]
/** Calls of `slow` that are under way, and how to answer them. */
let finish: (() => void)[]

beforeEach(() => {
  clock = fakeClock()
  said = []
  finish = []
  server = scripted({ version: '2025-06-18', answer })
})
afterEach(async () => {
  for (const go of finish) go()
  await handler.close({ drain: 0 })
  await rig.close()
})

async function answer(inbound: Inbound): Promise<Body> {
  const { name } = inbound.params
  if (name === 'slow') return new Promise((resolve) => finish.push(() => resolve(text('done'))))
  if (name === 'ask')
    return text(JSON.stringify(await inbound.request('elicitation/create', QUESTION, { timeout: '10m' })))
  return text(String(server.sessions.indexOf(inbound.session)))
}

function serve(config: Partial<ServerConfig> = {}): void {
  rig = bridgeTo(server, undefined, { maxSessions: MOST, ...config }, { clock, log: collectingLog(said) })
  handler = fetchHandler(rig.address, { clock, principal: ({ header }) => header('x-user') })
}

interface Told extends RawMessage {
  readonly status: number
}

/** A client over HTTP that opens no stream and never closes its session. */
class Guest {
  #id: string | undefined
  readonly #user: string | undefined

  constructor(user?: string) {
    this.#user = user
  }

  async post(message: object): Promise<Response> {
    const own = { ...(this.#id && { 'mcp-session-id': this.#id }), ...(this.#user && { 'x-user': this.#user }) }
    return handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...HEADERS, ...own },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
    )
  }

  async told(message: object): Promise<Told> {
    const response = await this.post(message)
    const body = await response.text()
    return { status: response.status, ...(body.startsWith('{') ? JSON.parse(body) : {}) }
  }

  async open(capabilities: Capabilities = {}): Promise<this> {
    const params = { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'guest', version: '1' } }
    const response = await this.post({ id: 1, method: 'initialize', params })
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('serverInfo')])
    this.#id = String(response.headers.get('mcp-session-id'))
    await this.post({ method: 'notifications/initialized' })
    return this
  }

  call(name = 'any', id = 2): Promise<Told> {
    return this.told({ id, method: 'tools/call', params: { name, arguments: {} } })
  }
}

describe('clients that shook hands', () => {
  it('and left without DELETE do not lock out the next', async () => {
    serve()
    const gone: Guest[] = []
    for (let count = 0; count < MOST; count++) {
      const guest = await new Guest().open()
      expect((await guest.call()).status).toBe(200)
      gone.push(guest)
      await clock.advance(1000)
    }
    for (let count = 0; count < 5; count++) expect((await (await new Guest().open()).call()).status).toBe(200)
    expect(rig.ways.open).toBe(MOST)
    // The first ones were silent longest: they are told to begin anew.
    expect((await gone[0]?.call())?.status).toBe(404)
    expect((await gone.at(-1)?.call())?.status).toBe(200)
    expect(said).toEqual([
      expect.stringMatching(
        /^rig: it has 10 sessions already \(maxSessions\), so a conversation that was silent for 10 s ends: session 1 has it/,
      ),
    ])
  })

  it('and call again and again keep theirs, however many others come and go', async () => {
    serve()
    const regular = await new Guest().open()
    const { result } = await regular.call()
    for (let count = 0; count < 50; count++) {
      await (await new Guest().open()).call()
      await clock.advance(1000)
      if (count % 5 === 0) expect(await regular.call()).toMatchObject({ status: 200, result: result as Body })
    }
    expect(await regular.call()).toMatchObject({ status: 200, result: result as Body })
  })

  it('and do nothing else make room for each other, and not those that have called', async () => {
    serve()
    const used = await Promise.all(Array.from({ length: MOST - 1 }, () => new Guest().open()))
    const before = await Promise.all(used.map((guest) => guest.call()))
    await clock.advance(5 * MINUTE)
    for (let flood = 0; flood < 50; flood++) await new Guest().open()
    expect(await Promise.all(used.map((guest) => guest.call()))).toMatchObject(
      before.map(({ result }) => ({ status: 200, result })),
    )
  })

  it('and wait for an answer of the server keep theirs: with all at work, the next is refused', async () => {
    serve()
    const calls: Promise<Told>[] = []
    for (let count = 0; count < MOST; count++) calls.push((await new Guest().open()).call('slow'))
    await until(() => expect(finish).toHaveLength(MOST))
    await clock.advance(9000)
    const refused = await new Guest().told({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    expect(refused.error).toMatchObject({
      message: 'Server "rig" has 10 sessions already, and all are in use: try again later, or raise maxSessions',
    })
    for (const go of finish.splice(0)) go()
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
  })

  it('and never answer a question make room after two minutes, and are told so', async () => {
    serve({ maxSessions: 1 })
    const asked = await new Guest().open(ASKABLE)
    const response = await asked.post({ id: 2, method: 'tools/call', params: { name: 'ask', arguments: {} } })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let read = ''
    while (!read.includes('elicitation/create')) read += decoder.decode((await reader.read()).value)
    await clock.advance(MINUTE)
    const early = await new Guest().told({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    expect(early.error?.message).toContain('all are in use')
    await clock.advance(MINUTE)
    expect((await (await new Guest().open()).call()).status).toBe(200)
    for (let part = await reader.read(); !part.done; part = await reader.read()) read += decoder.decode(part.value)
    expect(read).toContain('"error"')
    expect((await asked.call()).status).toBe(404)
  })

  it('of one principal do not push out those of others', async () => {
    serve()
    const quiet = [await new Guest('ann').open(), await new Guest('bea').open()]
    const before = await Promise.all(quiet.map((guest) => guest.call()))
    await clock.advance(5 * MINUTE)
    for (let count = 0; count < 3 * MOST; count++) await (await new Guest('mallory').open()).call()
    expect(await Promise.all(quiet.map((guest) => guest.call()))).toMatchObject(
      before.map(({ result }) => ({ status: 200, result })),
    )
  })
})

describe.each(['principal', 'request', 'handle'] as const)(
  'clients without a session, where one is kept for each %s',
  (session) => {
    it('that never answer a question make room after two minutes, and learn that the call has to be made again', async () => {
      serve({ session, maxSessions: 2 })
      const client = new RawClient(rig.address, { clock, sharedLink: true })
      const ask = (principal: string, params: Body): Promise<RawMessage> => {
        client.principal = principal
        return client.request('tools/call', { ...params, _meta: envelope(ASKABLE) })
      }
      const parked: Body[] = []
      for (const principal of ['ann', 'bea']) {
        const { result } = await ask(principal, { name: 'ask', arguments: {} })
        expect(result).toMatchObject({ resultType: 'input_required' })
        parked.push(result as Body)
      }
      expect((await ask('cam', { name: 'any', arguments: {} })).error?.message).toContain('all are in use')
      await clock.advance(2 * MINUTE)
      expect(textOf(await ask('cam', { name: 'any', arguments: {} }))).toBeDefined()
      await flush()
      const [key] = Object.keys(parked[0]?.['inputRequests'] as Body)
      const back = {
        name: 'ask',
        arguments: {},
        requestState: parked[0]?.['requestState'],
        inputResponses: { [key as string]: { action: 'accept', content: {} } },
      }
      const { result } = await ask('ann', back)
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('has to be made again') }],
      })
    })
  },
)
