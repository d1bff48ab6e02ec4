/** The log says why a server with a memory loses it between requests. */
import type { Capabilities } from 'parley-mcp'
import { fakeClock } from 'parley-mcp/testing'
import { afterEach, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo, collectingLog } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, scripted, text } from '../../addresses/server/peers.fixtures.ts'
import type { SessionPolicy } from '../../config/index.ts'

let rig: BridgeRig
afterEach(() => rig.close())

async function logAfter(
  calls: number,
  session: SessionPolicy | undefined,
  capabilities: Capabilities = {},
): Promise<string[]> {
  const said: string[] = []
  const clock = fakeClock()
  const log = collectingLog(said)
  rig = bridgeTo(
    scripted({ version: '2025-06-18', answer: async () => text('1') }),
    undefined,
    session && { session },
    { clock, log },
  )
  const client = new RawClient(rig.address, { clock, sharedLink: true })
  for (let call = 0; call < calls; call++) await client.ask('tools/call', { name: 'any', arguments: {} }, capabilities)
  return said
}

const WORDS =
  'rig: clients of 2026-07-28 get a session of their own for each request, and what the server remembers is lost between them'

it('the log says once why a server forgets, when a second request gets a session of its own', async () => {
  expect(await logAfter(1, undefined)).toEqual([])
  await rig.close()
  expect(await logAfter(4, undefined)).toEqual([`${WORDS}; "session": "shared" keeps one for all`])
})

it('the log names the setting that helps clients that can be asked something', async () => {
  expect(await logAfter(3, 'principal', { elicitation: { form: {} } })).toEqual([
    `${WORDS}; "session": "principal" with gateway.principalHeader keeps one for each user`,
  ])
})

it.each(['request', 'shared', 'handle'] as const)(
  'the log says nothing where the configuration says %s',
  async (session) => {
    expect(await logAfter(3, session)).toEqual([])
  },
)
