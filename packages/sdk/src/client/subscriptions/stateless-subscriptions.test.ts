/** Subscriptions and changes of lists in the stateless era: one stream for all that is wanted. */
import { describe, expect, it } from 'vitest'
import { fakeClock, flush } from '../../testing/index.ts'
import { connect } from '../connect.ts'
import type { ConnectOptions } from '../options.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import { type RawStatelessOptions, rawStateless } from '../raw-stateless.fixtures.ts'

const SECOND = 1000

async function begin(options: RawStatelessOptions = {}, more: ConnectOptions = {}) {
  const server = rawStateless(options)
  const clock = fakeClock()
  const errors: unknown[] = []
  const client = await connect(server.link, {
    version: '2026-07-28',
    clock,
    random: () => 0,
    onError: (error) => errors.push(error),
    ...more,
  })
  return { server, clock, client, errors }
}

const updated = 'notifications/resources/updated'

describe('D-19 F2 subscribe without a request for it', () => {
  it('opens one stream for what is subscribed to in one turn', async () => {
    const { server, client } = await begin()
    const heard: string[] = []
    await Promise.all([
      client.subscribe('a://x', (uri) => heard.push(`one ${uri}`)),
      client.subscribe('a://x', (uri) => heard.push(`two ${uri}`)),
      client.subscribe('a://y', (uri) => heard.push(`three ${uri}`)),
    ])
    expect(server.filters).toEqual([{ resourceSubscriptions: ['a://x', 'a://y'] }])
    server.tell(updated, { uri: 'a://x' })
    server.tell(updated, { uri: 'a://y/part' })
    await flush()
    expect(heard).toEqual(['one a://x', 'two a://x', 'three a://y/part'])
    expect(client.subscriptions()).toEqual(['a://x', 'a://y'])
    expect(server.of('resources/subscribe')).toEqual([])
  })

  it('replaces the stream when the set grows and shrinks, and closes it with the last', async () => {
    const { server, client } = await begin()
    const x = await client.subscribe('a://x', () => {})
    const y = await client.subscribe('a://y', () => {})
    await flush()
    expect(server.listening).toHaveLength(1)
    await x.unsubscribe()
    await x.unsubscribe()
    await flush()
    expect(server.filters).toEqual([
      { resourceSubscriptions: ['a://x'] },
      { resourceSubscriptions: ['a://x', 'a://y'] },
      { resourceSubscriptions: ['a://y'] },
    ])
    expect(server.listening).toHaveLength(1)
    await y[Symbol.asyncDispose]()
    await flush()
    expect(server.filters).toHaveLength(3)
    expect(server.listening).toEqual([])
    expect(client.pending()).toEqual([])
  })

  it('keeps the old stream until the new one is agreed to, and hears nothing twice', async () => {
    let silent = false
    const { server, client } = await begin({ agree: (filter) => (silent ? undefined : filter) })
    const heard: string[] = []
    await client.subscribe('a://x', (uri) => heard.push(uri))
    silent = true
    const subscribing = client.subscribe('a://y', (uri) => heard.push(uri))
    await flush()
    const [before, after] = server.listening as [number, number]
    server.tell(updated, { uri: 'a://x' }, before)
    await flush()
    expect(heard).toEqual(['a://x'])
    // All in one burst: whoever hears the agreement no longer hears the old stream.
    server.acknowledge(after, { resourceSubscriptions: ['a://x', 'a://y'] })
    server.tell(updated, { uri: 'a://x' }, after)
    server.tell(updated, { uri: 'a://x' }, before)
    await subscribing
    await flush()
    expect(heard).toEqual(['a://x', 'a://x'])
    expect(server.listening).toEqual([after])
  })

  it('waits for the stream that is being opened and then asks once for all that has changed meanwhile', async () => {
    let silent = true
    const { server, client } = await begin({ agree: (filter) => (silent ? undefined : filter) })
    const first = client.subscribe('a://1', () => {})
    await flush()
    const others = [client.subscribe('a://2', () => {})]
    await flush()
    others.push(client.subscribe('a://3', () => {}))
    await flush()
    expect(server.filters).toHaveLength(1)
    silent = false
    server.acknowledge(server.listening[0] as number, { resourceSubscriptions: ['a://1'] })
    await Promise.all([first, ...others])
    expect(server.filters.slice(1)).toEqual([{ resourceSubscriptions: ['a://1', 'a://2', 'a://3'] }])
  })

  it('fails for what the server leaves out of its agreement, and for nothing else', async () => {
    const { server, client } = await begin({
      agree: ({ resourceSubscriptions }) => ({
        resourceSubscriptions: (resourceSubscriptions as string[]).filter((uri) => uri !== 'a://no'),
      }),
    })
    const [yes, no] = await Promise.allSettled([
      client.subscribe('a://yes', () => {}),
      client.subscribe('a://no', () => {}),
    ])
    expect(yes.status).toBe('fulfilled')
    expect(no).toMatchObject({ status: 'rejected', reason: { kind: 'subscription_failed', data: { uri: 'a://no' } } })
    await flush()
    expect(client.subscriptions()).toEqual(['a://yes'])
    expect(server.filters).toHaveLength(1)
  })

  it('fails as in the handshake era where the server does not offer it', async () => {
    const capabilities = { resources: {} }
    const { server, client } = await begin({ capabilities })
    const handshake = await connect(rawServer({ capabilities }).link, { version: '2025-11-25' })
    const failure = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        ({ kind, message, data }) => ({ kind, message, data }),
      )
    const refused = await failure(client.subscribe('a://x', () => {}))
    expect(refused).toMatchObject({ kind: 'capability_not_supported' })
    expect(refused).toEqual(await failure(handshake.subscribe('a://x', () => {})))
    expect(server.filters).toEqual([])
    expect(client.subscriptions()).toEqual([])
  })

  it('fails with what the server says against listening, and can be tried again', async () => {
    let refuses = true
    const { server, client, clock } = await begin({
      answers: {
        ...(refuses && {
          'subscriptions/listen': (_, { id }) =>
            refuses
              ? { error: { code: -32602, message: 'not now' } }
              : void server.acknowledge(id as number, { resourceSubscriptions: ['a://x'] }),
        }),
      },
    })
    await expect(client.subscribe('a://x', () => {})).rejects.toMatchObject({
      kind: 'invalid_params',
      message: 'not now',
    })
    expect(client.subscriptions()).toEqual([])
    await clock.advance(60 * SECOND)
    expect(server.of('subscriptions/listen')).toHaveLength(1)
    refuses = false
    await client.subscribe('a://x', () => {})
  })

  it('fails when the server does not accept it in time', async () => {
    const { client, clock } = await begin({ agree: () => undefined })
    const subscribing = client.subscribe('a://x', () => {})
    const outcome = subscribing.catch((error) => error.kind)
    await flush()
    await clock.advance(60 * SECOND)
    expect(await outcome).toBe('request_timeout')
    expect(client.pending()).toEqual([])
  })

  it('is over with the client', async () => {
    const { server, client, clock } = await begin({ agree: () => undefined })
    const subscribing = client.subscribe('a://x', () => {}).catch((error) => error.kind)
    await flush()
    await client.close()
    expect(await subscribing).toBe('session_closed')
    expect(server.closed).toBe(true)
    expect(clock.pending).toBe(0)
  })
})

