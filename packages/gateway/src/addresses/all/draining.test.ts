/** G: what clients of the aggregate asked of a server that is then replaced or removed. */
import { createServer, resource, type Server, tool } from 'parley-mcp/server'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ServerAddress } from '../server/server-address.ts'
import { AggregateRig } from './aggregate.fixtures.ts'

let rig: AggregateRig
afterEach(() => rig.close())

interface Slow {
  readonly server: Server
  readonly begun: () => number
  readonly touch: () => void
  readonly release: () => void
}

function slow(self: string): Slow {
  const waiting: ((text: string) => void)[] = []
  const server = createServer({ name: self, version: '1' })
  server.add(
    tool('who', {}, () => self),
    tool('slow', {}, () => new Promise<string>((resolve) => waiting.push(resolve))),
    resource('note://x', {}, () => self),
  )
  return {
    server,
    begun: () => waiting.length,
    touch: () => server.updated('note://x'),
    release: () => {
      for (const resolve of waiting) resolve(`${self} is done`)
    },
  }
}

/** Whether the server was waited for to the end; then it is closed, as the gateway does. */
function drained(old: ServerAddress | undefined): { over: boolean; closed: Promise<void> } {
  const state = { over: false, closed: Promise.resolve() }
  state.closed = rig.aggregate.drained(old as ServerAddress).then(() => {
    state.over = true
    return old?.close()
  })
  return state
}

describe.each(['2025-06-18', '2026-07-28'] as const)('G a call of a client of %s', (version) => {
  it.each(['replaced', 'removed'])('is answered by the server it was made to, which is %s meanwhile', async (what) => {
    const [old, next, other] = [slow('old'), slow('new'), slow('other')]
    rig = new AggregateRig({ a: { server: old.server }, b: { server: other.server } })
    const client = await rig.connect({ version })
    const waiting = client.call('a__slow')
    await vi.waitFor(() => expect(old.begun()).toBe(1))
    const [gone] = what === 'replaced' ? rig.replace({ a: { server: next.server } }) : rig.replace({}, ['a'])
    const draining = drained(gone)
    if (what === 'replaced') expect((await client.call('a__who')).text).toBe('new')
    else await expect(client.call('a__who')).rejects.toThrow(/Unknown tool: a__who/)
    expect((await client.call('b__who')).text).toBe('other')
    expect(draining.over).toBe(false)
    old.release()
    expect((await waiting).text).toBe('old is done')
    await draining.closed
  })

  it('that takes longer than 5 s is ended with the server', async () => {
    const clock: FakeClock = fakeClock()
    const old = slow('old')
    rig = new AggregateRig({ a: { server: old.server } }, { clock })
    const client = await rig.connect({ version })
    const waiting = expect(client.call('a__slow')).rejects.toThrow()
    await vi.waitFor(() => expect(old.begun()).toBe(1))
    const draining = drained(rig.replace({}, ['a'])[0])
    await clock.advance(4999)
    expect(draining.over).toBe(false)
    await clock.advance(1)
    expect(draining.over).toBe(true)
    await draining.closed
    await waiting
  })
})

describe('G a server that is replaced', () => {
  it('is not waited for if no client has called it, or the aggregate ends', async () => {
    const old = slow('old')
    rig = new AggregateRig({ a: { server: old.server }, b: { server: slow('b').server } })
    const client = await rig.connect({ version: '2025-06-18', reconnect: false })
    await client.call('b__who')
    await drained(rig.replace({}, ['b'])[0]).closed
    const waiting = expect(client.call('a__slow')).rejects.toThrow()
    await vi.waitFor(() => expect(old.begun()).toBe(1))
    const draining = drained(rig.replace({}, ['a'])[0])
    await rig.aggregate.close()
    await draining.closed
    await waiting
  })

  it('ends its conversation with a client that leaves while it still works for it', async () => {
    const clock: FakeClock = fakeClock()
    const old = slow('old')
    let open = 0
    const server = {
      accept: (link: Parameters<Server['accept']>[0]) => {
        const session = old.server.accept(link)
        open++
        session.onClose(() => open--)
        return session
      },
    }
    rig = new AggregateRig({ a: { server } }, { clock })
    const client = await rig.connect({ version: '2025-06-18' })
    const waiting = expect(client.call('a__slow')).rejects.toThrow()
    await vi.waitFor(() => expect(old.begun()).toBe(1))
    const draining = drained(rig.replace({}, ['a'])[0])
    const before = open
    await client.close()
    await waiting
    // The gateway's own is left.
    await vi.waitFor(() => expect(open).toBeLessThan(before))
    await draining.closed
    expect(open).toBe(0)
  })

  it('tells nothing more of what was followed there', async () => {
    const [old, next] = [slow('old'), slow('new')]
    rig = new AggregateRig({ a: { server: old.server } })
    const client = await rig.connect({ version: '2025-06-18' })
    const updates: string[] = []
    await client.subscribe('note://x', (uri) => updates.push(uri))
    const waiting = client.call('a__slow')
    await vi.waitFor(() => expect(old.begun()).toBe(1))
    const draining = drained(rig.replace({ a: { server: next.server } })[0])
    await vi.waitFor(() => expect(updates).toHaveLength(1))
    old.touch()
    await client.call('a__who')
    next.touch()
    await vi.waitFor(() => expect(updates).toHaveLength(2))
    old.release()
    await waiting
    await draining.closed
    expect(updates).toHaveLength(2)
  })
})
