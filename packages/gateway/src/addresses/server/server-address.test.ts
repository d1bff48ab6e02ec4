import { eraOf, versions } from 'parley-mcp'
import { createServer, prompt, resource, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

function makeServer() {
  return createServer({ name: 'rig', version: '1.2.3', instructions: 'Be kind' }).add(
    tool('greet', { description: 'Greets', input: schema }, ({ name }) => `Hello, ${name}!`),
    tool('ask', { description: 'Asks' }, async (_, ctx) => {
      const answer = await ctx.elicit('who', 'Who?', {
        type: 'object',
        properties: { name: { type: 'string' } },
      } as const)
      return answer.action === 'accept'
        ? `You are ${String((answer.content as { name?: string }).name)}`
        : answer.action
    }),
    tool('count', { description: 'Counts' }, async (_, ctx) => {
      ctx.progress(1, 2, 'half')
      ctx.progress(2, 2, 'whole')
      ctx.log('info', 'counted')
      return 'done'
    }),
    tool('fail', { description: 'Fails' }, () => {
      throw new Error('secret')
    }),
    resource('note://one', { name: 'one', mimeType: 'text/plain' }, () => 'first note'),
    prompt('hi', { description: 'Says hi' }, () => 'Hi there'),
  )
}

let rig: BridgeRig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

const pairs = versions.flatMap((client) => versions.map((server) => ({ client, server })))

describe.each(pairs)('X6 a client of $client and a server of $server', ({ client: version, server }) => {
  it('lists, calls, reads, gets and fails', async () => {
    rig = bridgeTo(makeServer(), server)
    const client = await rig.connect({ version })
    expect(client.version).toBe(version)
    expect(client.server).toMatchObject({ name: 'rig', version: '1.2.3' })
    expect(client.instructions).toBe('Be kind')
    expect((await client.tools()).map(({ name }) => name)).toEqual(['greet', 'ask', 'count', 'fail'])
    expect((await client.call('greet', { name: 'Ann' })).text).toBe('Hello, Ann!')
    expect((await client.read('note://one')).contents).toMatchObject([{ uri: 'note://one', text: 'first note' }])
    expect((await client.prompt('hi')).messages).toHaveLength(1)
    await expect(client.call('nope')).rejects.toMatchObject({ receivedCode: -32602 })
    await expect(client.read('note://none')).rejects.toMatchObject({
      receivedCode: eraOf(version) === 'stateless' ? -32602 : -32002,
    })
    await client.close()
  })

  it('carries progress', async () => {
    rig = bridgeTo(makeServer(), server)
    const client = await rig.connect({ version })
    const seen: number[] = []
    expect((await client.call('count', {}, { onProgress: ({ progress }) => seen.push(progress) })).text).toBe('done')
    expect(seen).toEqual([1, 2])
    await client.close()
  })
})

const asking = pairs.filter(({ client, server }) => client >= '2025-06-18' && server >= '2025-06-18')

describe.each(asking)('X6 a client of $client is asked by a server of $server', ({ client: version, server }) => {
  it('a form', async () => {
    rig = bridgeTo(makeServer(), server)
    const client = await rig.connect({
      version,
      elicit: () => ({ action: 'accept', content: { name: 'Bea' } }) as never,
    })
    expect((await client.call('ask')).text).toBe('You are Bea')
    await client.close()
  })
})
