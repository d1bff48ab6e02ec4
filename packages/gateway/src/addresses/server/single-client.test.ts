import { versions } from 'parley-mcp'
import { createServer, tool } from 'parley-mcp/server'
import { describe, expect, it } from 'vitest'
import { bridgeTo } from './bridge.fixtures.ts'

const server = () =>
  createServer({ name: 'one', version: '1' }, { tasks: {} }).add(
    tool(
      'ask',
      { description: 'Asks' },
      async (_, ctx) => (await ctx.elicit('q', 'Sure?', { type: 'object', properties: {} } as const)).action,
    ),
    tool('echo', { description: 'Echoes' }, () => 'echo'),
  )

const pairs = versions.flatMap((client) =>
  (['2025-11-25', '2026-07-28'] as const).map((behind) => ({ client, behind })),
)

describe.each(pairs)('G a server of $behind with one client of $client', ({ client: version, behind }) => {
  it('runs in one process for all kinds of calls', async () => {
    const rig = bridgeTo(server(), behind, {}, { singleClient: true })
    const client = await rig.connect({ version, elicit: () => ({ action: 'accept', content: {} }) as never })
    expect(await client.tools()).toHaveLength(2)
    expect((await client.call('echo')).text).toBe('echo')
    if (version >= '2025-06-18') expect((await client.call('ask')).text).toBe('accept')
    expect(rig.ways.opened).toBe(1)
    await client.close()
    await rig.close()
  })
})