describe('D-29 F2 changes of lists', () => {
  it('are listened for while they have a handler', async () => {
    const { server, client } = await begin()
    expect(server.filters).toEqual([])
    const heard: string[] = []
    const stop = client.onListChanged('tools', () => heard.push('tools'))
    const stopToo = client.onNotification('notifications/prompts/list_changed', () => heard.push('prompts'))
    await flush()
    expect(server.filters).toEqual([{ toolsListChanged: true, promptsListChanged: true }])
    server.tell('notifications/tools/list_changed')
    server.tell('notifications/prompts/list_changed')
    await flush()
    expect(heard).toEqual(['tools', 'prompts'])
    stop()
    stop()
    await flush()
    expect(server.filters.slice(1)).toEqual([{ promptsListChanged: true }])
    stopToo()
    await flush()
    expect(server.listening).toEqual([])
  })

  it('are all wanted by who hears everything, together with what is subscribed to', async () => {
    const { server, client } = await begin({
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true, listChanged: true } },
    })
    const heard: unknown[] = []
    client.onNotification('*', (params, method) => heard.push([method, params]))
    await client.subscribe('a://x', () => {})
    expect(server.filters).toEqual([
      { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['a://x'] },
    ])
    server.tell(updated, { uri: 'a://x' })
    await flush()
    expect(heard).toEqual([[updated, { uri: 'a://x' }]])
  })

  it('open nothing where the server does not announce them, and other notifications never do', async () => {
    const { server, client } = await begin({ capabilities: { tools: {}, logging: {} } })
    client.onListChanged('tools', () => {})
    client.onListChanged('prompts', () => {})
    client.onLog(() => {})
    await flush()
    expect(server.of('subscriptions/listen')).toEqual([])
  })

  it('are not asked for again when the server leaves them out of its agreement', async () => {
    const { server, client } = await begin({ agree: ({ toolsListChanged }) => ({ toolsListChanged }) })
    client.onListChanged('tools', () => {})
    client.onListChanged('prompts', () => {})
    await flush()
    expect(server.filters).toHaveLength(1)
    client.onListChanged('resources', () => {})
    await flush()
    expect(server.filters.slice(1)).toEqual([{ toolsListChanged: true, resourcesListChanged: true }])
  })
})

