/**
 * what a server answers that is no result of its method reaches published clients as one they can read, or as a
 * typed error.
 */
import type { ProtocolVersion } from 'parley-mcp'
import type { Acceptor, Body } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { RawClient } from '../server/peers.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'
import { publishedClient, publishedVersions } from './published-clients.fixtures.ts'
import { listed, rawServer } from './raw-server.fixtures.ts'

const SERVERS: readonly ProtocolVersion[] = ['2024-11-05', '2025-11-25', '2026-07-28']
const TOOL = { name: 'any', inputSchema: { type: 'object' } }

let rig: AggregateRig
afterEach(() => rig.close())

/** Answers each method with what the test gives it. */
function serve(version: ProtocolVersion, answers: Record<string, Body>): Acceptor[] {
  const complete = version === '2026-07-28' ? { resultType: 'complete' } : {}
  const server = rawServer({
    version,
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    answer: (method) => {
      if (method === 'tools/list') return listed(version, 'tools', [TOOL])
      if (method === 'prompts/list') return listed(version, 'prompts', [{ name: 'any' }])
      const result = answers[method]
      return result === undefined
        ? { error: { code: -32601, message: 'Method not found' } }
        : { result: { ...complete, ...result } }
    },
  })
  rig = new AggregateRig({ raw: { server } })
  return [rig.aggregate, rig.addresses.get('raw')] as unknown as Acceptor[]
}

describe.each(SERVERS)('of a server of %s', (version) => {
  it('a call without content, and a prompt without messages, are read by every published client', async () => {
    const [all, own] = serve(version, { 'tools/call': { structuredContent: { a: 1 } }, 'prompts/get': {} })
    for (const spoken of publishedVersions) {
      for (const [at, name] of [
        [all, 'raw__any'],
        [own, 'any'],
      ] as const) {
        const client = await publishedClient(spoken, at as Acceptor)
        expect(await client.callTool({ name })).toMatchObject({ content: [{ type: 'text', text: '{"a":1}' }] })
        expect(await client.getPrompt({ name })).toMatchObject({ messages: [] })
        await client.close()
      }
    }
  })

  it('completions have at most a hundred values at both addresses', async () => {
    const many = Array.from({ length: 300 }, (_, at) => String(at))
    const addresses = serve(version, { 'completion/complete': { completion: { values: many } } })
    for (const [index, at] of addresses.entries()) {
      const ref = { type: 'ref/prompt', name: index === 0 ? 'raw__any' : 'any' }
      for (const spoken of ['2024-11-05', '2025-11-25', '2026-07-28'] as const) {
        const raw = new RawClient(at)
        if (spoken !== '2026-07-28') await raw.shakeHands(spoken)
        const ask = spoken === '2026-07-28' ? raw.ask.bind(raw) : raw.request.bind(raw)
        const { result = {} } = await ask('completion/complete', { ref, argument: { name: 'a', value: '' } })
        expect(result['completion']).toEqual({ values: many.slice(0, 100), hasMore: true, total: 300 })
        raw.close()
      }
    }
  })

  it('what cannot be mended is an error that names the server', async () => {
    const [, own] = serve(version, { 'tools/call': { content: 7 } })
    const raw = new RawClient(own as Acceptor)
    await raw.shakeHands('2025-11-25')
    const { error } = await raw.request('tools/call', { name: 'any', arguments: {} })
    expect(error).toMatchObject({
      code: -32603,
      message: 'Server "raw": The answer to tools/call is no result of it: it has no list of content',
    })
    raw.close()
  })
})
