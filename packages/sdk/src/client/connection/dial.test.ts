import { afterEach, describe, expect, it } from 'vitest'
import type { Body, Link } from '../../jsonrpc/index.ts'
import { createServer, tool } from '../../server/index.ts'
import { fakeClock, flush } from '../../testing/index.ts'
import { type Era, handshakeVersions, versions } from '../../versions/index.ts'
import { connect } from '../index.ts'
import type { ConnectOptions } from '../options.ts'
import { type RawServer, rawServer } from '../raw-server.fixtures.ts'
import { rawStateless } from '../raw-stateless.fixtures.ts'
import { openerFor, type Target } from '../target.ts'
import { type EraMemory, RecentEras } from './era-memory.ts'

const closing: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const client of closing.splice(0)) await client.close()
})

async function connected(target: Target, options?: ConnectOptions) {
  const client = await connect(target as Link, options)
  closing.push(client)
  return client
}

const NO: Body = { error: { code: -32601, message: 'unknown' } }

describe('V4 the newest version is taken', () => {
  const server = createServer({ name: 's', version: '1' }).add(tool('hello', {}, () => 'Hello!'))

  it('of a server value', async () => {
    const client = await connected(server)
    expect(client.session).toMatchObject({ era: 'stateless', version: '2026-07-28' })
    expect((await client.call('hello' as never)).text).toBe('Hello!')
  })

  it.each(versions)('or %s when told so', async (version) => {
    const client = await connected(server, { version })
    expect(client.session.version).toBe(version)
    expect((await client.call('hello' as never)).text).toBe('Hello!')
  })

  it('of a server that was made for older ones', async () => {
    const client = await connected(rawServer().link)
    expect(client.session.version).toBe('2025-11-25')
  })

  it('of a silent server after a while', async () => {
    const clock = fakeClock()
    const raw = rawServer({ answers: { 'server/discover': () => undefined } })
    const connecting = connected(raw.link, { clock, probeTimeout: '500ms' })
    await flush()
    expect(raw.of('initialize')).toEqual([])
    await clock.advance(500)
    expect((await connecting).session.era).toBe('handshake')
  })
})

/** Servers one after the other, as a command would start them. */
function starting(...servers: (() => { link: Link })[]): { open: () => Link; started: () => number } {
  let count = 0
  return {
    open: () => (servers[Math.min(count++, servers.length - 1)] as () => { link: Link })().link,
    started: () => count,
  }
}

/** Dies of a first request it does not know. */
function fragile(all: RawServer[]): RawServer {
  const raw = rawServer({
    answers: {
      'server/discover': () => {
        queueMicrotask(() => raw.hangUp())
        return undefined
      },
    },
  })
  all.push(raw)
  return raw
}

describe('D-65 a server that dies of the question', () => {
  it('is started once more and met with the handshake; a reconnect does not ask again', async () => {
    const all: RawServer[] = []
    const { open, started } = starting(() => fragile(all))
    const clock = fakeClock()
    const client = await connected(open, { clock, reconnect: { delays: [10] } })
    expect(started()).toBe(2)
    expect(client.session.version).toBe('2025-11-25')
    expect(all[1]?.received.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized'])

    all[1]?.hangUp()
    await flush()
    await clock.advance(20)
    expect(client.state).toBe('connected')
    expect(all[2]?.of('server/discover')).toEqual([])
  })

  it('is an error where there is but one link', async () => {
    await expect(connect(fragile([]).link)).rejects.toMatchObject({
      kind: 'connection_closed',
      message: expect.stringContaining('server/discover'),
    })
  })

  it('is not tried a third time', async () => {
    const { open, started } = starting(() => {
      const raw = fragile([])
      queueMicrotask(() => queueMicrotask(() => raw.hangUp()))
      return raw
    })
    await expect(connect(open)).rejects.toMatchObject({ kind: 'connection_closed' })
    expect(started()).toBe(2)
  })
})

describe('V4 what was found out is remembered', () => {
  /** HTTP without the network: links by address, and how many of them were opened. */
  const address = (links: () => Link) => openerFor('http://host.test/mcp?x=1#y', {}, { 'http:': links }) as () => Link
  const memory = (era?: Era): EraMemory & { readonly all: Map<string, unknown> } => {
    const all = new Map<string, unknown>(era === undefined ? [] : [['http://host.test/mcp', era]])
    return { all, get: (key) => all.get(key) as Era | undefined, set: (key, value) => void all.set(key, value) }
  }

  it('by origin and path', async () => {
    const eras = memory()
    await connected(
      address(() => rawStateless().link),
      { eras },
    )
    expect([...eras.all]).toEqual([['http://host.test/mcp', 'stateless']])
    await connected(
      address(() => rawServer().link),
      { eras },
    )
    expect([...eras.all]).toEqual([['http://host.test/mcp', 'handshake']])
  })

  it('a server known to be of the handshake era is not asked', async () => {
    const raw = rawServer({ answers: { 'server/discover': () => NO } })
    await connected(
      address(() => raw.link),
      { eras: memory('handshake') },
    )
    expect(raw.of('server/discover')).toEqual([])
  })

  it.each([
    ['names the versions it has', { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } }],
    ['only says no', NO],
  ])('one that has changed since and %s is asked after all', async (_, refusal) => {
    const eras = memory('handshake')
    const client = await connected(
      address(() => rawStateless({ answers: { initialize: () => refusal } }).link),
      { eras },
    )
    expect(client.session.era).toBe('stateless')
    expect([...eras.all.values()]).toEqual(['stateless'])
  })

  it('one that was of the stateless era and is no more is met with the handshake', async () => {
    const eras = memory('stateless')
    await connected(
      address(() => rawServer().link),
      { eras },
    )
    expect([...eras.all.values()]).toEqual(['handshake'])
  })

  it('a client with handshake versions only remembers nothing', async () => {
    const eras = memory()
    await connected(
      address(() => rawServer().link),
      { eras, versions: handshakeVersions },
    )
    expect([...eras.all]).toEqual([])
  })

  it('what makes no sense is not believed', async () => {
    const raw = rawServer({ answers: { 'server/discover': () => NO } })
    await connected(
      address(() => raw.link),
      { eras: memory('other' as never) },
    )
    expect(raw.of('server/discover')).toHaveLength(1)
  })

  it('by the whole process, unless the caller gives a memory', async () => {
    const servers = [0, 1].map(() => rawServer({ answers: { 'server/discover': () => NO } }))
    for (const raw of servers) {
      const open = openerFor('http://process.test/', {}, { 'http:': () => raw.link }) as () => Link
      await connected(open)
    }
    expect(servers.map((raw) => raw.of('server/discover').length)).toEqual([1, 0])
  })

  it('not for a fetch of the caller', async () => {
    const servers = [0, 1].map(() => rawServer({ answers: { 'server/discover': () => NO } }))
    for (const raw of servers) {
      const open = openerFor(
        { url: 'http://fetched.test/', fetch: (() => {}) as never },
        {},
        { 'http:': () => raw.link },
      ) as () => Link
      await connected(open)
    }
    expect(servers.map((raw) => raw.of('server/discover').length)).toEqual([1, 1])
  })

  it('the least recently used is forgotten first', () => {
    const eras = new RecentEras(2)
    eras.set('a', 'stateless')
    eras.set('b', 'handshake')
    expect(eras.get('a')).toBe('stateless')
    eras.set('c', 'stateless')
    expect([eras.get('a'), eras.get('b'), eras.get('c')]).toEqual(['stateless', undefined, 'stateless'])
  })
})
