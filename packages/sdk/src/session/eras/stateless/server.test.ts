import { describe, expect, it } from 'vitest'
import type { Body } from '../../../jsonrpc/index.ts'
import { RawClient } from '../../../server/raw-client.fixtures.ts'
import { createServer, inputRequired, prompt, resource, tool } from '../../../server.ts'
import { flush } from '../../../testing/clock.ts'

const NAMES = 'io.modelcontextprotocol/'

function envelope(capabilities: Body = {}, more: Body = {}): Body {
  return { _meta: { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: capabilities, ...more } }
}

const question = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

function server(options = {}) {
  return createServer({ name: 'test', version: '1.2.3' }, { onError: () => {}, ...options }).add(
    tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } as never }, (args) =>
      String((args as Body)['text']),
    ),
    tool('greet', {}, async (_, ctx) => {
      const answer = await ctx.elicit('user', 'Who?', question)
      return `Hello, ${answer.content?.name ?? 'nobody'}!`
    }),
    tool('both', {}, async (_, ctx) => {
      const [who, said, where] = await Promise.all([
        ctx.elicit('who', 'Who?', question),
        ctx.sample('say', 'Say hi'),
        ctx.roots(),
      ])
      return `${who.content?.name} ${JSON.stringify(said.content)} ${where.length}`
    }),
    tool('twice', {}, async (_, ctx) => {
      const first = await ctx.elicit('first', 'One?', question)
      const id = await ctx.once('effect', () => effects.push('ran'))
      const second = await ctx.elicit('second', 'Two?', question)
      return `${first.content?.name} ${second.content?.name} ${id}`
    }),
    tool('raw', {}, (_, ctx) => {
      const { responses, state } = ctx.input
      const name = (responses['n'] as Body | undefined)?.['content'] as Body | undefined
      if (name === undefined) {
        return inputRequired({
          requests: {
            n: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: question as never } },
          },
          state: { round: 1 },
        })
      }
      return `${name['name']} ${JSON.stringify(state)}`
    }),
    prompt('ask', {}, async (_, ctx) => `About ${(await ctx.elicit('topic', 'What?', question)).content?.name}`),
    resource('memo://one', {}, () => 'text'),
  )
}

let effects: string[] = []

function accept(name: string): Body {
  return { action: 'accept', content: { name } }
}

const ALL = { elicitation: {}, sampling: {}, roots: {} }

for (const stateless of [false, true]) {
  describe(`F9 asking, ${stateless ? 'replay' : 'park'}`, () => {
    const start = () => new RawClient(server({ stateless }), {})

    it('asks inside the answer and goes on with the retry', async () => {
      const client = start()
      const first = await client.result('tools/call', { name: 'greet', ...envelope(ALL) })
      expect(first).toMatchObject({
        resultType: 'input_required',
        inputRequests: { user: { method: 'elicitation/create' } },
        requestState: expect.any(String),
      })
      const second = await client.result('tools/call', {
        name: 'greet',
        ...envelope(ALL),
        inputResponses: { user: accept('Ann') },
        requestState: first['requestState'],
      })
      expect(second).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'Hello, Ann!' }] })
      await client.close()
    })

    it('asks several things at once', async () => {
      const client = start()
      const first = await client.result('tools/call', { name: 'both', ...envelope(ALL) })
      expect(Object.keys(first['inputRequests'] as Body).sort()).toEqual(['roots', 'say', 'who'])
      const partial = await client.result('tools/call', {
        name: 'both',
        ...envelope(ALL),
        inputResponses: { who: accept('Ann'), nonsense: 1 },
        requestState: first['requestState'],
      })
      expect(Object.keys(partial['inputRequests'] as Body).sort()).toEqual(['roots', 'say'])
      const last = await client.result('tools/call', {
        name: 'both',
        ...envelope(ALL),
        inputResponses: {
          say: { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } },
          roots: { roots: [] },
        },
        requestState: partial['requestState'],
      })
      expect(last).toMatchObject({ content: [{ text: 'Ann {"type":"text","text":"hi"} 0' }] })
    })

    it('runs effects once, and answers a repeated request the same', async () => {
      effects = []
      const client = start()
      const first = await client.result('tools/call', { name: 'twice', ...envelope(ALL) })
      const retry = {
        name: 'twice',
        ...envelope(ALL),
        inputResponses: { first: accept('A') },
        requestState: first['requestState'],
      }
      const second = await client.result('tools/call', retry)
      expect(await client.result('tools/call', retry)).toEqual(second)
      const last = await client.result('tools/call', {
        name: 'twice',
        ...envelope(ALL),
        inputResponses: { second: accept('B') },
        requestState: second['requestState'],
      })
      expect(last).toMatchObject({ content: [{ text: 'A B 1' }] })
      expect(effects).toEqual(['ran'])
    })

    it('offers the raw form and asks in prompts', async () => {
      const client = start()
      const first = await client.result('tools/call', { name: 'raw', ...envelope(ALL) })
      const last = await client.result('tools/call', {
        name: 'raw',
        ...envelope(ALL),
        inputResponses: { n: accept('A') },
        requestState: first['requestState'],
      })
      expect(last).toMatchObject({ content: [{ text: 'A {"round":1}' }] })
      const topic = await client.result('prompts/get', { name: 'ask', ...envelope(ALL) })
      expect(topic['resultType']).toBe('input_required')
    })

    it('refuses states that were changed or given for something else', async () => {
      const client = start()
      const first = await client.result('tools/call', { name: 'greet', ...envelope(ALL) })
      const bad = await client.error('tools/call', {
        name: 'greet',
        ...envelope(ALL),
        requestState: `${first['requestState']}-TAMPERED`,
      })
      expect(bad.code).toBe(-32602)
      expect(
        (await client.error('tools/call', { name: 'twice', ...envelope(ALL), requestState: first['requestState'] }))
          .code,
      ).toBe(-32602)
    })
  })
}

