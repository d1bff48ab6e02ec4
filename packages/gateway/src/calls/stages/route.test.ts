/** E1: an error about a name has the name that the client knows. */
import { ParleyError } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it } from 'vitest'
import { AggregateRig, type RigServer } from '../../addresses/all/aggregate.fixtures.ts'
import { scripted } from '../../addresses/server/peers.fixtures.ts'
import { ToolPins } from '../../catalogue/index.ts'

let rig: AggregateRig
afterEach(() => rig.close())

async function failure(client: Client, name: string): Promise<ParleyError> {
  const error = await client.call(name).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ParleyError)
  return error as ParleyError
}

const renamed: RigServer['config'] = { tools: { allow: undefined, deny: [], rename: { o: 'shown' }, pin: 'off' } }

describe.each(['2025-06-18', '2026-07-28'] as const)(
  'E1: a client of %s gets the name it sent in an error',
  (version) => {
    it('about a tool that is hidden, or that the server does not have', async () => {
      const server = createServer({ name: 's', version: '1' }).add(tool('o', {}, () => 'here'))
      rig = new AggregateRig({ r: { server, config: renamed as never } })
      const client = await rig.connect({ version })
      expect((await client.call('r__shown')).text).toBe('here')
      expect((await failure(client, 'r__o')).data).toEqual({ name: 'r__o', 'parley/kind': 'tool_not_found' })
      for (const name of ['r__o', 'r__none']) {
        expect(await failure(client, name)).toMatchObject({
          code: -32602,
          message: `Unknown tool: ${name}`,
          data: { name },
        })
      }
    })

    it('about a tool that is blocked, with the same reason', async () => {
      const server = createServer({ name: 's', version: '1' }).add(tool('o', { description: 'now' }, () => 'here'))
      const pins = ToolPins.inMemory({ onProblem: () => {} })
      pins.check('r', [{ name: 'o', description: 'before', inputSchema: { type: 'object' } }])
      rig = new AggregateRig({
        r: { server, config: { tools: { allow: undefined, deny: [], rename: {}, pin: 'block' } } as never },
      })
      rig.upstream('r').tools.usePins(pins)
      const client = await rig.connect({ version })
      expect(await failure(client, 'r__o')).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^r__o: Tool "o" of server "r" is blocked/),
        data: { name: 'r__o', server: 'r', 'parley/kind': 'tool_disabled' },
      })
    })

    it('but other errors of servers are unchanged', async () => {
      const answer = () =>
        Promise.reject(new ParleyError('invalid_params', { message: 'o is not what it was', data: { name: 'o' } }))
      rig = new AggregateRig({ r: { server: scripted({ version: '2025-06-18', answer }) } })
      const client = await rig.connect({ version })
      expect(await failure(client, 'r__o')).toMatchObject({
        code: -32602,
        message: 'o is not what it was',
        data: { name: 'o' },
      })
    })
  },
)
