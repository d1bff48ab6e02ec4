/**
 * D-5A: codes of errors that mean something else in another era are kept as data on the way there, and nowhere else.
 */
import { fromWire, versions } from 'parley-mcp'
import { afterEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { RawClient, type RawMessage, scripted } from './peers.fixtures.ts'

const STATELESS = '2026-07-28'
const CALL = { name: 'any', arguments: {} }
const pairs = versions.flatMap((client) => versions.map((server) => ({ client, server })))

let rig: BridgeRig
afterEach(() => rig.close())

describe.each(pairs)('a client of $client and a server of $server', ({ client, server }) => {
  it.each([undefined, 'why', { a: 1 }])('with data %j', async (data) => {
    const said = { code: -32050, message: 'mine', ...(data !== undefined && { data }) }
    const peer = scripted({
      version: server,
      answer: () => {
        throw fromWire(said, true)
      },
    })
    rig = bridgeTo(peer, server)
    const raw = new RawClient(rig.address)
    if (client !== STATELESS) await raw.shakeHands(client)
    const { error }: RawMessage =
      client === STATELESS ? await raw.ask('tools/call', CALL) : await raw.request('tools/call', CALL)
    const isHidden = client === STATELESS && server !== STATELESS
    if (isHidden) expect(error).toMatchObject({ code: -32603, message: 'mine', data: { originalCode: -32050 } })
    else expect(error).toEqual(said)
  })
})
