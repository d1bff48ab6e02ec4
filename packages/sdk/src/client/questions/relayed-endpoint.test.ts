/** A client that answers in somebody else's name, and what it remembers of where it connects to. */
import { afterEach, describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Era } from '../../versions/index.ts'
import type { EraMemory } from '../connection/era-memory.ts'
import { connect } from '../index.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import { rawStateless } from '../raw-stateless.fixtures.ts'
import type { RelayedEndpoint } from './client-endpoint.ts'

const closing: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const client of closing.splice(0)) await client.close()
})

function standIn(more: Partial<RelayedEndpoint> = {}) {
  const calls: unknown[][] = []
  const endpoint: RelayedEndpoint = {
    introduce: () => ({ info: { name: 'somebody else', version: '7' }, capabilities: { elicitation: {}, roots: {} } }),
    answer: ({ method, owner }) => {
      calls.push(['answer', method, owner])
      return { roots: [{ uri: 'file:///a' }] }
    },
    notified: (method, params, _, owner) => void calls.push(['notified', method, params['data'], owner]),
    closed: (_, reason) => void calls.push(['closed', reason]),
    ...more,
  }
  return { endpoint, calls }
}

describe('ConnectOptions.endpoint', () => {
  it('says who this side is, answers in place of the handlers, and hears what is told', async () => {
    const raw = rawServer()
    const { endpoint, calls } = standIn()
    const client = await connect(raw.link, { endpoint, info: { name: 'not me', version: '0' }, sample: () => 'not me' })
    expect(raw.of('initialize')[0]?.params).toMatchObject({
      clientInfo: { name: 'somebody else' },
      capabilities: { elicitation: {}, roots: {} },
    })
    expect(raw.of('initialize')[0]?.params?.['capabilities']).not.toHaveProperty('sampling')
    const called = client.session.request('tools/call', { name: 'x' }, { owner: 'Ann' }).catch(() => {})
    expect(await raw.ask('roots/list')).toMatchObject({ result: { roots: [{ uri: 'file:///a' }] } })
    raw.notify('notifications/message', { level: 'info', data: 'hello' })
    expect(await raw.ask('sampling/createMessage', {})).toHaveProperty('error')
    await client.close()
    await called
    expect(calls).toEqual([
      ['answer', 'roots/list', 'Ann'],
      ['notified', 'notifications/message', 'hello', 'Ann'],
      ['closed', undefined],
    ])
  })

  it('may say more about what it refuses', async () => {
    const raw = rawServer()
    const { endpoint } = standIn({
      refusing: (method, error) => new ParleyError(error.kind, { message: `nobody here knows ${method}` }),
    })
    closing.push(await connect(raw.link, { endpoint }))
    expect(await raw.ask('sampling/createMessage', {})).toMatchObject({
      error: { message: 'nobody here knows sampling/createMessage' },
    })
  })

  it('the headers of tools stay the business of the client', async () => {
    const tools = [
      { name: 'x', inputSchema: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } } },
    ]
    const raw = rawStateless({
      mirrors: true,
      answers: { 'tools/list': () => ({ tools }), 'tools/call': () => ({ content: [] }) },
    })
    const client = await connect(raw.link, { endpoint: standIn().endpoint })
    closing.push(client)
    await client.tools()
    await client.call('x' as never, { city: 'Oslo' } as never)
    expect(raw.of('tools/call')[0]?.params?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/clientInfo': { name: 'somebody else' },
    })
    expect(raw.headers.at(-1)).toMatchObject({ 'mcp-param-city': 'Oslo' })
  })

  it('D-60 unless the proxy knows them and reloads them when the server refuses', async () => {
    let header = 'mcp-param-town'
    const raw = rawStateless({
      mirrors: true,
      answers: {
        'tools/call': () =>
          raw.headers.at(-1)?.['mcp-param-city'] === undefined
            ? { error: { code: -32020, message: 'Header mismatch' } }
            : { content: [] },
      },
    })
    const refused: string[] = []
    const { endpoint } = standIn({
      headerParams: (tool) => (tool === 'x' ? [{ header, path: ['city'], type: 'string' }] : undefined),
      headersRefused: (tool) => {
        refused.push(tool)
        header = 'mcp-param-city'
      },
    })
    const client = await connect(raw.link, { endpoint })
    closing.push(client)
    await client.session.request('tools/call', { name: 'x', arguments: { city: 'Oslo' } })
    expect(refused).toEqual(['x'])
    expect(raw.headers.slice(-2)).toMatchObject([{ 'mcp-param-town': 'Oslo' }, { 'mcp-param-city': 'Oslo' }])
    expect(raw.of('tools/list')).toEqual([])
  })
})

describe('V4 ConnectOptions.eras of a function', () => {
  function memory(era?: Era): EraMemory & { all: Map<string, Era> } {
    const all = new Map<string, Era>(era === undefined ? [] : [['', era]])
    return { all, get: (address) => all.get(address), set: (address, known) => void all.set(address, known) }
  }
  const unknown = { 'server/discover': (): Body => ({ error: { code: -32601, message: 'unknown' } }) }

  it('is remembered by a memory of its own, under no address', async () => {
    const eras = memory()
    closing.push(await connect(() => rawServer({ answers: unknown }).link, { eras }))
    expect([...eras.all]).toEqual([['', 'handshake']])
    closing.push(await connect(() => rawStateless().link, { eras }))
    expect([...eras.all]).toEqual([['', 'stateless']])
  })

  it('is used the next time', async () => {
    const raw = rawServer({ answers: unknown })
    closing.push(await connect(() => raw.link, { eras: memory('handshake') }))
    expect(raw.of('server/discover')).toEqual([])
  })

  it('is not shared without a memory', async () => {
    const first = rawServer({ answers: unknown })
    const second = rawServer({ answers: unknown })
    for (const raw of [first, second]) closing.push(await connect(() => raw.link))
    expect([first.of('server/discover').length, second.of('server/discover').length]).toEqual([1, 1])
  })
})
