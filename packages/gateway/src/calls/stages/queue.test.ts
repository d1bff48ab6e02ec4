/** G: a server works for others while a client of one of its calls is asked something. */
import type { Capabilities, ProtocolVersion } from 'parley-mcp'
import type { Body, Inbound } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accept, form, shown } from '../../addresses/server/asking.fixtures.ts'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, scripted, text, textOf, until } from '../../addresses/server/peers.fixtures.ts'

const ASKABLE: Capabilities = { elicitation: { form: {} } }
const LONG = { timeout: '2h', maxTimeout: '2h' } as const
const ASK: Body = { name: 'ask', arguments: {} }
const ECHO: Body = { name: 'echo', arguments: {} }

let rig: BridgeRig
let clock: FakeClock
beforeEach(() => {
  clock = fakeClock()
})
afterEach(() => rig.close())

async function answer(inbound: Inbound): Promise<Body> {
  if (inbound.params['name'] === 'echo') return text('echo')
  return text(JSON.stringify(await inbound.request('elicitation/create', form('Who?'), LONG)))
}

/** Room for one call and none in the queue. */
function rigOf(version: ProtocolVersion, transport?: string, maxQueued = 0): void {
  rig = bridgeTo(
    scripted({ version, answer }),
    undefined,
    { maxConcurrent: 1, maxQueued },
    { clock, ...(transport && { transport }) },
  )
}

async function handshaken(): Promise<RawClient> {
  const client = new RawClient(rig.address, { clock })
  await client.shakeHands('2025-06-18', ASKABLE)
  return client
}

describe.each(['memory', 'http'])('G a server behind %s that asks', (transport) => {
  it('works for others while a call of a client of 2026-07-28 is parked, and goes on with it', async () => {
    rigOf('2025-06-18', transport)
    const client = new RawClient(rig.address, { clock })
    const { keys, state } = shown(await client.ask('tools/call', ASK, ASKABLE))
    expect(rig.upstream.bulkhead.stats().running).toBe(0)
    expect(textOf(await client.ask('tools/call', ECHO))).toBe('echo')
    const retry = { ...ASK, requestState: state, inputResponses: { [keys[0] as string]: accept('Ann') } }
    expect(JSON.parse(textOf(await client.ask('tools/call', retry, ASKABLE)))).toEqual(accept('Ann'))
    await flush()
    expect(rig.upstream.bulkhead.stats().running).toBe(0)
  })

  it('has its place back when a parked call is never continued', async () => {
    rigOf('2025-06-18', transport)
    const client = new RawClient(rig.address, { clock })
    shown(await client.ask('tools/call', ASK, ASKABLE))
    await clock.advance(30 * 60_000)
    expect(rig.upstream.bulkhead.stats().running).toBe(0)
    expect(textOf(await client.ask('tools/call', ECHO))).toBe('echo')
    await flush()
    expect(rig.upstream.bulkhead.stats().running).toBe(0)
  })

  it('works for others while clients that shook hands are asked, also about calls nobody can tell apart', async () => {
    rigOf('2025-06-18', transport)
    const [ann, bea] = [await handshaken(), await handshaken()]
    const called = [0, 1, 2].map(async (index) => {
      await (index === 0 ? undefined : ann.next('elicitation/create', index - 1))
      return ann.request('tools/call', ASK)
    })
    await ann.next('elicitation/create', 2)
    expect(textOf(await bea.request('tools/call', ECHO))).toBe('echo')
    for (const { id } of ann.of('elicitation/create')) ann.send({ id, result: accept('Ann') })
    for (const each of await Promise.all(called)) expect(JSON.parse(textOf(each))).toEqual(accept('Ann'))
    await until(() => expect(rig.upstream.bulkhead.stats().running).toBe(0))
  })

  it('has its place back when a client leaves that was asked', async () => {
    rigOf('2025-06-18', transport)
    const [ann, bea] = [await handshaken(), await handshaken()]
    void ann.request('tools/call', ASK)
    await ann.next('elicitation/create')
    ann.close()
    await until(() => expect(rig.address.sessions).toBe(1))
    await flush()
    expect(textOf(await bea.request('tools/call', ECHO))).toBe('echo')
    await flush()
    expect(rig.upstream.bulkhead.stats().running).toBe(0)
  })
})
