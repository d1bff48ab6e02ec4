/** The link to a peer that speaks a dialect: frames in, frames out, and what it remembers between them. */
import { describe, expect, it } from 'vitest'
import {
  type Body,
  type Link,
  type LinkEvents,
  type RequestId,
  type SendOptions,
  Serialised,
} from '../../jsonrpc/index.ts'
import type { Loss } from '../../versions/index.ts'
import { dialectLink } from './link.ts'

/** A link whose other end is the test. */
function wire(extra: Partial<Link> = {}) {
  const sent: { frame: string; options: SendOptions | undefined }[] = []
  const calls: unknown[] = []
  let events: LinkEvents | undefined
  const link: Link = {
    transport: 'test',
    open: (given) => {
      events = given
    },
    send: (frame, options) => void sent.push({ frame, options }),
    close: () => void calls.push('close'),
    ...extra,
  }
  return {
    link,
    sent,
    calls,
    get events() {
      return events as LinkEvents
    },
    last: () => JSON.parse(sent[sent.length - 1]?.frame ?? 'null') as Body,
  }
}

function setUp(extra: Partial<Link> = {}) {
  const peer = wire(extra)
  const losses: Loss[] = []
  const link = dialectLink(peer.link, 'erlmcp', { onLoss: (loss) => losses.push(loss), now: () => 0 })
  const received: { text: string; kind: string | undefined }[] = []
  const ends: unknown[] = []
  link.open({
    maxBytes: 1000,
    frame: (text, parsed) => received.push({ text, kind: parsed?.kind }),
    abandoned: (request) => ends.push(['abandoned', request]),
    failed: (request, error) => ends.push(['failed', request, error.message]),
    released: (request, retry) => ends.push(['released', request, retry]),
    closed: (reason) => ends.push(['closed', reason]),
  })
  return {
    ...peer,
    link,
    losses,
    received,
    ends,
    calls: peer.calls,
    events: peer.events,
    send: (message: Body, options?: SendOptions) => link.send(JSON.stringify({ jsonrpc: '2.0', ...message }), options),
    deliver: (message: Body) => peer.events.frame(JSON.stringify({ jsonrpc: '2.0', ...message })),
    heard: () => JSON.parse(received[received.length - 1]?.text ?? 'null') as Body,
  }
}

const page = (cursor: string) => ({ tools: [], [cursor]: 'next' })

describe('D frames of this side', () => {
  it('requests are written in the dialect, and their answers read', () => {
    const { send, deliver, last, heard } = setUp()
    send({ id: 1, method: 'tools/call', params: { name: 'x', arguments: {}, task: {} } })
    expect(last()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tasks/create',
      params: { action: { type: 'x', parameters: {} }, metadata: {} },
    })
    deliver({ id: 1, result: { taskId: 't' } })
    const epoch = '1970-01-01T00:00:00.000Z'
    expect(heard()['result']).toEqual({
      task: { taskId: 't', status: 'working', createdAt: epoch, lastUpdatedAt: epoch, ttl: null },
    })
  })

  it('an answer is read by its own request, and once', () => {
    const { send, deliver, heard } = setUp()
    send({ id: 1, method: 'tools/list' })
    send({ id: '1', method: 'prompts/get' })
    deliver({ id: '1', result: page('cursor') })
    expect(heard()['result']).toEqual(page('cursor'))
    deliver({ id: 1, result: page('cursor') })
    expect(heard()['result']).toEqual(page('nextCursor'))
    deliver({ id: 1, result: page('cursor') })
    expect(heard()['result']).toEqual(page('cursor'))
  })

  it('errors are read even when nobody waits for them', () => {
    const { deliver, heard } = setUp()
    deliver({ id: null, error: { code: -32005, message: 'm' } })
    expect(heard()['error']).toMatchObject({ code: -32600 })
  })

  it('notices lose their prefix', () => {
    const { send, last } = setUp()
    send({ method: 'notifications/resources/updated', params: { uri: 'a:b' } })
    expect(last()).toEqual({ jsonrpc: '2.0', method: 'resources/updated', params: { uri: 'a:b' } })
    send({ method: 'notifications/tools/list_changed' })
    expect(last()).toEqual({ jsonrpc: '2.0', method: 'tools/list_changed' })
  })

  it('what is the same in both goes on byte by byte, in both directions', () => {
    const { link, sent, events, received } = setUp()
    const frame = '{ "jsonrpc":"2.0", "id":7,"method":"prompts/get","params":{"name":"\\u0041"} }'
    link.send(frame, { relatedTo: 1 })
    events.frame(frame)
    expect(sent).toEqual([{ frame, options: { relatedTo: 1 } }])
    expect(received).toEqual([{ text: frame, kind: 'request' }])
  })
})

