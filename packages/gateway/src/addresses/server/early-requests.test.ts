/**
 * Clients that write `initialize` and what follows it in one go, before the server behind the gateway has started.
 */
import { PassThrough } from 'node:stream'
import { versions } from 'parley-mcp'
import type { Link } from 'parley-mcp/engine'
import { serveStdio } from 'parley-mcp/node'
import { afterEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { envelope, RawClient, type RawMessage, scripted, text, textOf } from './peers.fixtures.ts'

let rig: BridgeRig
afterEach(() => rig.close())

const handshakes = versions.filter((version) => version !== '2026-07-28')

describe.each(handshakes)('a client of %s that does not wait for the answer to initialize', (version) => {
  it.each([version, '2026-07-28'] as const)('gets its answers, in their order, from a server of %s', async (spoken) => {
    const server = scripted({ version: spoken, answer: ({ params }) => text(String(params['name'])) })
    rig = bridgeTo(server, spoken)
    const client = new RawClient(rig.address)
    const hello = client.request('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    })
    client.send({ method: 'notifications/initialized' })
    const calls = ['one', 'two'].map((name) => client.request('tools/call', { name, arguments: {} }))
    expect((await hello).result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'scripted' } })
    expect((await Promise.all(calls)).map(textOf)).toEqual(['one', 'two'])
    expect(client.received[0]).toMatchObject({ id: 1 })
    expect(client.session.phase).toBe('ready')
  })

  it('is told that all of it failed when the server cannot be had', async () => {
    rig = bridgeTo(
      scripted({ version }),
      version,
      {},
      {
        wrap: () => {
          throw new Error('does not start')
        },
      },
    )
    const client = new RawClient(rig.address)
    const hello = client.request('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    })
    const call = client.request('tools/call', { name: 'one', arguments: {} })
    expect((await hello).error).toBeDefined()
    expect((await call).error).toMatchObject({ code: -32600, message: expect.stringContaining('before initialize') })
  })
})

const HELLO = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'p', version: '1' } },
}
const CALL = { name: 'one', arguments: {} }

describe('`printf … | parley bridge …`: everything is written, and the input ends', () => {
  it.each<[string, object[], unknown[]]>([
    [
      'a handshake',
      [HELLO, { method: 'notifications/initialized' }, { id: 1, method: 'tools/call', params: CALL }],
      [0, 1],
    ],
    ['no handshake', [{ id: 1, method: 'tools/call', params: { ...CALL, _meta: envelope() } }], [1]],
  ])('with %s: all of it is answered', async (_, messages, ids) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const ended = new Promise<void>((resolve) => input.on('end', () => setImmediate(resolve)))
    // The server says nothing before that.
    const slow = (link: Link): Link => ({
      transport: link.transport,
      open: (events) => link.open({ ...events, frame: (frame) => void ended.then(() => events.frame(frame)) }),
      send: (frame, options) => link.send(frame, options),
      close: () => link.close(),
    })
    const server = scripted({ version: '2025-06-18', answer: ({ params }) => text(String(params['name'])) })
    rig = bridgeTo(server, '2025-06-18', {}, { wrap: slow })
    let written = ''
    output.on('data', (chunk) => {
      written += chunk
    })
    const { closed } = await serveStdio(rig.address, { input, output })
    input.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
    await closed
    const answers = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RawMessage)
    expect(answers.map(({ id }) => id)).toEqual(ids)
    expect(textOf(answers.at(-1) as RawMessage)).toBe('one')
  })
})
