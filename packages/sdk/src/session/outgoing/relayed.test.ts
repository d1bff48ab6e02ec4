/** Requests of other clients that are handed on, and their results as the server wrote them (X2). */
import { describe, expect, it } from 'vitest'
import { type Body, resultText } from '../../jsonrpc/index.ts'
import type { Loss } from '../../versions/index.ts'
import { NAMES, openStateless } from '../eras/stateless/client/client.fixtures.ts'
import { everything, makeRig, openClient, settled } from '../session.fixtures.ts'

const caller: Body = {
  [`${NAMES}protocolVersion`]: 'whatever it says',
  [`${NAMES}clientInfo`]: { name: 'somebody else', version: '7' },
  [`${NAMES}clientCapabilities`]: { sampling: {} },
  [`${NAMES}logLevel`]: 'debug',
  progressToken: 'of the caller',
  'com.example/own': 1,
}

describe('RequestOptions.relayed in the stateless era', () => {
  it('says whom it is from in its own words; version and progress token are of this conversation', async () => {
    const { session, link } = await openStateless({ mirrors: true })
    session.logLevel = 'error'
    const told: unknown[] = []
    const params = {
      name: 'x',
      arguments: { a: 1 },
      requestState: 'of theirs',
      inputResponses: { k: { action: 'decline' } },
      _meta: caller,
    }
    const asked = session.request('tools/call', params, {
      relayed: true,
      onProgress: (progress) => told.push(progress),
    })
    expect(link.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { ...params, _meta: { ...caller, [`${NAMES}protocolVersion`]: '2026-07-28', progressToken: 2 } },
      },
    ])
    expect(link.headers).toEqual([
      expect.objectContaining({ 'mcp-name': 'x', 'mcp-method': 'tools/call', 'mcp-protocol-version': '2026-07-28' }),
    ])
    link.notify('notifications/progress', { progressToken: 2, progress: 1 })
    link.answer(2, { resultType: 'complete', content: [] })
    await asked
    expect(told).toEqual([{ progress: 1 }])
  })

  it('takes no progress token along that nobody here listens to, and is from this client where it says nothing', async () => {
    const { session, link } = await openStateless()
    void session.request('tools/call', { name: 'x', _meta: caller }, { relayed: true }).catch(() => {})
    void session.request('tools/list', undefined, { relayed: true }).catch(() => {})
    expect(link.sent[0].params._meta).not.toHaveProperty('progressToken')
    expect(link.sent[0].params._meta).toMatchObject({ 'com.example/own': 1 })
    expect(link.sent[1].params).toMatchObject({
      _meta: { [`${NAMES}clientInfo`]: { name: 'c' }, [`${NAMES}protocolVersion`]: '2026-07-28' },
    })
    await session.close()
  })

  it.each<[string, Body]>([
    [
      'an answer',
      { resultType: 'complete', content: [], _meta: { [`${NAMES}serverInfo`]: { name: 's', version: '1' } } },
    ],
    [
      'questions',
      { resultType: 'input_required', inputRequests: { k: { method: 'roots/list' } }, requestState: 'theirs' },
    ],
    ['a task', { resultType: 'task', taskId: 't', status: 'working' }],
    ['something newer', { resultType: 'x-future', y: 1 }],
  ])('%s comes as it was written, and nobody here is asked', async (_, result) => {
    const { session, link, asked } = await openStateless()
    const called = session.request('tools/call', { name: 'x', _meta: caller }, { relayed: true })
    link.answer(2, result)
    expect(await called).toEqual(result)
    expect([asked, session.pending()]).toEqual([[], []])
  })

  it('an error is an error', async () => {
    const { session, link } = await openStateless()
    const called = session.request('tools/call', { name: 'x', _meta: caller }, { relayed: true })
    link.refuse(2, -32602, { why: 1 }, 'not so')
    await expect(called).rejects.toMatchObject({ message: expect.stringContaining('not so'), receivedCode: -32602 })
  })
})

