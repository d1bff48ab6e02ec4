/**
 * Logging: clients that share a conversation each have a level of their own, and the server is told the most
 * verbose of them.
 */
import { ParleyError, type ProtocolVersion } from 'parley-mcp'
import { type Body, META, Session } from 'parley-mcp/engine'
import { afterEach, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { EVERYTHING, RawClient, type ScriptedServer, scripted } from './peers.fixtures.ts'

let rig: BridgeRig
afterEach(() => rig.close())

const levels = ({ told }: ScriptedServer): unknown[] =>
  told.filter(({ method }) => method === 'logging/setLevel').map(({ params }) => params['level'])

async function sharingClient(): Promise<RawClient> {
  const client = new RawClient(rig.address)
  await client.shakeHands('2025-06-18')
  return client
}

it('one that sees the server among others takes nothing away from who asked for more', async () => {
  const server = scripted({ version: '2025-06-18' })
  rig = bridgeTo(server, undefined, { session: 'shared' })
  const ann = await sharingClient()
  await ann.request('logging/setLevel', { level: 'info' })
  const other = rig.address.endpoint({ told: (_, params) => params, listChanged: () => {} })
  await other.prepare({ info: { name: 'other', version: '1' }, capabilities: {} })
  await other.wantLevel('error')
  expect(levels(server)).toEqual(['info'])
  await other.wantLevel('debug')
  expect(levels(server)).toEqual(['info', 'debug'])
  await ann.request('logging/setLevel', { level: 'info' })
  expect(levels(server)).toEqual(['info', 'debug'])
  other.closed(ann.session)
})

it('a level that the server refuses is refused, and asked for again', async () => {
  const refusing: ScriptedServer = {
    ...scripted({ version: '2025-06-18' }),
    accept: (link, options = {}) =>
      new Session({
        keepAlive: false,
        ...options,
        versions: ['2025-06-18'],
        role: 'server',
        link,
        endpoint: {
          introduce: () => ({ info: { name: 'refusing', version: '1' }, capabilities: EVERYTHING }),
          answer: ({ params }) => {
            asked.push(params['level'])
            if (asked.length === 1) throw new ParleyError('invalid_params', { message: 'not now' })
            return {}
          },
        },
      }),
  }
  const asked: unknown[] = []
  rig = bridgeTo(refusing, undefined, { session: 'shared' })
  const ann = await sharingClient()
  expect((await ann.request('logging/setLevel', { level: 'info' })).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('not now'),
  })
  expect(await ann.request('logging/setLevel', { level: 'info' })).toMatchObject({ result: {} })
  expect(asked).toEqual(['info', 'info'])
})

it.each<[ProtocolVersion, 'shared' | undefined]>([
  ['2026-07-28', 'shared'],
  ['2026-07-28', undefined],
])('a server of %s, policy %s, is told with each request', async (version, session) => {
  const server = scripted({ version })
  rig = bridgeTo(server, undefined, session === undefined ? {} : { session })
  const ann = await sharingClient()
  await ann.request('logging/setLevel', { level: 'info' })
  await ann.request('tools/call', { name: 'any', arguments: {} })
  expect(server.asked.at(-1)?.logLevel).toBe('info')
  expect((server.asked.at(-1)?.sent['_meta'] as Body | undefined)?.[META.logLevel]).toBe('info')
})
