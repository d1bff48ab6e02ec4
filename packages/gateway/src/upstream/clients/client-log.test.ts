/** E4: the log names each client and its version once. */
import type { Capabilities } from 'parley-mcp'
import { fakeClock } from 'parley-mcp/testing'
import { afterEach, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, scripted } from '../../addresses/server/peers.fixtures.ts'
import type { ServerConfig } from '../../config/index.ts'
import { type GatewayLog, silentLog } from '../../log/index.ts'

interface Line {
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

const clock = fakeClock()
let rig: BridgeRig
let said: Line[]
afterEach(() => rig.close())

function serve(config: Partial<ServerConfig> = {}): void {
  said = []
  const log: GatewayLog = { ...silentLog, info: (message, facts = {}) => void said.push({ message, facts }) }
  rig = bridgeTo(scripted({ version: '2025-06-18' }), undefined, config, { clock, log })
}

const of = (event: string): Line[] => said.filter(({ facts }) => facts['event'] === event)
const call = (client: RawClient, capabilities: Capabilities = {}) =>
  client.ask('tools/call', { name: 'any', arguments: {} }, capabilities)

it('E4: each session is logged with its client, version, transport and a label that is not its id', async () => {
  serve()
  for (const version of ['2025-11-25', '2024-11-05'])
    await new RawClient(rig.address, { clock, id: `secret-${version}` }).shakeHands(version)
  expect(of('session').map(({ message }) => message)).toEqual([
    'Session 1: client "raw 1" speaks 2025-11-25 over memory with server "rig"',
    'Session 2: client "raw 1" speaks 2024-11-05 over memory with server "rig"',
  ])
  expect(of('session')[0]?.facts).toEqual({
    event: 'session',
    session: '1',
    server: 'rig',
    client: 'raw',
    release: '1',
    version: '2025-11-25',
    transport: 'memory',
  })
  expect(of('conversation').map(({ message, facts }) => [message, facts['whose'], facts['session']])).toEqual([
    [
      'rig: conversation with "scripted 1" in 2025-06-18 (handshake) over memory: session 1 has it for itself',
      'session',
      '1',
    ],
    [
      'rig: conversation with "scripted 1" in 2025-06-18 (handshake) over memory: session 2 has it for itself',
      'session',
      '2',
    ],
  ])
  expect(JSON.stringify(said)).not.toContain('secret')
})

it('E4: each client without a session is logged once in ten minutes', async () => {
  serve()
  const client = new RawClient(rig.address, { clock, sharedLink: true })
  for (let count = 0; count < 3; count++) {
    await call(client)
    await call(client, { elicitation: { form: {} }, roots: {} })
  }
  expect(of('client').map(({ message }) => message)).toEqual([
    'Client "raw 1" speaks 2026-07-28 over http with server "rig", without a session; it declares no abilities',
    'Client "raw 1" speaks 2026-07-28 over http with server "rig", without a session; it declares elicitation, roots',
  ])
  await clock.advance(600_000)
  await call(client)
  expect(of('client')).toHaveLength(3)
})

it('E4: a principal is logged, but not a connection that stands for one', async () => {
  serve({ session: 'principal' })
  const shared = new RawClient(rig.address, { clock, sharedLink: true })
  shared.principal = 'ann'
  await call(shared)
  const own = new RawClient(rig.address, { clock, id: 'secret' })
  await call(own)
  expect(of('client').map(({ facts }) => facts['principal'])).toEqual(['ann', undefined])
  expect(of('conversation').map(({ facts }) => [facts['whose'], facts['principal']])).toEqual([
    ['gateway', undefined],
    ['principal', 'ann'],
    ['session', undefined],
  ])
  expect(JSON.stringify(said)).not.toContain('secret')
})

it.each([
  ['shared', ['gateway', 'shared']],
  ['handle', ['gateway', 'handle', 'handle', 'handle']],
  // Once a minute.
  ['request', ['gateway', 'request']],
] as const)('E4 of each conversation whose it is, where the configuration says %s', async (session, whose) => {
  serve({ session })
  const client = new RawClient(rig.address, { clock, sharedLink: true })
  for (let count = 0; count < 3; count++) await call(client)
  expect(of('conversation').map(({ facts }) => facts['whose'])).toEqual(whose)
})