describe('RequestOptions.onText', () => {
  const digits = '{"content":[],"structuredContent":{"n":12345678901234567890,"x":1.10}}'

  it('tells the text before the result, with every digit', async () => {
    const { session, link } = await openClient('2025-11-25')
    const told: unknown[] = []
    const asked = session
      .request('vendor/thing', {}, { onText: (json) => told.push(json) })
      .then((result) => told.push(result))
    link.deliver(`{"jsonrpc":"2.0","id":${link.take()[0].id},"result":${digits}}`)
    await asked
    expect(told).toEqual([digits, JSON.parse(digits)])
  })

  it.each([
    ['several lines', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{\n}}`],
    ['an unusual order', (id: number) => `{"id":${id},"jsonrpc":"2.0","result":{}}`],
    ['an error', (id: number) => `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"x"}}`],
  ])('tells nothing of %s', async (_, frame) => {
    const { session, link } = await openClient('2025-11-25')
    const told: unknown[] = []
    const asked = session.request('vendor/thing', {}, { onText: (json) => told.push(json) }).catch(() => ({}))
    link.deliver(frame(link.take()[0].id))
    expect(await asked).toEqual({})
    expect(told).toEqual([])
  })

  it('tells the text of an older version where translation finds nothing to change', async () => {
    const { session, link } = await openClient('2024-11-05')
    const told: string[] = []
    const text = '{"tools":[{"name":"x","inputSchema":{"type":"object","maximum":1.0}}]}'
    const read = session.request('tools/list', {}, { onText: (json) => told.push(json) })
    link.deliver(`{"jsonrpc":"2.0","id":${link.take()[0].id},"result":${text}}`)
    expect(await read).toEqual(JSON.parse(text))
    expect(told).toEqual([text])
  })

  it('says of a result that is taken out of its envelope that it was touched', async () => {
    const { session, link } = await openStateless()
    const told: unknown[] = []
    const called = session.request(
      'tools/call',
      { name: 'x' },
      { onText: (json, untouched) => told.push([json, untouched]) },
    )
    link.answer(2, { resultType: 'complete', content: [] })
    expect([await called, told]).toEqual([{ content: [] }, [['{"resultType":"complete","content":[]}', false]]])
  })

  it.each([
    ['as most write it', (id: number, json: string) => `{"jsonrpc":"2.0","id":${id},"result":${json}}`],
    ['as others do', (id: number, json: string) => `{"result":${json},"jsonrpc":"2.0","id":${id}}`],
  ])('does not read again what was read before, written %s', async (_, written) => {
    const { session, link } = await openStateless()
    const known = '{"resultType":"complete","tools":[]}'
    const seen: string[] = []
    const ifText = (json: string): boolean => seen.push(json) > 0 && json === known
    const listed = session.request('tools/list', {}, { ifText })
    link.deliver(written(2, known))
    expect([await listed, seen]).toEqual([{}, [known]])
    const changed = session.request('tools/list', {}, { ifText })
    link.deliver(written(3, '{"resultType":"complete","tools":[{"name":"x"}]}'))
    expect((await changed)['tools']).toEqual([{ name: 'x' }])
  })

  it('tells the whole of a relayed result, with its envelope', async () => {
    const { session, link } = await openStateless()
    const told: string[] = []
    const called = session.request(
      'tools/call',
      { name: 'x', _meta: caller },
      { relayed: true, onText: (json) => told.push(json) },
    )
    link.deliver(
      `{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","structuredContent":{"n":12345678901234567890},"content":[]}}`,
    )
    await called
    expect(told).toEqual(['{"resultType":"complete","structuredContent":{"n":12345678901234567890},"content":[]}'])
  })
})

