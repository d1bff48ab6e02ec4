/** Subscriptions: one on the wire for many handlers, and none left behind. */
import { describe, expect, it } from 'vitest'
import { connect } from '../connect.ts'
import { rawServer } from '../raw-server.fixtures.ts'

const subscribable = () =>
  rawServer({ answers: { 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}), ping: () => ({}) } })

describe('F2 subscribe', () => {
  it('shares one wire subscription between handlers, and ends it with the last', async () => {
    const server = subscribable()
    const client = await connect(server.link)
    const heard: string[] = []
    const [one, two] = await Promise.all([
      client.subscribe('a://x', (uri) => heard.push(`one ${uri}`)),
      client.subscribe('a://x', (uri) => heard.push(`two ${uri}`)),
    ])
    expect(server.of('resources/subscribe')).toHaveLength(1)
    server.notify('notifications/resources/updated', { uri: 'a://x' })
    await client.ping()
    expect(heard).toEqual(['one a://x', 'two a://x'])

    await one.unsubscribe()
    await one.unsubscribe()
    expect(server.of('resources/unsubscribe')).toHaveLength(0)
    server.notify('notifications/resources/updated', { uri: 'a://x' })
    await client.ping()
    expect(heard).toEqual(['one a://x', 'two a://x', 'two a://x'])

    await two[Symbol.asyncDispose]()
    expect(server.of('resources/unsubscribe').map((message) => message.params)).toEqual([{ uri: 'a://x' }])
    expect(client.subscriptions()).toEqual([])
  })

  it('takes the same function twice', async () => {
    const server = subscribable()
    const client = await connect(server.link)
    let count = 0
    const handler = () => count++
    const first = await client.subscribe('a://x', handler)
    await client.subscribe('a://x', handler)
    await first.unsubscribe()
    server.notify('notifications/resources/updated', { uri: 'a://x' })
    await client.ping()
    expect(count).toBe(1)
  })

  it('leaves nothing behind when the server refuses', async () => {
    const server = rawServer({ answers: { 'resources/subscribe': () => ({ error: { code: -32602, message: 'no' } }) } })
    const client = await connect(server.link)
    const both = await Promise.allSettled([client.subscribe('a://x', () => {}), client.subscribe('a://x', () => {})])
    expect(both.map((each) => each.status)).toEqual(['rejected', 'rejected'])
    expect(client.subscriptions()).toEqual([])
  })

  it('hears of parts of what it subscribed to, at the nearest subscription', async () => {
    const server = subscribable()
    const client = await connect(server.link)
    const heard: string[] = []
    await client.subscribe('a://x', (uri) => heard.push(`x ${uri}`))
    await client.subscribe('a://x/y/', (uri) => heard.push(`y ${uri}`))
    for (const uri of ['a://x/1', 'a://x/y/2', 'a://x?q', 'a://xylophone', 'b://x'])
      server.notify('notifications/resources/updated', { uri })
    server.notify('notifications/resources/updated', {})
    await client.ping()
    expect(heard).toEqual(['x a://x/1', 'y a://x/y/2', 'x a://x?q'])
  })

  it('a handler that throws harms no other and is reported', async () => {
    const server = subscribable()
    const errors: unknown[] = []
    const client = await connect(server.link, { onError: (error) => errors.push(error) })
    let heard = 0
    await client.subscribe('a://x', () => {
      throw new Error('mine')
    })
    await client.subscribe('a://x', async () => {
      throw new Error('later')
    })
    await client.subscribe('a://x', () => heard++)
    server.notify('notifications/resources/updated', { uri: 'a://x' })
    await client.ping()
    expect(heard).toBe(1)
    expect(errors).toEqual([
      expect.objectContaining({ message: 'mine' }),
      expect.objectContaining({ message: 'later' }),
    ])
  })

  it('M7 ends with the session: unsubscribing later is quiet', async () => {
    const server = subscribable()
    const client = await connect(server.link)
    const subscription = await client.subscribe('a://x', () => {})
    await client.close()
    await subscription.unsubscribe()
    expect(client.subscriptions()).toEqual([])
  })

  it('keeps what to subscribe to again when the connection is lost', async () => {
    const server = subscribable()
    const client = await connect(server.link)
    const subscription = await client.subscribe('a://x', () => {})
    server.link.close()
    await new Promise<void>((resolve) => client.session.onClose(() => resolve()))
    expect(client.subscriptions()).toEqual(['a://x'])
    await subscription.unsubscribe()
    expect(client.subscriptions()).toEqual([])
  })
})