describe('L6 a stream that is lost', () => {
  it('is opened again after a while, and everything is presumed to have changed', async () => {
    const { server, client, clock } = await begin()
    const heard: string[] = []
    client.onListChanged('tools', () => heard.push('tools'))
    await client.subscribe('a://x', (uri) => heard.push(uri))
    server.end()
    await flush()
    await clock.advance(SECOND - 1)
    expect(server.listening).toEqual([])
    await clock.advance(1)
    expect(server.filters).toHaveLength(2)
    expect(server.filters[1]).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a://x'] })
    expect(heard).toEqual(['tools', 'a://x'])
    server.tell(updated, { uri: 'a://x' })
    await flush()
    expect(heard).toEqual(['tools', 'a://x', 'a://x'])
  })

  it('is reopened with growing delays when it does not last, and with the first delay when it did', async () => {
    const { server, client, clock } = await begin()
    client.onListChanged('tools', () => {})
    await flush()
    for (const seconds of [1, 2, 4, 8]) {
      server.end({ code: -32603, message: 'overloaded' })
      await flush()
      await clock.advance(seconds * SECOND - 1)
      expect(server.listening).toEqual([])
      await clock.advance(1)
      expect(server.listening).toHaveLength(1)
    }
    await clock.advance(30 * SECOND)
    server.end()
    await flush()
    await clock.advance(SECOND)
    expect(server.listening).toHaveLength(1)
  })

  it('is tried again when that fails, which is reported, and what was missed is presumed in the end', async () => {
    let refuses = false
    const { server, client, clock, errors } = await begin({
      answers: {
        'subscriptions/listen': (_, { id }) => {
          if (refuses) return { error: { code: -32603, message: 'starting' } }
          server.listening.push(id as number)
          server.acknowledge(id as number, { toolsListChanged: true })
          return undefined
        },
      },
    })
    let heard = 0
    client.onListChanged('tools', () => heard++)
    await flush()
    refuses = true
    server.end()
    await flush()
    await clock.advance(3 * SECOND)
    expect(errors).toMatchObject([{ message: 'starting' }, { message: 'starting' }])
    expect(heard).toBe(0)
    refuses = false
    await clock.advance(4 * SECOND)
    expect(heard).toBe(1)
    await client.close()
    expect(clock.pending).toBe(0)
  })

  it('is left alone by a server that does not know how to listen', async () => {
    const { server, client, clock, errors } = await begin({
      answers: { 'subscriptions/listen': () => ({ error: { code: -32601, message: 'what?' } }) },
    })
    client.onListChanged('tools', () => {})
    await clock.advance(600 * SECOND)
    expect(server.of('subscriptions/listen')).toHaveLength(1)
    expect(errors).toMatchObject([{ kind: 'method_not_found' }])
  })

  it('is not opened again when it is not wanted any more', async () => {
    const { server, client, clock } = await begin()
    const stop = client.onListChanged('tools', () => {})
    await flush()
    server.end()
    await flush()
    stop()
    await clock.advance(600 * SECOND)
    expect(server.filters).toHaveLength(1)
  })

  it('is made up for by the one that was about to take its place', async () => {
    let silent = false
    const { server, client } = await begin({ agree: (filter) => (silent ? undefined : filter) })
    const heard: string[] = []
    await client.subscribe('a://x', (uri) => heard.push(uri))
    silent = true
    const subscribing = client.subscribe('a://y', (uri) => heard.push(uri))
    await flush()
    const [before, after] = server.listening.splice(0) as [number, number]
    server.send({ id: before, error: { code: -32603, message: 'overloaded' } })
    await flush()
    server.acknowledge(after, { resourceSubscriptions: ['a://x', 'a://y'] })
    await subscribing
    expect(heard).toEqual(['a://x'])
  })

  it('does not keep anybody waiting who subscribes meanwhile', async () => {
    const { server, client } = await begin()
    await client.subscribe('a://x', () => {})
    server.end()
    await flush()
    await client.subscribe('a://y', () => {})
    expect(server.filters.slice(1)).toEqual([{ resourceSubscriptions: ['a://x', 'a://y'] }])
  })
})