describe('X1 RequestOptions.keepsText', () => {
  const long = '"structuredContent":{"n":12345678901234567890,"x":1.10}'
  /** What is written of a result when it is the answer to somebody else. */
  const written = (result: Body): string => resultText(1, result).slice('{"jsonrpc":"2.0","id":1,"result":'.length, -1)

  it('a result that nobody changes goes on in the words it came in, and without it is written anew', async () => {
    const { session, link } = await openClient('2025-11-25')
    for (const [keepsText, expected] of [
      [true, '{"content":[{"type":"text","text":"\\u00e9"}],"n":1.10}'],
      [false, '{"content":[{"type":"text","text":"é"}],"n":1.1}'],
    ] as const) {
      const asked = session.request('tools/call', { name: 'x' }, { keepsText })
      link.deliver(
        `{"jsonrpc":"2.0","id":${link.take()[0].id},"result":{"content":[{"type":"text","text":"\\u00e9"}],"n":1.10}}`,
      )
      expect(written(await asked)).toBe(expected)
    }
  })

  it('what has been made of it has its parts in the words they came in', async () => {
    const { session, link } = await openClient('2025-11-25')
    const asked = session.request('tools/call', { name: 'x' }, { keepsText: true })
    link.deliver(`{"jsonrpc":"2.0","id":${link.take()[0].id},"result":{"content":[],${long}}}`)
    expect(written({ ...(await asked), isError: false })).toBe(`{"content":[],${long},"isError":false}`)
  })

  it('also out of its envelope', async () => {
    const { session, link } = await openStateless()
    const asked = session.request('tools/call', { name: 'x' }, { keepsText: true })
    const meta = `"_meta":{"${NAMES}serverInfo":{"name":"s","version":"1"}}`
    link.deliver(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",${meta},"content":[],${long}}}`)
    expect(written(await asked)).toBe(`{"content":[],${long}}`)
  })

  it('also what is left in its metadata when the name of the server is taken out', async () => {
    const { session, link } = await openStateless()
    const asked = session.request('tools/call', { name: 'x' }, { keepsText: true })
    const meta = `"_meta":{"${NAMES}serverInfo":{"name":"s","version":"1"},"com.example/id":12345678901234567890}`
    link.deliver(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[],${meta}}}`)
    expect(written(await asked)).toBe('{"content":[],"_meta":{"com.example/id":12345678901234567890}}')
  })

  it('what is changed in place goes on as it came, which is why nobody may do so', async () => {
    const { session, link } = await openClient('2025-11-25')
    const asked = session.request('vendor/thing', {}, { keepsText: true })
    link.deliver(`{"jsonrpc":"2.0","id":${link.take()[0].id},"result":{"n":1.10}}`)
    const result = await asked
    result['n'] = 2
    expect([written(result), written({ ...result })]).toEqual(['{"n":1.10}', '{"n":2}'])
  })
})

describe('X2 RequestOptions.onLoss', () => {
  it('tells whoever made the request what it and its result have lost, and whoever observes the session as well', async () => {
    const { session, link, events } = await openClient('2024-11-05')
    const mine: Loss[] = []
    const others: Loss[] = []
    const annotated = { role: 'user', content: { type: 'text', text: 'x' } }
    const one = session.request(
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'a', value: '' },
        context: { arguments: { b: '1' } },
      },
      { onLoss: (loss) => mine.push(loss) },
    )
    const two = session.request('prompts/get', { name: 'p' }, { onLoss: (loss) => others.push(loss) })
    const [first, second] = link.take()
    link.deliver({ jsonrpc: '2.0', id: first.id, result: { completion: { values: [] } } })
    link.deliver({ jsonrpc: '2.0', id: second.id, result: { messages: [annotated] } })
    await Promise.all([one, two])
    expect(mine).toMatchObject([{ path: expect.stringContaining('context') }])
    expect(others).toEqual([])
    expect(session.losses()).toEqual(mine)
    expect(events.filter(({ type }) => type === 'loss')).toHaveLength(1)
  })
})

describe('a server behind this one keeps its name', () => {
  const envelope: Body = { _meta: { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: {} } }
  const info = { name: 'behind', version: '9' }
  const own = { name: 'server', version: '1' }

  it.each<[string, Body, Body]>([
    [
      'brings its envelope',
      { resultType: 'complete', tools: [], _meta: { [`${NAMES}serverInfo`]: info, a: 1 } },
      { [`${NAMES}serverInfo`]: info, a: 1 },
    ],
    [
      'brings questions',
      { resultType: 'input_required', requestState: 'x', _meta: { [`${NAMES}serverInfo`]: info } },
      { [`${NAMES}serverInfo`]: info },
    ],
    ['names nobody', { resultType: 'complete', tools: [], _meta: { a: 1 } }, { [`${NAMES}serverInfo`]: own, a: 1 }],
    ['has no envelope', { tools: [], _meta: { [`${NAMES}serverInfo`]: info } }, { [`${NAMES}serverInfo`]: own }],
  ])('in a result that %s', async (_, result, meta) => {
    const { link } = makeRig('server', { answer: () => result, capabilities: everything })
    link.request(1, 'tools/list', envelope)
    await settled()
    expect(link.take()[0].result._meta).toEqual(meta)
  })
})
