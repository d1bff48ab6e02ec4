/** L4: the number of sessions with a server is limited. Kept sessions end to make room for new clients. */
import type { Capabilities } from 'parley-mcp'
import type { Body, Inbound } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import {
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from '../../addresses/server/peers.fixtures.ts'
import type { ServerConfig } from '../../config/index.ts'
import { HANDLE_KEY } from '../index.ts'

const CALL: Body = { name: 'any', arguments: {} }
const ASKABLE: Capabilities = { elicitation: { form: {} } }
const FULL = {
  code: -32603,
  message: 'Server "rig" has 3 sessions already, and all are in use: try again later, or raise maxSessions',
}
/** The gateway has one of its own, which is not counted. */
const OWN = 1

let clock: FakeClock
let rig: BridgeRig
beforeEach(() => {
  clock = fakeClock()
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

/** Tells in which of its sessions it was called. */
function numbered(): ScriptedServer {
  const server: ScriptedServer = scripted({
    version: '2025-06-18',
    answer: ({ session }) => text(String(server.sessions.indexOf(session))),
  })
  return server
}

/** Answers when it is let go. */
function slow(): ScriptedServer & { finish(): void } {
  const waiting: (() => void)[] = []
  const server = scripted({
    version: '2025-06-18',
    answer: (_: Inbound) => new Promise((resolve) => waiting.push(() => resolve(text('done')))),
  })
  return Object.assign(server, {
    finish: () => {
      for (const go of waiting.splice(0)) go()
    },
  })
}

function clientOf(server: ScriptedServer, more: Partial<ServerConfig> = {}): RawClient {
  rig = bridgeTo(server, undefined, { maxSessions: 3, ...more }, { clock })
  return new RawClient(rig.address, { clock, sharedLink: true })
}

function callAs(
  client: RawClient,
  principal: string | undefined,
  meta: Body = {},
  capabilities: Capabilities = {},
): Promise<RawMessage> {
  client.principal = principal
  return client.ask('tools/call', { ...CALL, _meta: meta }, capabilities)
}

describe('sessions that are kept', () => {
  it('of more principals than there is room for: the one unused longest ends, and all clients get their answer', async () => {
    const client = clientOf(numbered())
    const first = new Map<string, string>()
    for (const name of ['ann', 'bea', 'cid', 'dan']) {
      first.set(name, textOf(await callAs(client, name)))
      await clock.advance(1000)
    }
    expect(new Set(first.values()).size).toBe(4)
    await flush()
    expect(rig.ways.open).toBe(3 + OWN)
    expect(rig.ways.opened).toBe(4 + OWN)
    // The latest clients still have theirs. The first one begins a new session.
    for (const name of ['bea', 'cid', 'dan']) expect(textOf(await callAs(client, name))).toBe(first.get(name))
    expect(textOf(await callAs(client, 'ann'))).not.toBe(first.get('ann'))
    await flush()
    expect(rig.ways.open).toBe(3 + OWN)
    expect(rig.ways.opened).toBe(5 + OWN)
  })

  it('by handle: any number of requests without one is served, and a handle whose session ended is refused', async () => {
    const client = clientOf(numbered(), { session: 'handle' })
    const handles: string[] = []
    for (let count = 0; count < 10; count++) {
      const { result } = await callAs(client, undefined)
      handles.push((result as { _meta: Record<string, string> })._meta[HANDLE_KEY] as string)
      await clock.advance(1000)
    }
    await flush()
    expect(rig.ways.open).toBe(3 + OWN)
    expect((await callAs(client, undefined, { [HANDLE_KEY]: handles[0] })).error).toMatchObject({ code: -32602 })
    expect((await callAs(client, undefined, { [HANDLE_KEY]: handles.at(-1) })).error).toBeUndefined()
  })

  it('do not end while they are in use: the next one is refused, clearly and at once', async () => {
    const server = slow()
    const client = clientOf(server)
    const calls: Promise<RawMessage>[] = []
    for (const name of ['ann', 'bea', 'cid']) {
      calls.push(callAs(client, name))
      await until(() => expect(server.asked).toHaveLength(calls.length))
    }
    expect((await callAs(client, 'dan')).error).toMatchObject(FULL)
    expect(rig.ways.opened).toBe(3 + OWN)
    server.finish()
    expect((await Promise.all(calls)).map(textOf)).toEqual(['done', 'done', 'done'])
    const late = callAs(client, 'dan')
    await until(() => expect(server.asked).toHaveLength(4))
    server.finish()
    expect(textOf(await late)).toBe('done')
  })

  it('with a server that ends each as soon as it has begun are an error, not a loop', async () => {
    const server = scripted({
      version: '2025-06-18',
      opened: (session) => server.sessions.length > OWN && void session.close(),
    })
    const client = clientOf(server)
    let answer: RawMessage | undefined
    void callAs(client, 'ann').then((message) => {
      answer = message
    })
    await until(async () => {
      await clock.advance(1000)
      expect(answer?.error).toBeDefined()
    })
    expect(rig.ways.opened).toBeLessThan(20)
  })
})

describe('sessions for one request', () => {
  it('never are more, and what was opened ahead takes no place from those who need it', async () => {
    const server = slow()
    const client = clientOf(server, { session: 'request' })
    const calls = Array.from({ length: 5 }, () => callAs(client, undefined))
    await until(() => expect(server.asked).toHaveLength(3))
    expect(rig.ways.open).toBe(3 + OWN)
    server.finish()
    const answers = await Promise.all(calls)
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(3)
    expect(answers.flatMap(({ error }) => error ?? [])).toMatchObject([FULL, FULL])
  })

  it('that wait for the next give way to a client of another kind', async () => {
    const server = numbered()
    const client = clientOf(server, { session: 'request', maxSessions: 2 })
    await callAs(client, undefined)
    await flush()
    // One waits. The other slot is for a client that can be asked, which then finds the first one taken as well.
    expect(textOf(await callAs(client, undefined, {}, ASKABLE))).toBeDefined()
    expect(textOf(await callAs(client, undefined, {}, { sampling: {} }))).toBeDefined()
    await flush()
    expect(rig.ways.open).toBeLessThanOrEqual(2 + OWN)
  })
})

describe('sessions of clients that shook hands', () => {
  const arrive = async (): Promise<RawMessage> =>
    new RawClient(rig.address, { clock }).request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    })

  it('are so many and no more, whether or not their clients ever say another word', async () => {
    rig = bridgeTo(numbered(), undefined, { maxSessions: 3 }, { clock })
    const answers = await Promise.all(Array.from({ length: 8 }, arrive))
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(3)
    for (const { error } of answers) if (error !== undefined) expect(error).toMatchObject(FULL)
    expect(rig.ways.opened).toBe(3)
  })

  it('take the place of what is only kept, and leave their own to the next', async () => {
    const client = clientOf(numbered(), { maxSessions: 1 })
    await callAs(client, 'ann')
    const own = new RawClient(rig.address, { clock })
    await own.shakeHands('2025-06-18')
    expect(textOf(await own.request('tools/call', CALL))).toBe('2')
    expect((await callAs(client, 'ann')).error).toMatchObject({ message: expect.stringContaining('raise maxSessions') })
    own.close()
    await until(async () => expect(textOf(await callAs(client, 'ann'))).toBe('3'))
  })

  it('are not counted when they could not be opened', async () => {
    const server = numbered()
    let refuses = true
    const moody: ScriptedServer = {
      ...server,
      accept: (link, options) => {
        const session = server.accept(link, options)
        if (refuses) void session.close()
        return session
      },
    }
    rig = bridgeTo(moody, undefined, { maxSessions: 1 }, { clock })
    expect((await arrive()).error).toBeDefined()
    refuses = false
    await clock.advance(120_000)
    expect((await arrive()).result).toBeDefined()
  })
})

describe('calls that may be asked something, in one session', () => {
  it('wait for their turn in a line that has an end and can be left', async () => {
    const server = slow()
    rig = bridgeTo(server, undefined, { maxQueued: 1 }, { clock })
    const client = new RawClient(rig.address, { clock })
    const first = client.ask('tools/call', CALL, ASKABLE)
    await until(() => expect(server.asked).toHaveLength(1))
    const leaver = client.nextId
    void client.ask('tools/call', CALL, ASKABLE)
    expect((await client.ask('tools/call', CALL, ASKABLE)).error).toMatchObject({
      message: expect.stringContaining('raise maxQueued'),
    })
    client.send({ method: 'notifications/cancelled', params: { requestId: leaver } })
    await flush()
    const third = client.ask('tools/call', CALL, ASKABLE)
    await flush()
    server.finish()
    expect(textOf(await first)).toBe('done')
    await until(() => expect(server.asked).toHaveLength(2))
    server.finish()
    expect(textOf(await third)).toBe('done')
    expect(server.asked).toHaveLength(2)
  })
})
