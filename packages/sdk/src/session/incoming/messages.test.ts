import { describe, expect, it } from 'vitest'
import { handshakeVersions } from '../../versions/index.ts'
import { deferring, makeRig, openClient, openServer, settled } from '../session.fixtures.ts'

describe('M1 messages that are none', () => {
  for (const [name, frame, id] of [
    ['broken JSON', '{"jsonrpc":"2.0",', undefined],
    ['a string', '"hello"', undefined],
    ['the wrong jsonrpc', '{"jsonrpc":"1.0","id":4,"method":"ping"}', 4],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', undefined],
    ['a float id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', undefined],
    ['an object id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', undefined],
    ['a very large id', '{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}', undefined],
    ['params of the wrong type', '{"jsonrpc":"2.0","id":4,"method":"tools/list","params":[1]}', 4],
    ['a method that is no string', '{"jsonrpc":"2.0","id":4,"method":7}', 4],
  ] as const) {
    it(`${name}: one clear answer, and the next request works`, () => {
      for (const version of handshakeVersions) {
        const { link, session } = openServer(version)
        link.deliver(frame)
        const answers = link.take()
        expect(answers).toHaveLength(1)
        // C-27: versions before 2025-11-25 have the form of JSON-RPC for an error without an id.
        expect(answers[0].id).toBe(version === '2025-11-25' ? id : (id ?? null))
        expect([-32700, -32600, -32602]).toContain(answers[0].error.code)
        expect(session.stats().ignored['invalid message']).toBe(1)
        link.request('next', 'ping')
        expect(link.take()).toEqual([{ jsonrpc: '2.0', id: 'next', result: {} }])
      }
    })
  }

  it('a request that is too long to begin with is answered, however long its id', () => {
    for (const id of ['\0'.repeat(100), '\0'.repeat(10_000), 'a'.repeat(16_384)]) {
      const { link } = makeRig('server')
      link.deliver(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'initialize',
          params: { clientInfo: { name: 'x'.repeat(70_000) } },
        }),
      )
      expect(link.take()).toEqual([
        {
          jsonrpc: '2.0',
          id,
          error: expect.objectContaining({ message: expect.stringContaining('limited to 65536') }),
        },
      ])
    }
    const { link } = makeRig('server')
    const id = 'a'.repeat(100_000)
    link.request(id, 'initialize', {})
    expect(link.take()).toEqual([
      { jsonrpc: '2.0', id, error: expect.objectContaining({ message: expect.stringContaining('"id" is too long') }) },
    ])
  })

  it('before any version is agreed on, JSON-RPC rules: the id is null', () => {
    const { link } = makeRig('server')
    link.deliver('nonsense')
    expect(link.take()).toEqual([{ jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } }])
  })
})

describe('M1 A-01 B-01 batches', () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    { jsonrpc: '2.0', id: 3, method: 'nothing/known' },
    { jsonrpc: '2.0', id: 4, method: 7 },
  ]

  it('2025-03-26: answered together, without an entry for notifications', async () => {
    const { link } = openServer('2025-03-26', {
      answer: ({ method }) => (method === 'tools/list' ? Promise.resolve({ tools: [] }) : { other: true }),
    })
    link.deliver(batch)
    expect(link.take()).toEqual([])
    await settled()
    const [answers, ...more] = link.take()
    expect(more).toEqual([])
    expect(answers.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2, 3, 4])
  })

  it('2025-03-26: only notifications get no answer; a cancelled request has no entry', async () => {
    const { answer } = deferring()
    const { link } = openServer('2025-03-26', { answer })
    link.deliver([{ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }])
    expect(link.take()).toEqual([])
    link.deliver([
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ])
    link.notify('notifications/cancelled', { requestId: 1 })
    expect(link.take()).toEqual([[{ jsonrpc: '2.0', id: 2, result: {} }]])
  })

  it('2025-03-26: a batch of answers settles its requests', async () => {
    const { link, session } = await openClient('2025-03-26')
    const asked = [session.request('tools/list'), session.request('prompts/list')]
    const [a, b] = link.take()
    link.deliver([
      { jsonrpc: '2.0', id: b.id, result: { prompts: [] } },
      { jsonrpc: '2.0', id: a.id, result: { tools: [] } },
    ])
    expect(await Promise.all(asked)).toEqual([{ tools: [] }, { prompts: [] }])
  })

  it('a handshake in a batch, or a batch before it, is refused', () => {
    const { link, session } = makeRig('server')
    link.deliver([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }])
    expect(link.take()).toMatchObject([{ id: 1, error: { code: -32600 } }])
    expect(session.phase).toBe('initialization')
    const opened = openServer('2025-03-26')
    opened.link.deliver([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }])
    expect(opened.link.take()).toMatchObject([[{ id: 1, error: { code: -32600 } }]])
  })

  for (const version of handshakeVersions.filter((candidate) => candidate !== '2025-03-26')) {
    it(`${version}: each request in a batch is told that there are none`, () => {
      const { link } = openServer(version)
      link.deliver(batch)
      const answers = link.take()
      expect(answers.map(({ id }) => id)).toEqual([1, 2, 3])
      for (const { error } of answers)
        expect(error).toMatchObject({ code: -32600, message: expect.stringContaining(version) })
    })
  }
})
