/** L4: lists of servers that never end, or are too long, are read as far as is good for the gateway. */
import type { Body } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { NameTable } from '../../catalogue/index.ts'
import { scripted } from '../server/peers.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'

let rig: AggregateRig
afterEach(() => rig.close())

const SERVER = `s${'o'.repeat(40)}`
const long = (start: string): string => start + 'x'.repeat(80)
/** Known by the list it stands in alone. */
const shortened = (name: string): string => new NameTable([SERVER]).publicName(SERVER, name)

/** How often the list is asked for, and what is said, when a client calls a tool that stands nowhere in it. */
async function afterCall(
  called: string,
  page: (cursor: number) => Body,
): Promise<{ asked: number; warnings: string[]; outcome: Body }> {
  const warnings: string[] = []
  const log = { error() {}, warning: (message: string) => void warnings.push(message), info() {}, debug() {} } as never
  const server = scripted({
    version: '2025-06-18',
    capabilities: { tools: {} },
    answer: ({ method, params }) =>
      method === 'tools/list' ? page(Number(params['cursor'] ?? 0)) : { content: [{ type: 'text', text: 'called' }] },
  })
  rig = new AggregateRig({ [SERVER]: { server } }, { log })
  const raw = rig.raw()
  await raw.shakeHands('2025-06-18')
  const { error, result } = await raw.request('tools/call', { name: called, arguments: {} })
  return {
    asked: server.asked.filter(({ method }) => method === 'tools/list').length,
    warnings,
    outcome: { error, result },
  }
}

const tools = (name: string, description = ''): Body[] => [{ name, description, inputSchema: { type: 'object' } }]

describe('L4 the list of one server that is read for a shortened name', () => {
  it('ends where a cursor comes again, with a line in the log; what was read until then is known', async () => {
    const page = (at: number): Body => ({ tools: tools(long(`t${at}`)), nextCursor: String(at === 2 ? 1 : at + 1) })
    const { asked, warnings, outcome } = await afterCall(shortened(long('none')), page)
    expect(asked).toBe(3)
    expect(warnings).toEqual([expect.stringMatching(/tools\/list: gave the same cursor twice/)])
    expect(outcome).toMatchObject({ error: { code: -32602, message: expect.stringContaining('Unknown tool') } })
    await rig.close()
    expect((await afterCall(shortened(long('t2')), page)).outcome).toMatchObject({
      result: { content: [{ text: 'called' }] },
    })
  })

  it('ends where it is too long for the memory of the gateway, with a line in the log', async () => {
    const description = 'x'.repeat(3 * 1024 * 1024)
    const { asked, warnings } = await afterCall(shortened(long('none')), (at) => ({
      tools: tools(long(`t${at}`), description),
      nextCursor: String(at + 1),
    }))
    expect(asked).toBe(6)
    expect(warnings).toEqual([expect.stringMatching(/tools\/list: is too long/)])
  })
})
