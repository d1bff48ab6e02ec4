/** The same program against the same server, in both eras: its user cannot tell which one is spoken. */
import { describe, expect, it } from 'vitest'
import { createServer, resource, tool } from '../server/index.ts'
import { connect, fakeClock, flush, leaks } from '../testing/index.ts'

const made = (clock: ReturnType<typeof fakeClock>) =>
  createServer({ name: 's', version: '1' }, { clock, cache: { lists: { ttl: '1m' }, resources: { ttl: '1m' } } }).add(
    tool('chatty', {}, (_, ctx) => {
      for (const level of ['debug', 'warning', 'error'] as const) ctx.log(level, level)
      return 'said'
    }),
    resource('a://x', { name: 'x' }, () => 'text'),
    resource('a://y', { name: 'y' }, () => 'text'),
  )

describe.each(['2025-11-25', '2026-07-28'] as const)('V4 F2 F9 a program in %s', (version) => {
  async function begin() {
    const clock = fakeClock()
    const server = made(clock)
    const client = await connect(server, { version, clock })
    const clean = async () => {
      await client.close()
      await flush()
      expect(leaks(client, client.serverSession, clock)).toEqual([])
    }
    return { clock, server, client, clean }
  }

  it('hears of resources it has subscribed to, until it unsubscribes', async () => {
    const { server, client, clean } = await begin()
    const heard: string[] = []
    const x = await client.subscribe('a://x', (uri) => heard.push(uri))
    await client.subscribe('a://y', (uri) => heard.push(uri))
    server.updated('a://x')
    server.updated('a://y')
    await flush()
    expect(heard.splice(0)).toEqual(['a://x', 'a://y'])
    await x.unsubscribe()
    await flush()
    server.updated('a://x')
    server.updated('a://y')
    await flush()
    expect(heard).toEqual(['a://y'])
    await clean()
  })

  it('hears of lists that have changed, and then reads what is new', async () => {
    const { clock, server, client, clean } = await begin()
    const names: string[][] = []
    client.onListChanged('tools', async () => names.push((await client.tools()).map(({ name }) => name)))
    expect(await client.tools()).toHaveLength(1)
    await flush()
    server.add(tool('later', {}, () => 'x'))
    await flush()
    await clock.advance(1000)
    expect(names).toEqual([['chatty', 'later']])
    await clean()
  })

  it('hears the log from the level it set on', async () => {
    const { client, clean } = await begin()
    const logged: unknown[] = []
    client.onLog(({ data }) => logged.push(data))
    await client.call('chatty')
    expect(logged.splice(0)).toEqual(['debug', 'warning', 'error'])
    await client.setLogLevel('error')
    await client.call('chatty')
    expect(logged).toEqual(['error'])
    await clean()
  })

  it('reads, pings and asks who is there', async () => {
    const { client, clean } = await begin()
    for (let round = 0; round < 2; round++)
      expect((await client.read('a://x')).contents).toMatchObject([{ uri: 'a://x', text: 'text' }])
    await client.ping()
    expect([client.version, client.server.name, client.state]).toEqual([version, 's', 'connected'])
    expect(client.rootsChanged()).toBe(false)
    await clean()
  })
})
