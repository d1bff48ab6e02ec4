/** Settings of `createServer` hold over every transport, but for the few that a transport has to decide itself. */
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { ConnectOptions } from '../../src/client.ts'
import { connect, serveHttp, serveStdio, serveTcp, serveWebSocket } from '../../src/node.ts'
import { createServer, type Servable } from '../../src/server.ts'
import type { AcceptOptions } from '../../src/session/index.ts'
import { fakeClock, flush } from '../../src/testing.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/**
 * What every setting of a session would be replaced by. A transport that passes one of these decides it in place of the
 * server.
 */
const DECIDED_BY_TRANSPORT = {
  'standard input and output': [],
  'standard input and output, stateless': ['initialiseTimeout'],
  TCP: [],
  WebSocket: [],
  'HTTP+SSE': [],
  // A client may have no stream open, so it cannot be pinged: idle sessions end instead.
  'Streamable HTTP': ['keepAlive'],
  // One session for all clients of the stateless era.
  'Streamable HTTP, stateless': ['keepAlive', 'maxInFlight', 'sharedLink'],
} as const

/** No server has a setting for it. */
const OF_THE_CONVERSATION = new Set(['id', 'address'])

interface Recorded {
  readonly server: Servable
  readonly given: AcceptOptions[]
}

function recorded(versions: ConnectOptions['versions'] = ['2025-11-25']): Recorded {
  const own = createServer({ name: 's', version: '1' }, { versions })
  const given: AcceptOptions[] = []
  const server: Servable = {
    versions: own.versions,
    accept: (link, options) => {
      given.push(options ?? {})
      return own.accept(link, options)
    },
  }
  return { server, given }
}

async function meet(address: string, options: ConnectOptions): Promise<void> {
  const client = await connect(address, { keepAlive: false, ...options })
  closing.push(() => client.close())
  await client.ping()
}

const TRANSPORTS: Record<keyof typeof DECIDED_BY_TRANSPORT, () => Promise<Recorded>> = {
  'standard input and output': () => overStdio(['2025-11-25']),
  'standard input and output, stateless': () => overStdio(['2026-07-28']),
  async TCP() {
    const { server, given } = recorded()
    const serving = await serveTcp(server, { port: 0 })
    closing.push(() => serving.close())
    await meet(`tcp://127.0.0.1:${serving.port}`, { versions: ['2025-11-25'] })
    return { server, given }
  },
  async WebSocket() {
    const { server, given } = recorded()
    const serving = await serveWebSocket(server, { port: 0 })
    closing.push(() => serving.close())
    await meet(serving.url, { versions: ['2025-11-25'] })
    return { server, given }
  },
  async 'HTTP+SSE'() {
    const { server, given } = recorded(['2024-11-05'])
    const serving = await serveHttp(server, { port: 0, sse: true })
    closing.push(() => serving.close())
    await meet(serving.url.replace('/mcp', '/sse'), { versions: ['2024-11-05'] })
    return { server, given }
  },
  'Streamable HTTP': () => overHttp('2025-11-25'),
  'Streamable HTTP, stateless': () => overHttp('2026-07-28'),
}

async function overStdio(versions: NonNullable<ConnectOptions['versions']>): Promise<Recorded> {
  const { server, given } = recorded(versions)
  const handle = await serveStdio(server, { input: new PassThrough(), output: new PassThrough() })
  closing.push(() => handle.close())
  return { server, given }
}

async function overHttp(version: '2025-11-25' | '2026-07-28'): Promise<Recorded> {
  const { server, given } = recorded([version])
  const serving = await serveHttp(server, { port: 0 })
  closing.push(() => serving.close())
  await meet(serving.url, { versions: [version] })
  return { server, given }
}

describe('what a transport decides in place of the server', () => {
  it.each(Object.entries(TRANSPORTS))('%s', async (name, serve) => {
    const { given } = await serve()
    expect(given.length).toBeGreaterThan(0)
    const decided = given.flatMap((options) =>
      Object.keys(options).filter((key) => options[key as keyof AcceptOptions] !== undefined),
    )
    const own = [...new Set(decided)].filter((key) => !OF_THE_CONVERSATION.has(key)).sort()
    expect(own).toEqual([...DECIDED_BY_TRANSPORT[name as keyof typeof DECIDED_BY_TRANSPORT]])
  })
})

describe('initialiseTimeout of createServer', () => {
  it('ends a conversation over standard input and output that never begins', async () => {
    const clock = fakeClock()
    const server = createServer({ name: 's', version: '1' }, { initialiseTimeout: '5s', clock })
    const input = new PassThrough()
    const handle = await serveStdio(server, { input, output: new PassThrough() })
    await clock.advance(4999)
    expect(handle.session.phase).not.toBe('closed')
    await clock.advance(2)
    await flush()
    expect(handle.session.phase).toBe('closed')
    input.end()
    await handle.closed
  })
})

describe('keepAlive of createServer', () => {
  it('is how often a client over HTTP+SSE is pinged', async () => {
    const clock = fakeClock()
    const pings: string[] = []
    const tap = (direction: string, frame: string): void => {
      if (direction === 'sent' && frame.includes('"ping"')) pings.push(frame)
    }
    const server = createServer({ name: 's', version: '1' }, { keepAlive: { every: '7s' }, clock, tap })
    const serving = await serveHttp(server, { port: 0, sse: true })
    closing.push(() => serving.close())
    await meet(serving.url.replace('/mcp', '/sse'), { versions: ['2024-11-05'] })
    await clock.advance(6999)
    expect(pings).toEqual([])
    await clock.advance(2)
    expect(pings).toHaveLength(1)
  })
})