describe('D-01 requests that speak for themselves', () => {
  it('are answered in the envelope', async () => {
    const client = new RawClient(server(), {})
    expect(await client.result('tools/call', { name: 'echo', arguments: { text: 'hi' }, ...envelope() })).toEqual({
      resultType: 'complete',
      _meta: { [`${NAMES}serverInfo`]: { name: 'test', version: '1.2.3' } },
      content: [{ type: 'text', text: 'hi' }],
    })
    expect(await client.result('server/discover', envelope())).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    })
    expect(await client.result('tools/list', envelope())).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    })
  })

  it('are refused by what is missing', async () => {
    const client = new RawClient(server(), {})
    expect((await client.error('tools/call', { name: 'greet', ...envelope() })).code).toBe(-32021)
    expect((await client.error('server/discover', {})).code).toBe(-32602)
    expect((await client.error('ping', envelope())).code).toBe(-32601)
    expect((await client.error('initialize', envelope())).code).toBe(-32601)
    expect(
      await client.error('tools/list', {
        _meta: { [`${NAMES}protocolVersion`]: 'v9', [`${NAMES}clientCapabilities`]: {} },
      }),
    ).toMatchObject({
      code: -32022,
      data: { requested: 'v9', supported: expect.arrayContaining(['2026-07-28']) },
    })
    expect(await client.error('resources/read', { uri: 'memo://two', ...envelope() })).toMatchObject({
      code: -32602,
      data: { uri: 'memo://two' },
    })
  })

  it('are told what they lack, where nothing else is spoken', async () => {
    const client = new RawClient(server({ versions: ['2026-07-28'] }), {})
    expect(await client.error('tools/list', {})).toMatchObject({
      code: -32602,
      data: { missing: `${NAMES}protocolVersion` },
    })
    expect(
      (await client.error('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} })).message,
    ).toContain('2026-07-28')
    await client.close()
  })

  it('hear of changes where they listen', async () => {
    const made = server()
    const client = new RawClient(made, {})
    const listening = client.request('subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://one', 'memo://no'] },
      ...envelope(),
    })
    await flush()
    expect(client.received[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://one'] },
        _meta: { [`${NAMES}subscriptionId`]: 1 },
      },
    })
    made.updated('memo://one')
    made.remove('echo')
    await flush()
    expect(
      client.received
        .slice(1)
        .map(({ method }) => method)
        .sort(),
    ).toEqual(['notifications/resources/updated', 'notifications/tools/list_changed'])
    await made.close()
    expect((await listening).result).toMatchObject({ resultType: 'complete', _meta: { [`${NAMES}subscriptionId`]: 1 } })
  })
})
