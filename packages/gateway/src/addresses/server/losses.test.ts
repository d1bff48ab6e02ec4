/** X2, X3: clients that ask hear what translation loses, and unknown fields and methods pass unchanged. */
import { eraOf, type ProtocolVersion, versions } from 'parley-mcp'
import { type Body, InputRequired, type SessionEvent } from 'parley-mcp/engine'
import { flush } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { REPORT_KEY } from '../../calls/report.ts'
import { type BridgeRig, bridgeTo, type RigOptions } from './bridge.fixtures.ts'
import { overheard, RawClient, type RawMessage, type ScriptedServer, scripted, text, until } from './peers.fixtures.ts'

let rig: BridgeRig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

type Ask = (method: string, params?: Body) => Promise<RawMessage>
interface Peer {
  readonly ask: Ask
  readonly raw: RawClient
}

async function clientOf(server: ScriptedServer, version: ProtocolVersion, options: RigOptions = {}): Promise<Peer> {
  rig = bridgeTo(server, undefined, {}, options)
  const raw = new RawClient(rig.address)
  if (eraOf(version) === 'stateless') return { raw, ask: (method, params) => raw.ask(method, params) }
  await raw.shakeHands(version)
  return { raw, ask: (method, params) => raw.request(method, params) }
}

const pairs = versions.flatMap((client) => versions.map((server) => ({ client, server })))
const CALL: Body = { name: 'any', arguments: {} }

describe.each(pairs)('X3 between a client of $client and a server of $server', ({ client: version, server }) => {
  it('fields, keys of `_meta` and methods that nobody knows cross untouched', async () => {
    const peer = scripted({
      version: server,
      answer: ({ method, params }) => {
        const { 'x/kept': kept } = (params['_meta'] ?? {}) as Body
        const answered = { _meta: { 'x/answer': [1] }, future: { deep: [true] } }
        return method === 'tools/call'
          ? { ...text(JSON.stringify([kept, params['extra']])), ...answered }
          : { method, extra: params['extra'], kept, ...answered }
      },
    })
    const { ask } = await clientOf(peer, version)
    const extras = { extra: { a: [null, 1] }, _meta: { 'x/kept': 'yes' } }
    const called = await ask('tools/call', { ...CALL, ...extras })
    expect(called.result).toMatchObject({
      content: [{ text: '["yes",{"a":[null,1]}]' }],
      future: { deep: [true] },
      _meta: { 'x/answer': [1] },
    })
    const custom = await ask('x/custom', extras)
    expect(custom.result).toMatchObject({
      method: 'x/custom',
      extra: { a: [null, 1] },
      kept: 'yes',
      future: { deep: [true] },
      _meta: { 'x/answer': [1] },
    })
  })

  it('whatever is said with progress crosses untouched, but for the token', async () => {
    const extras = { _meta: { 'x/y': [1] }, future: { deep: [true] } }
    const peer = scripted({
      version: server,
      answer: (inbound) => {
        inbound.progress(1, 2, undefined, extras)
        return text('done')
      },
    })
    const { ask, raw } = await clientOf(peer, version)
    await ask('tools/call', { ...CALL, _meta: { progressToken: 'mine' } })
    expect(raw.of('notifications/progress').map(({ params }) => params)).toEqual([
      { progressToken: 'mine', progress: 1, total: 2, ...extras },
    ])
  })

  it('notifications that nobody knows cross in the middle of a call', async () => {
    const peer = scripted({
      version: server,
      answer: (inbound) => {
        inbound.notify('notifications/x/custom', { a: 1 })
        return text('done')
      },
    })
    const { ask, raw } = await clientOf(peer, version)
    await ask('tools/call', CALL)
    await until(() => expect(raw.of('notifications/x/custom').map(({ params }) => params)).toMatchObject([{ a: 1 }]))
  })

  it('a client that asks is told with each result what was lost, and others are not bothered', async () => {
    const peer = scripted({
      version: server,
      answer: ({ method }) => {
        if (method !== 'tools/call') return { tools: [] }
        return {
          content: [
            { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
            { type: 'text', text: 'x' },
          ],
          structuredContent: { a: 1 },
          _meta: { 'x/y': 1 },
        }
      },
    })
    const { ask } = await clientOf(peer, version)
    const silent = await ask('tools/call', CALL)
    expect(JSON.stringify(silent.result)).not.toContain(REPORT_KEY)
    const { result } = await ask('tools/call', { ...CALL, _meta: { [REPORT_KEY]: true } })
    const meta = (result as { _meta: Body })._meta
    const losses = meta[REPORT_KEY] as Body[]
    expect(meta['x/y']).toBe(1)
    for (const loss of losses)
      expect(loss).toEqual({
        rule: expect.stringMatching(/^[A-D]-\d+/),
        path: expect.any(String),
        loss: expect.any(String),
        detail: expect.any(String),
      })
    // 2024-11-05 knows neither sound nor structured content, 2025-03-26 no structured content.
    const rules = losses.map(({ rule }) => rule)
    const oldest = version < server ? version : server
    if (version >= server || oldest >= '2025-06-18') expect(rules).toEqual([])
    else expect(rules).toEqual(expect.arrayContaining(version === '2024-11-05' ? ['A-04'] : ['B-04']))
    // The rest is the same as without the question.
    const { _meta: _one, ...told } = result as Body
    const { _meta: _two, ...untold } = silent.result as Body
    expect(told).toEqual(untold)
  })
})

describe.each(versions.filter((version) => eraOf(version) === 'handshake'))('X3 a client of %s', (version) => {
  it.each(versions)('tells a server of %s what nobody knows', async (server) => {
    const sent: string[] = []
    const { raw } = await clientOf(scripted({ version: server }), version, { wrap: overheard([], sent) })
    raw.send({ method: 'notifications/x/custom', params: { a: 1 } })
    await until(() =>
      expect(
        sent.filter((frame) => frame.includes('"notifications/x/custom"') && frame.includes('"a":1')),
      ).toHaveLength(1),
    )
  })

  it('is asked and told by a server of its own era what nobody knows', async () => {
    const heard: unknown[] = []
    const peer = scripted({
      version,
      opened: (session) => {
        session.notify('notifications/x/custom', { a: 1 })
        void session.request('x/custom', { b: 2 }).then((answer) => heard.push(answer))
      },
    })
    const { raw } = await clientOf(peer, version)
    const { id, params } = await raw.next('x/custom')
    expect(params).toMatchObject({ b: 2 })
    raw.send({ id, result: { c: 3 } })
    await until(() => expect(heard).toEqual([{ c: 3 }]))
    expect(raw.of('notifications/x/custom').map((message) => message.params)).toEqual([{ a: 1 }])
  })
})

it('X2 what a question of the server lost on its way to the client is reported with the result of its call', async () => {
  const blocks = ['a', 'b'].map((words) => ({ type: 'text', text: words }))
  const question = {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: blocks }], maxTokens: 5 },
  }
  const peer = scripted({
    version: '2026-07-28',
    answer: ({ retry }) => (retry === undefined ? new InputRequired({ it: question } as never) : text('done')),
  })
  rig = bridgeTo(peer, undefined)
  const raw = new RawClient(rig.address)
  await raw.shakeHands('2025-06-18', { sampling: {} })
  const called = raw.request('tools/call', { ...CALL, _meta: { [REPORT_KEY]: true } })
  const { id } = await raw.next('sampling/createMessage')
  raw.send({ id, result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'fine' } } })
  const { result } = await called
  const losses = ((result as { _meta: Body })._meta[REPORT_KEY] ?? []) as Body[]
  expect(losses.map(({ rule }) => rule)).toContain('C-01')
})

