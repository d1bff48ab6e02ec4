/** What tests of a client that comes back share: servers that answer or stay silent, and a client to lose. */
import { expect } from 'vitest'
import type { RawServerOptions } from '../../src/client/raw-server.fixtures.ts'
import { type Client, type ConnectOptions, connect, ParleyError, type ReconnectReport } from '../../src/client.ts'
import { fakeClock, leaks } from '../../src/testing.ts'
import type { Fleet } from './life.fixtures.ts'

export const SECOND = 1000
export const OK: RawServerOptions = {
  answers: {
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'logging/setLevel': () => ({}),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'fresh' }] }),
    'tools/call': ({ name }) => ({ content: [{ type: 'text', text: String(name) }] }),
    'tools/list': () => ({ tools: [] }),
  },
}
export const SILENT: RawServerOptions = {
  answers: { ...OK.answers, 'resources/read': () => undefined, 'tools/call': () => undefined },
}
export const refused = () => new ParleyError('transport_error', { message: 'no program listens there' })

export async function begin(servers: Fleet, options: ConnectOptions = {}) {
  const clock = fakeClock()
  const states: string[] = []
  const reports: ReconnectReport[] = []
  const client: Client = await connect(servers.open, { clock, random: () => 0, keepAlive: false, ...options })
  client.onState(({ from, to }) => states.push(`${from} → ${to}`))
  client.onReconnect((report) => reports.push(report))
  const clean = async () => {
    await client.close()
    expect(leaks(client, clock)).toEqual([])
  }
  return { client, clock, states, reports, clean }
}

export const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: ParleyError) => error.kind,
  )
