/** Servers that end while something is asked of them, and come back at the same address. */
import { afterEach, describe, expect, it } from 'vitest'
import type { Client, ReconnectReport } from '../../src/client.ts'
import { childLink, connect, serveTcp, serveWebSocket } from '../../src/node.ts'
import { createServer, resource, tool } from '../../src/server.ts'
import { type Bundled, bundled } from './children/programs.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

/** One that never answers, and one that does. */
function generation(hangs: boolean) {
  let count = 0
  let both: () => void = () => {}
  const asked = new Promise<void>((resolve) => {
    both = resolve
  })
  const answer = (): string | Promise<string> => {
    if (++count === 2) both()
    return hangs ? new Promise<string>(() => {}) : 'fresh'
  }
  const server = createServer({ name: 'demo', version: '1' }).add(
    tool('act', {}, answer),
    resource('demo://x', {}, answer),
  )
  return { server, asked }
}

const wires = { tcp: serveTcp, websocket: serveWebSocket } as const

async function connected(address: string, version: '2025-11-25' | '2026-07-28'): Promise<Client> {
  const client = await connect(address, { version, reconnect: { delays: ['20ms'], retries: 200 } })
  cleanups.push(() => client.close())
  return client
}

describe.each(Object.keys(wires) as (keyof typeof wires)[])('L6, L8 a server is started anew: %s', (wire) => {
  const serve = wires[wire]

  it.each([
    ['2025-11-25', 'connection_closed', /The session ended before the request was answered/],
    ['2026-07-28', 'shutting_down', /The server shut down before the request was answered/],
  ] as const)(
    '%s: what may be asked twice is, the rest is told why it was not answered',
    async (version, kind, message) => {
      const first = generation(true)
      const before = await serve(first.server, { port: 0 })
      const client = await connected(before.url, version)
      const came = new Promise<ReconnectReport>((resolve) => client.onReconnect(resolve))
      const reading = client.read('demo://x')
      const acting = expect(client.call('act')).rejects.toMatchObject({ kind, message: expect.stringMatching(message) })
      await first.asked
      await before.close({ drain: 0 })
      await acting
      const after = await serve(generation(false).server, { port: Number(new URL(before.url).port) })
      cleanups.push(() => after.close({ drain: 0 }))
      expect(await reading).toMatchObject({ contents: [{ uri: 'demo://x', text: 'fresh' }] })
      expect(await came).toMatchObject({ retried: [{ method: 'resources/read' }], failed: [{ method: 'tools/call' }] })
    },
  )
})

describe('L8 a child process that ends while it is asked something', () => {
  it.each([
    ['2025-11-25', 'connection_closed', /The session ended before the request was answered$/],
    ['2026-07-28', 'shutting_down', /The server shut down before the request was answered$/],
  ] as const)('%s: says so itself, once', async (version, kind, message) => {
    const program: Bundled = await bundled('lasting')
    cleanups.push(() => program.remove())
    let hangs: () => void = () => {}
    const hanging = new Promise<void>((resolve) => {
      hangs = resolve
    })
    const link = await childLink({
      command: process.execPath,
      args: [program.path, 'stdio'],
      env: { DRAIN: '0' },
      stderr: (text) => text.includes('hanging') && hangs(),
    })
    cleanups.push(() => link.gone)
    const client = await connect(link, { version })
    cleanups.push(() => client.close())
    const calling = expect(client.call('hang')).rejects.toMatchObject({ kind, message: expect.stringMatching(message) })
    await hanging
    process.kill(link.pid, 'SIGTERM')
    await calling
    expect(await link.gone).toMatchObject({ code: 0, signal: null })
    expect(client.session.stats()).toMatchObject({ ignored: {}, methods: { 'tools/call': { sent: 1, failed: 1 } } })
  })
})