it('X2 D-42 a list that is kept for others is asked for again by who wants to know what was lost', async () => {
  const peer = scripted({ version: '2026-07-28', answer: () => ({ tools: [], ttlMs: 60_000, cacheScope: 'public' }) })
  const { ask } = await clientOf(peer, '2026-07-28')
  await ask('tools/list')
  await ask('tools/list')
  expect(peer.asked).toHaveLength(1)
  const { result } = await ask('tools/list', { _meta: { [REPORT_KEY]: true } })
  expect(result).toMatchObject({ tools: [], _meta: { [REPORT_KEY]: [] } })
  expect(peer.asked).toHaveLength(2)
})

describe('X2 an observer of the gateway', () => {
  it.each([
    ['2024-11-05', '2025-11-25'],
    ['2024-11-05', '2026-07-28'],
    ['2025-03-26', '2026-07-28'],
  ] as const)('hears what is lost for a client of %s of a server of %s', async (version, server) => {
    const events: [string, SessionEvent][] = []
    const peer = scripted({ version: server, answer: () => ({ ...text('x'), structuredContent: { a: 1 } }) })
    const { ask } = await clientOf(peer, version, { onEvent: (event, upstream) => events.push([upstream, event]) })
    await ask('tools/call', CALL)
    const losses = events.filter(([, { type }]) => type === 'loss')
    expect(losses.length).toBeGreaterThan(0)
    expect(losses.every(([upstream]) => upstream === 'rig')).toBe(true)
  })

  it('hears what is lost on the way to the server', async () => {
    const events: SessionEvent[] = []
    const peer = scripted({
      version: '2025-11-25',
      answer: async (inbound) => {
        const asked = {
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'a' },
                { type: 'text', text: 'b' },
              ],
            },
          ],
          maxTokens: 5,
        }
        return text(JSON.stringify(await inbound.request('sampling/createMessage', asked as never)))
      },
    })
    rig = bridgeTo(peer, undefined, {}, { onEvent: (event) => void events.push(event) })
    const raw = new RawClient(rig.address)
    await raw.shakeHands('2025-06-18', { sampling: {} })
    const called = raw.request('tools/call', CALL)
    const { id } = await raw.next('sampling/createMessage')
    raw.send({ id, result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'fine' } } })
    await called
    await flush()
    expect(events.flatMap((event) => (event.type === 'loss' ? [event.loss.rule] : []))).toContain('C-01')
  })
})
