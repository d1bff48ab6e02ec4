import { connect } from 'parley-mcp/client'
import { serveHttp, serveTcp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it } from 'vitest'
import type { RemoteTransport } from '../config/index.ts'
import { upstreamReconnect } from './restart/reconnect.ts'
import { Supervisor } from './supervisor.ts'

type Closing = () => Promise<unknown>

const closings: Closing[] = []

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

const build = () => createServer({ name: 'far', version: '1.0.0' }).add(tool('greet', {}, () => 'hello'))

const serving = {
  tcp: (port: number) => serveTcp(build(), { port }),
  'streamable-http': (port: number) => serveHttp(build(), { port }),
} satisfies Partial<Record<RemoteTransport, unknown>>

function supervise(url: string, transport: RemoteTransport | undefined, maxRestarts = 5): Supervisor {
  const supervisor = new Supervisor({
    name: 'far',
    target: { kind: 'remote', url, transport, headers: {} },
    restart: { policy: 'permanent', maxRestarts, within: 60_000 },
    random: () => 0,
  })
  closings.push(() => supervisor.stop())
  return supervisor
}

describe.each(['tcp', 'streamable-http'] as const)('a connection over %s', (transport) => {
  it('G, L6: comes back when its server does', async () => {
    const first = await serving[transport](0)
    const supervisor = supervise(first.url, transport)
    const client = await supervisor.attempt((open) =>
      connect(open, { reconnect: upstreamReconnect, onError: () => {} }),
    )
    closings.push(() => client.close())
    expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'greet' }] })
    expect(supervisor.status()).toMatchObject({ state: 'running', sessions: 1, starts: 1, restarts: 0 })
    await first.close({ drain: 0 })
    const second = await serving[transport](first.port)
    closings.push(() => second.close({ drain: 0 }))
    expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'greet' }] })
    expect(supervisor.status()).toMatchObject({ state: 'running', sessions: 1 })
  })

  it('G: where nobody listens is given up, and whoever asks is told at once', async () => {
    const gone = await serving[transport](0)
    await gone.close({ drain: 0 })
    const supervisor = supervise(gone.url, transport, 0)
    const attempt = () =>
      supervisor.attempt((open) => connect(open, { reconnect: upstreamReconnect, onError: () => {} }))
    await expect(attempt()).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringContaining('"far"'),
    })
    expect(supervisor.status()).toMatchObject({ state: 'down', sessions: 0, starts: 1 })
    await expect(attempt()).rejects.toMatchObject({
      kind: 'refusal_unavailable',
      message: expect.stringContaining(`127.0.0.1:${gone.port}`),
    })
    expect(supervisor.status().starts).toBe(1)
  })
})
