/** The handle of a conversation gives access to it, so only the client and the gateway know it. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { HANDLE_KEY } from '../../upstream/index.ts'
import { type BridgeRig, bridgeTo } from '../server/bridge.fixtures.ts'
import { RawClient, scripted } from '../server/peers.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'

let rig: BridgeRig | AggregateRig
afterEach(() => rig.close())

const CALL = { name: 'any', arguments: { exact: 1 } }

describe.each<[ProtocolVersion, ProtocolVersion]>([
  ['2026-07-28', '2026-07-28'],
  ['2026-07-28', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2025-11-25', '2026-07-28'],
  ['2025-06-18', '2025-11-25'],
])('a handle in a request of %s', (client, version) => {
  it.each([
    ['tools/call', CALL],
    ['prompts/get', { name: 'p' }],
    ['resources/read', { uri: 'note://one' }],
    ['tools/list', {}],
  ])(`is not handed on to a server of ${version} with %s, and everything else is`, async (method, params: Body) => {
    const server = scripted({ version, answer: (inbound) => ({ ...ANSWERS[inbound.method] }) })
    rig = bridgeTo(server, version, { session: 'shared' })
    const raw = new RawClient((rig as BridgeRig).address)
    if (client !== '2026-07-28') await raw.shakeHands(client)
    for (const more of [{ 'x/y': 1 }, {}]) {
      const meta = { [HANDLE_KEY]: 'secret', ...more }
      const { error } = await (client === '2026-07-28'
        ? raw.ask(method, { ...params, _meta: meta })
        : raw.request(method, { ...params, _meta: meta }))
      expect(error).toBeUndefined()
      const { params: sent } = server.asked.filter((each) => each.method === method).at(-1) as { params: Body }
      expect(JSON.stringify(sent)).not.toContain('secret')
      expect(sent).toMatchObject({ ...params, ...('x/y' in more && { _meta: more }) })
    }
    raw.close()
  })
})

const ANSWERS: Readonly<Record<string, Body>> = {
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
  'prompts/get': { messages: [] },
  'resources/read': { contents: [] },
  'tools/list': { tools: [] },
}

it('the handle of one server is not handed on to another at the address of all', async () => {
  const answer = ({ method }: { method: string }): Body => ({ ...ANSWERS[method] })
  const [vault, other] = [scripted({ version: '2025-06-18', answer }), scripted({ version: '2026-07-28', answer })]
  rig = new AggregateRig({
    vault: { server: vault, config: { session: 'handle' } },
    other: { server: other, version: '2026-07-28' },
  })
  const raw = new RawClient(rig.aggregate)
  const call = async (name: string, meta: Body = {}): Promise<Body> => {
    const { result = {} } = await raw.ask('tools/call', { name, arguments: {}, _meta: meta })
    return (result['_meta'] ?? {}) as Body
  }
  const handle = { [HANDLE_KEY]: (await call('vault__any'))[HANDLE_KEY] }
  expect(handle[HANDLE_KEY]).toEqual(expect.any(String))
  await call('other__any', handle)
  await call('vault__any', handle)
  for (const { params } of [...vault.asked, ...other.asked])
    expect(params['_meta'] ?? {}).not.toHaveProperty([HANDLE_KEY])
  // It was read here: the second call is in the conversation of the first.
  expect(vault.sessions).toHaveLength(2)
  raw.close()
})
