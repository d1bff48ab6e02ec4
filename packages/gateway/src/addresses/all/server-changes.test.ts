/** G: servers that are added, replaced or removed while clients are there, and lists that only one client sees. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ParleyError } from 'parley-mcp'
import { createServer, resource, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scripted } from '../server/peers.fixtures.ts'
import { AggregateRig, notesServer } from './aggregate.fixtures.ts'

const ERAS = ['2025-06-18', '2026-07-28'] as const

let rig: AggregateRig
afterEach(() => rig.close())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const named = async (client: { tools(): Promise<{ name: string }[]> }): Promise<string[]> =>
  (await client.tools()).map(({ name }) => name)

const small = (self: string) => {
  const server = createServer({ name: self, version: '1' })
  return server.add(
    tool('who', {}, () => self),
    tool('touch', {}, () => {
      server.updated('note://x')
      return 'touched'
    }),
    resource('note://x', {}, () => `x of ${self}`),
  )
}

describe.each(ERAS)('G sessions of clients of %s go on', (version) => {
  it('when a server is added, and they are told', async () => {
    rig = new AggregateRig({ a: { server: small('a') } })
    const client = await rig.connect({ version })
    let told = 0
    client.onListChanged('tools', () => told++)
    expect(await named(client)).toEqual(['a__who', 'a__touch'])
    rig.replace({ b: { server: small('b') } })
    await vi.waitFor(() => expect(told).toBeGreaterThan(0))
    expect(await named(client)).toEqual(['a__who', 'a__touch', 'b__who', 'b__touch'])
    expect((await client.call('b__who')).text).toBe('b')
  })

  it('when one is removed: what it had is refused clearly, what the others have is not', async () => {
    rig = new AggregateRig({ a: { server: small('a') }, b: { server: notesServer('b') } })
    const client = await rig.connect({ version })
    await client.call('b__who')
    expect((await client.read('note://b')).contents).toMatchObject([{ text: 'the own of b' }])
    const [gone] = rig.replace({}, ['b'])
    await gone?.close()
    expect(await named(client)).toEqual(['a__who', 'a__touch'])
    await expect(client.call('b__who')).rejects.toThrow(/Unknown tool: b__who/)
    await expect(client.prompt('b__hi')).rejects.toThrow(/Unknown prompt: b__hi/)
    await expect(client.read('note://b')).rejects.toThrow(/Resource not found: note:\/\/b/)
    await expect(client.read('parley://servers/b/note%3A%2F%2Fb')).rejects.toThrow(/Resource not found/)
    expect((await client.call('a__who')).text).toBe('a')
  })

  it('when one is replaced: calls meet the new one, and what was followed is followed there', async () => {
    rig = new AggregateRig({ a: { server: small('old') }, b: { server: small('other') } })
    const client = await rig.connect({ version })
    await client.resources()
    const updates: string[] = []
    await client.subscribe('note://x', (uri) => updates.push(uri))
    expect((await client.call('a__who')).text).toBe('old')
    const [old] = rig.replace({ a: { server: small('new') } })
    await old?.close()
    expect((await client.call('a__who')).text).toBe('new')
    // It may have changed meanwhile.
    await vi.waitFor(() => expect(updates).toEqual(['note://x']))
    await client.call('a__touch')
    await vi.waitFor(() => expect(updates).toEqual(['note://x', 'note://x']))
    expect((await client.read('note://x')).contents).toMatchObject([{ text: 'x of new' }])
  })
})

describe('G a replaced server', () => {
  it('is not shown any more where the new one has not answered yet', async () => {
    rig = new AggregateRig({ a: { server: small('old') }, b: { server: small('b') } })
    const client = await rig.connect({ version: '2025-06-18' })
    expect(await named(client)).toContain('a__touch')
    await client.resources()
    const broken = scripted({
      version: '2025-06-18',
      answer: () => Promise.reject(new ParleyError('internal_error', { message: 'no list' })),
    })
    const [old] = rig.replace({ a: { server: broken } })
    await old?.close()
    expect(await named(client)).toEqual(['b__who', 'b__touch'])
    // Its names lead to no other server.
    await expect(client.read('note://x')).rejects.toThrow(/no list/)
  })
})

describe('G servers in another order', () => {
  it('D-19 hand what several offer, and somebody listens to, over to the first', async () => {
    rig = new AggregateRig({ a: { server: small('a') }, b: { server: small('b') } })
    const client = await rig.connect({ version: '2026-07-28' })
    await client.resources()
    const updates: string[] = []
    await client.subscribe('note://x', (uri) => updates.push(uri))
    rig.aggregate.setServers(['b', 'a'].flatMap((name) => rig.addresses.get(name) ?? []))
    await vi.waitFor(() => expect(updates).toEqual(['note://x']))
    await client.call('a__touch')
    await client.call('b__touch')
    await vi.waitFor(() => expect(updates).toEqual(['note://x', 'note://x']))
  })
})

describe('G a removed server', () => {
  it('D-19 that comes back is listened to again, and what was listened to is told to have changed once', async () => {
    rig = new AggregateRig({ a: { server: small('a') }, b: { server: small('b') } })
    const client = await rig.connect({ version: '2026-07-28' })
    await client.resources()
    const updates: string[] = []
    const own = 'parley://servers/b/note%3A%2F%2Fx'
    await client.subscribe(own, (uri) => updates.push(uri))
    const [gone] = rig.replace({}, ['b'])
    await gone?.close()
    expect(await named(client)).toEqual(['a__who', 'a__touch'])
    let ready: () => void = () => {}
    const before = () => new Promise<void>((resolve) => (ready = resolve))
    rig.replace({ b: { server: small('b'), before } })
    await client.call('a__touch')
    expect(updates).toEqual([])
    ready()
    await vi.waitFor(() => expect(updates).toEqual([own]))
    await client.call('b__touch')
    await vi.waitFor(() => expect(updates).toEqual([own, own]))
  })

  it('is not held by anything', async () => {
    rig = new AggregateRig({ a: { server: small('a') } })
    const clients = [await rig.connect({ version: '2025-06-18' }), await rig.connect({ version: '2026-07-28' })]
    const gone: WeakRef<object>[] = []
    for (let count = 0; count < 5; count++) {
      rig.replace({ b: { server: small('b') } })
      if (count === 0)
        await Promise.all(clients.map((client) => client.subscribe('parley://servers/b/note%3A%2F%2Fx', () => {})))
      for (const client of clients) {
        await named(client)
        await client.call('b__who')
        await client.read('note://x')
      }
      const [old] = rig.forget('b')
      gone.push(new WeakRef(old as object))
      await old?.close()
    }
    await vi.waitFor(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      collectGarbage()
      // The last one may still be on the way out.
      expect(gone.slice(0, -1).filter((each) => each.deref() !== undefined)).toEqual([])
    })
  })
})

describe('G a list that has changed in one client’s own conversation', () => {
  it('is told to that client and shown to it, and to no other', async () => {
    // Each conversation has a server of its own, as with processes.
    const server = () => {
      const own = createServer({ name: 'own', version: '1' })
      return own.add(
        tool('unlock', {}, () => {
          own.add(tool('treasure', {}, () => 'gold'))
          return 'unlocked'
        }),
      )
    }
    rig = new AggregateRig({ own: { server }, a: { server: small('a') } })
    const one = await rig.connect({ version: '2025-06-18' })
    const other = await rig.connect({ version: '2025-06-18' })
    let told = 0
    let toldOther = 0
    one.onListChanged('tools', () => told++)
    other.onListChanged('tools', () => toldOther++)
    expect(await named(one)).toEqual(['own__unlock', 'a__who', 'a__touch'])
    await one.call('own__unlock')
    await vi.waitFor(() => expect(told).toBe(1))
    expect(await named(one)).toEqual(['own__unlock', 'own__treasure', 'a__who', 'a__touch'])
    expect((await one.call('own__treasure')).text).toBe('gold')
    expect(await named(other)).toEqual(['own__unlock', 'a__who', 'a__touch'])
    expect(toldOther).toBe(0)
  })
})
