/** Reports of conversations that came to a bad end; those of whole processes are tested with real ones. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Client, connect as connectAnywhere } from '../../client/index.ts'
import { rawServer } from '../../client/raw-server.fixtures.ts'
import { ParleyError } from '../../errors/index.ts'
import type { Link } from '../../jsonrpc/index.ts'
import { createServer, tool } from '../../server/index.ts'
import { fakeClock, flush } from '../../testing/index.ts'
import { memoryPair } from '../../transport/index.ts'
import type { ProtocolVersion } from '../../versions/index.ts'
import { connect } from '../connect.ts'
import { CrashReporter } from './reporter.ts'

let directory: string
let reporter: CrashReporter | undefined
const clock = fakeClock()

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-crash-'))
})
afterEach(() => {
  reporter?.stop()
  reporter = undefined
  rmSync(directory, { recursive: true })
})

const reports = () =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }))
const listeners = () => process.listenerCount('uncaughtExceptionMonitor')

/** A server with a call that does not end, and a link that can be broken. */
async function conversation(
  options: ConstructorParameters<typeof CrashReporter>[0],
  version: ProtocolVersion = '2026-07-28',
) {
  reporter = new CrashReporter(options)
  const server = createServer({ name: 's', version: '1' }, { clock }).add(
    tool(
      'hang',
      { input: { type: 'object', properties: { secret: { type: 'string' } } } as const },
      () => new Promise<string>(() => {}),
    ),
  )
  const [near, far] = memoryPair()
  let fail: (reason?: Error) => void = () => {}
  const link: Link = {
    transport: 'breakable',
    open(events) {
      fail = (reason) => events.closed(reason)
      far.open(events)
    },
    send: (frame) => far.send(frame),
    close: () => far.close(),
  }
  const session = reporter.watching(server).accept(link, { keepAlive: false })
  const client: Client = await connectAnywhere(near, { version, keepAlive: false })
  client.call('hang', { secret: 'payload-payload' }).catch(() => {})
  await flush()
  return { session, client, server, fail: (reason?: Error) => fail(reason) }
}

describe('L8 a conversation that ends with an error', () => {
  it.each([
    [
      '2025-11-25',
      ['initialization', 'initialized', 'ready', 'closed'],
      ['initialize', undefined, 'notifications/initialized', 'tools/call'],
    ],
    ['2026-07-28', ['initialization', 'closed'], ['server/discover', undefined, 'tools/call']],
  ] as const)('leaves a report of what was open, and nothing that was said (%s)', async (version, phases, methods) => {
    const { session, fail, client } = await conversation({ directory, clock }, version)
    await clock.advance(1500)
    fail(new ParleyError('transport_error', { message: 'reset by peer', cause: new Error('token=abcdefgh') }))
    const [report, ...others] = reports()
    expect(others).toEqual([])
    expect(report?.text).not.toMatch(/payload-payload|abcdefgh/)
    expect(report?.text).not.toContain(session.id)
    expect(JSON.parse(report?.text ?? '')).toMatchObject({
      cause: 'session',
      at: new Date(clock.now()).toISOString(),
      error: { kind: 'transport_error', message: 'reset by peer', cause: { message: 'token=[secret]' } },
      sessions: [
        {
          transport: 'breakable',
          history: phases.map((phase) => ({ phase })),
          inFlight: [{ method: 'tools/call', ageMs: 1500 }],
          lastMessages: methods.map((method) => (method === undefined ? { kind: 'result' } : { method })),
        },
      ],
    })
    expect(statSync(join(directory, report?.name ?? '')).mode & 0o777).toBe(0o600)
    await client.close()
  })

  it.each([undefined, new ParleyError('initialization_timeout')])(
    'leaves none when it was no accident (%s)',
    async (reason) => {
      const { fail, client } = await conversation({ directory, clock })
      fail(reason)
      expect(reports()).toEqual([])
      await client.close()
    },
  )

  it('keeps a bounded number, the newest, and no other file is touched', async () => {
    writeFileSync(join(directory, 'mine.json'), '{}')
    for (let count = 0; count < 5; count++) {
      const { fail, client } = await conversation({ directory, clock, maxFiles: 3 })
      await clock.advance(1000)
      fail(new Error(`end ${count}`))
      await client.close()
      reporter?.stop()
    }
    const kept = reports().filter(({ name }) => name !== 'mine.json')
    expect(kept.map(({ text }) => JSON.parse(text).error.message)).toEqual(['end 2', 'end 3', 'end 4'])
    expect(readdirSync(directory)).toContain('mine.json')
  })

  it('does no harm when it cannot be written', async () => {
    const blocked = join(directory, 'a file')
    writeFileSync(blocked, '')
    for (const place of [blocked, join(blocked, 'below'), '/proc/nowhere']) {
      const { fail, session, client } = await conversation({ directory: place, clock })
      fail(new Error('the end'))
      expect(session.phase).toBe('closed')
      await client.close()
      reporter?.stop()
    }
    chmodSync(blocked, 0o600)
    expect(reports()).toEqual([])
  })

  it('remembers the last messages only, and of long or broken ones the size', async () => {
    const { fail, client } = await conversation({ directory, clock })
    for (let count = 0; count < 40; count++) await client.ping()
    client.call('hang', { secret: 'x'.repeat(100_000) }).catch(() => {})
    await flush()
    fail(new Error('the end'))
    const [session] = JSON.parse(reports()[0]?.text ?? '').sessions
    expect(session.lastMessages).toHaveLength(32)
    expect(session.lastMessages.at(-1)).toEqual({
      at: clock.now(),
      direction: 'received',
      kind: 'unknown',
      size: expect.any(Number),
    })
    expect(session.lastMessages.at(-1).size).toBeGreaterThan(100_000)
    await client.close()
  })
})

describe('L8 a client with reports', () => {
  it('writes one for each session it lost, and stops looking when it is closed', async () => {
    const before = listeners()
    const servers: ReturnType<typeof rawServer>[] = []
    const ends: ((reason: Error) => void)[] = []
    const open = (): Link => {
      const server = rawServer()
      servers.push(server)
      return {
        transport: 'breakable',
        open(events) {
          ends.push((reason) => events.closed(reason))
          server.link.open(events)
        },
        send: (frame) => server.link.send(frame),
        close: () => server.link.close(),
      }
    }
    const client = await connect(open, { crashReports: { directory, clock }, clock, random: () => 0, keepAlive: false })
    expect(listeners()).toBe(before + 1)
    client.call('x').catch(() => {})
    ends[0]?.(new Error('first end'))
    await clock.advance(1000)
    ends[1]?.(new Error('second end'))
    expect(reports().map(({ text }) => JSON.parse(text))).toMatchObject([
      {
        error: { message: 'first end' },
        sessions: [{ role: 'client', pending: [{ method: 'tools/call', ageMs: 0 }] }],
      },
      { error: { message: 'second end' }, sessions: [{ pending: [] }] },
    ])
    await client.close()
    expect(listeners()).toBe(before)
  })

  it('also stops when it never was connected', async () => {
    const before = listeners()
    const refuse = () => Promise.reject(new Error('nobody there'))
    await expect(connect(refuse, { crashReports: directory })).rejects.toThrow('nobody there')
    expect(listeners()).toBe(before)
  })
})