describe('D frames of the peer', () => {
  it('requests are read, and their answers written in the dialect', () => {
    const { send, deliver, last, heard } = setUp()
    deliver({ id: 5, method: 'tasks/create', params: { action: { type: 'x', parameters: { a: 1 } } } })
    expect(heard()).toEqual({
      jsonrpc: '2.0',
      id: 5,
      method: 'tools/call',
      params: { name: 'x', arguments: { a: 1 }, task: {} },
    })
    send({ id: 5, result: { task: { taskId: 't', status: 'working' } } }, { relatedTo: 5, final: true })
    expect(last()['result']).toEqual({ taskId: 't', task: { taskId: 't', status: 'processing' } })
  })

  it('text that is kept goes on as it is only where nothing was changed', () => {
    const { link, deliver, sent } = setUp()
    const kept = new Serialised('{"tools":[],"nextCursor":"n"}')
    for (const [id, method] of [
      [1, 'tools/list'],
      [2, 'vendor/list'],
    ] as const) {
      deliver({ id, method })
      link.send(`{"jsonrpc":"2.0","id":${id},"result":${kept.json}}`, { relatedTo: id, final: true, kept })
    }
    expect(sent[0]?.options).toEqual({ relatedTo: 1, final: true })
    expect(JSON.parse(sent[0]?.frame ?? '')).toMatchObject({ result: { cursor: 'n' } })
    expect(sent[1]?.options).toEqual({ relatedTo: 2, final: true, kept })
  })

  it('a request that a transport knows by a key is found by it', () => {
    const { send, events, last } = setUp()
    events.frame('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', undefined, { key: 'k1' })
    send({ id: 1, result: page('nextCursor') }, { relatedTo: 'k1', final: true })
    expect(last()['result']).toEqual(page('cursor'))
  })

  it('what was parsed by the transport is not parsed again', () => {
    const { events, received } = setUp()
    events.frame('not looked at', { kind: 'notification', message: { jsonrpc: '2.0', method: 'tools/list_changed' } })
    expect(received).toEqual([
      { text: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', kind: 'notification' },
    ])
  })

  it.each(['{', '[]', '[{"jsonrpc":"2.0","method":"tools/list_changed"}]', '{"jsonrpc":"1.0"}'])(
    '%s is left to the session',
    (text) => {
      const { events, received } = setUp()
      events.frame(text)
      expect(received.map((one) => one.text)).toEqual([text])
    },
  )

  it('arrays of this side pass', () => {
    const { link, sent } = setUp()
    link.send('[]')
    expect(sent).toEqual([{ frame: '[]', options: undefined }])
  })
})

describe('D X2 what is lost', () => {
  it('is told', () => {
    const { send, losses } = setUp()
    send({ id: 1, method: 'elicitation/create', params: { message: 'm', requestedSchema: {}, task: { ttl: 1 } } })
    expect(losses).toMatchObject([{ rule: 'D', method: 'elicitation/create', path: 'task' }])
  })
})

describe('D what the link remembers', () => {
  const answer = { id: 1, result: page('nextCursor') }

  it.each(['abandon', 'abandoned'])('ends with the request: %s', (how) => {
    const { link, send, deliver, events, last } = setUp()
    deliver({ id: 1, method: 'tools/list' })
    if (how === 'abandon') link.abandon?.(1)
    else events.abandoned?.(1)
    send(answer)
    expect(last()['result']).toEqual(answer.result)
  })

  it.each(['withdraw', 'failed'])('ends with a request of this side: %s', (how) => {
    const { link, send, deliver, events, heard } = setUp({ withdraw: () => {} })
    send({ id: 1, method: 'tools/list' })
    if (how === 'withdraw') link.withdraw?.(1)
    else events.failed?.(1, new Error('lost'))
    deliver({ id: 1, result: page('cursor') })
    expect(heard()['result']).toEqual(page('cursor'))
  })

  it('is bounded: of many requests nobody answers, the oldest are forgotten', () => {
    const { send, deliver, heard } = setUp()
    for (let id = 0; id <= 4096; id++) send({ id, method: 'tools/list' })
    deliver({ id: 0, result: page('cursor') })
    expect(heard()['result']).toEqual(page('cursor'))
    deliver({ id: 1, result: page('cursor') })
    expect(heard()['result']).toEqual(page('nextCursor'))
  })
})

describe('D the link underneath', () => {
  it('is told everything, and tells everything', async () => {
    const heard: unknown[] = []
    const note =
      (name: string) =>
      (...given: unknown[]): void =>
        void heard.push([name, ...given])
    const { link, events, ends, calls } = setUp({
      listening: false,
      hears: false,
      remembered: false,
      mirrors: true,
      negotiated: note('negotiated'),
      abandon: note('abandon'),
      withdraw: note('withdraw') as (request: RequestId) => void,
      release: note('release'),
    })
    expect([link.transport, link.listening, link.hears, link.remembered, link.mirrors, events.maxBytes]).toEqual([
      'test',
      false,
      false,
      false,
      true,
      1000,
    ])
    link.negotiated?.('2025-11-25')
    link.abandon?.(1)
    link.withdraw?.(2)
    link.release?.(3, 100)
    await link.close()
    expect(heard).toEqual([
      ['negotiated', '2025-11-25'],
      ['abandon', 1],
      ['withdraw', 2],
      ['release', 3, 100],
    ])
    expect(calls).toEqual(['close'])
    events.abandoned?.(4)
    events.failed?.(undefined, new Error('lost'))
    events.released?.(5, 100)
    events.closed()
    expect(ends).toEqual([
      ['abandoned', 4],
      ['failed', undefined, 'lost'],
      ['released', 5, 100],
      ['closed', undefined],
    ])
  })

  it('lacks what the link lacks', () => {
    const { link } = setUp()
    const { withdraw, release, negotiated, listening, hears, remembered, mirrors } = link
    expect([withdraw, release, negotiated, listening, hears, remembered, mirrors]).toEqual(Array(7).fill(undefined))
  })

  it('is not told that failures are heard where they are not, so that it makes up an answer', () => {
    const peer = wire()
    dialectLink(peer.link, 'erlmcp').open({ frame: () => {}, closed: () => {} })
    expect(peer.events.failed).toBeUndefined()
  })
})
