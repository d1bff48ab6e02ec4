/**
 * What servers tell on their own account, to clients of either era: changes of lists and resources, log
 * messages, tasks.
 */
import { type Capabilities, eraOf, type ProtocolVersion, versions } from 'parley-mcp'
import { type Body, META, TASKS_EXTENSION } from 'parley-mcp/engine'
import { createServer, resource, type Server, tool } from 'parley-mcp/server'
import { fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../addresses/server/bridge.fixtures.ts'
import { RawClient, scripted, text, textOf, until } from '../addresses/server/peers.fixtures.ts'

let rig: BridgeRig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

const isStateless = (version: ProtocolVersion): boolean => eraOf(version) === 'stateless'
const pairs = versions.flatMap((client) => versions.map((server) => ({ client, server })))

/** A client that follows these resources and all lists; gives how to end that. */
async function follow(
  client: RawClient,
  version: ProtocolVersion,
  uris: string[],
): Promise<(uri: string) => Promise<void>> {
  if (isStateless(version)) {
    const id = client.nextId
    void client.ask('subscriptions/listen', {
      notifications: { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: uris },
    })
    const { params } = await client.next('notifications/subscriptions/acknowledged')
    expect(params).toEqual({
      _meta: { [META.subscription]: id },
      notifications: { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: uris },
    })
    return async () => client.send({ method: 'notifications/cancelled', params: { requestId: id } })
  }
  await client.shakeHands(version)
  for (const uri of uris) expect((await client.request('resources/subscribe', { uri })).result).toEqual({})
  return async (uri) => void (await client.request('resources/unsubscribe', { uri }))
}

const updates = (client: RawClient): unknown[] =>
  client.of('notifications/resources/updated').map(({ params }) => params?.['uri'])

describe.each(pairs)('a client of $client follows a server of $server', ({ client: version, server }) => {
  const makeServer = (): Server =>
    createServer({ name: 'news', version: '1' }, { offers: ['tools', 'resources'] }).add(
      resource('note://one', { name: 'one' }, () => 'first'),
      resource('note://two', { name: 'two' }, () => 'second'),
    ) as never

  it('hears of the resources it named, until it does not want to any more', async () => {
    const notes = makeServer()
    rig = bridgeTo(notes, server)
    const client = new RawClient(rig.address)
    const end = await follow(client, version, ['note://one'])
    notes.updated('note://two')
    notes.updated('note://one')
    await until(() => expect(updates(client)).toEqual(['note://one']))
    await end('note://one')
    await until(() => expect(notes.subscriptions).toBe(0))
    notes.updated('note://one')
    await flush()
    expect(updates(client)).toEqual(['note://one'])
  })

  it('hears of lists that change, once each', async () => {
    const notes = makeServer()
    rig = bridgeTo(notes, server)
    const client = new RawClient(rig.address)
    await follow(client, version, [])
    await flush()
    const before = client.of('notifications/tools/list_changed').length
    notes.add(tool('late', {}, () => 'late'))
    await until(() => expect(client.of('notifications/tools/list_changed').length).toBe(before + 1))
    await flush()
    expect(client.of('notifications/tools/list_changed').length).toBe(before + 1)
    if (isStateless(version))
      expect(client.of('notifications/tools/list_changed')[0]?.params).toEqual({ _meta: { [META.subscription]: 1 } })
  })

  it('hears log messages of its own calls, from the level it wants', async () => {
    const talker = scripted({
      version: server,
      answer: (inbound) => {
        for (const level of ['debug', 'info', 'error'])
          inbound.notify('notifications/message', { level, data: level, logger: 'x' })
        return text('done')
      },
    })
    rig = bridgeTo(talker, server)
    const client = new RawClient(rig.address)
    const call = { name: 'any', arguments: {} }
    if (isStateless(version)) {
      await client.ask('tools/call', { ...call, _meta: { [META.logLevel]: 'info' } })
    } else {
      await client.shakeHands(version)
      await client.request('logging/setLevel', { level: 'info' })
      await client.request('tools/call', call)
    }
    await flush()
    const heard = client.of('notifications/message').map(({ params }) => params?.['level'])
    // A server that shook hands filters by itself: this one does not, and that is its own affair with a client of its
    // own era.
    const filtered = isStateless(version) || isStateless(server)
    expect(heard).toEqual(filtered ? ['info', 'error'] : ['debug', 'info', 'error'])
  })
})

describe('subscriptions/listen', () => {
  it('agrees to what the server can tell of, and leaves out what it refuses', async () => {
    const server = scripted({
      version: '2025-06-18',
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } },
    })
    rig = bridgeTo(server, undefined)
    const client = new RawClient(rig.address)
    void client.ask('subscriptions/listen', {
      notifications: {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['a:one', 'a:one'],
      },
    })
    const { params } = await client.next('notifications/subscriptions/acknowledged')
    expect(params?.['notifications']).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a:one'] })
    expect(server.told.filter(({ method }) => method === 'resources/subscribe')).toHaveLength(1)
  })

  it('is shared on the way to the server: the first subscribes, the last unsubscribes', async () => {
    const server = scripted({ version: '2025-06-18' })
    rig = bridgeTo(server, undefined)
    const client = new RawClient(rig.address)
    const asked = (method: string): number => server.told.filter((each) => each.method === method).length
    const ids = [client.nextId, client.nextId + 1]
    for (const index of [0, 1]) {
      void client.ask('subscriptions/listen', { notifications: { resourceSubscriptions: ['a:one'] } })
      await client.next('notifications/subscriptions/acknowledged', index)
    }
    expect(asked('resources/subscribe')).toBe(1)
    client.send({ method: 'notifications/cancelled', params: { requestId: ids[0] } })
    await flush()
    expect(asked('resources/unsubscribe')).toBe(0)
    client.send({ method: 'notifications/cancelled', params: { requestId: ids[1] } })
    await until(() => expect(asked('resources/unsubscribe')).toBe(1))
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['no strings', { resourceSubscriptions: [1] }],
    ['tasks that are none', { taskIds: 'all' }],
  ])('refuses %s', async (_, notifications) => {
    rig = bridgeTo(scripted({ version: '2025-06-18' }), undefined)
    const client = new RawClient(rig.address)
    const params: Body = notifications === undefined ? {} : { notifications }
    expect((await client.ask('subscriptions/listen', params)).error).toMatchObject({ code: -32602 })
  })

  it('ends with an answer when the gateway does', async () => {
    rig = bridgeTo(scripted({ version: '2025-06-18' }), undefined)
    const client = new RawClient(rig.address)
    const listening = client.ask('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await client.next('notifications/subscriptions/acknowledged')
    await rig.close()
    expect((await listening).result).toMatchObject({ _meta: { [META.subscription]: 1 } })
  })

  describe.each(['2025-11-25', '2026-07-28'] as const)('of tasks at a server of %s (D7)', (version) => {
    const extended = { extensions: { [TASKS_EXTENSION]: {} } } as Capabilities
    const makeServer = (finish: { now?: () => void }): Server =>
      createServer({ name: 'tasks', version: '1' }).add(
        tool(
          'slow',
          { execution: { taskSupport: 'required' } },
          () =>
            new Promise<string>((resolve) => {
              finish.now = () => resolve('done')
            }),
        ),
      ) as never

    it('tells what becomes of them', async () => {
      const finish: { now?: () => void } = {}
      const clock = fakeClock()
      rig = bridgeTo(makeServer(finish), version, {}, { clock })
      const client = new RawClient(rig.address, { clock })
      const { result } = await client.ask('tools/call', { name: 'slow', arguments: {} }, extended)
      const taskId = result?.['taskId'] as string
      void client.ask('subscriptions/listen', { notifications: { taskIds: [taskId, 'none'] } }, extended)
      const { params } = await client.next('notifications/subscriptions/acknowledged')
      expect(params?.['notifications']).toEqual({ taskIds: [taskId] })
      await until(() => expect(finish.now).toBeDefined())
      finish.now?.()
      await until(async () => {
        await clock.advance(1000)
        expect(client.of('notifications/tasks').at(-1)?.params).toMatchObject({ taskId, status: 'completed' })
      })
    })

    it('needs the extension', async () => {
      rig = bridgeTo(makeServer({}), version)
      const client = new RawClient(rig.address)
      expect((await client.ask('subscriptions/listen', { notifications: { taskIds: ['any'] } })).error).toMatchObject({
        code: -32021,
      })
    })
  })
})

describe('resources/subscribe', () => {
  it('to a server of 2026-07-28 that does not agree is refused', async () => {
    const server = createServer({ name: 'news', version: '1' }).add(
      resource('note://one', { name: 'one' }, () => 'first'),
      resource('note://two', { name: 'two', subscribe: false }, () => 'second'),
    )
    rig = bridgeTo(server, '2026-07-28')
    const client = new RawClient(rig.address)
    await client.shakeHands('2025-06-18')
    expect((await client.request('resources/subscribe', { uri: 'note://two' })).error).toMatchObject({ code: -32602 })
    expect((await client.request('resources/subscribe', { uri: 'note://one' })).result).toEqual({})
  })

  it('to a server that does not offer it is unknown', async () => {
    rig = bridgeTo(scripted({ version: '2026-07-28', capabilities: { resources: {} } }), undefined)
    const client = new RawClient(rig.address)
    await client.shakeHands('2025-06-18')
    expect((await client.request('resources/subscribe', { uri: 'a:b' })).error).toMatchObject({ code: -32601 })
  })
})

describe.each(versions.filter((version) => !isStateless(version)))('a client and a server of %s', (version) => {
  it('may speak as soon as they shook hands: what the server asks and tells at once reaches the client', async () => {
    const heard: unknown[] = []
    const server = scripted({
      version,
      opened: (session) => {
        session.notify('notifications/message', { level: 'info', data: 'welcome' })
        void session.request('roots/list').then(
          (roots) => heard.push(roots),
          (error) => heard.push(error),
        )
      },
    })
    rig = bridgeTo(server, version)
    const client = new RawClient(rig.address)
    await client.shakeHands(version, { roots: {} })
    const { id } = await client.next('roots/list')
    client.send({ id, result: { roots: [{ uri: 'file:///one' }] } })
    await until(() => expect(heard).toEqual([{ roots: [{ uri: 'file:///one' }] }]))
    expect(client.of('notifications/message').map(({ params }) => params?.['data'])).toEqual(['welcome'])
  })

  it('may break off in the middle: the server is not left waiting', async () => {
    const heard: unknown[] = []
    const server = scripted({
      version,
      opened: (session) =>
        void session.request('roots/list').catch((error) => heard.push(error.receivedCode ?? error.kind)),
    })
    rig = bridgeTo(server, version)
    const client = new RawClient(rig.address)
    await client.request('initialize', {
      protocolVersion: version,
      capabilities: { roots: {} },
      clientInfo: { name: 'raw', version: '1' },
    })
    client.close()
    await until(() => expect(heard).toHaveLength(1))
    await until(() => expect(rig?.ways.open).toBe(0))
  })
})

it('log levels: the server gets the most verbose level of all clients, and each client hears its own level', async () => {
  const server = scripted({
    version: '2025-06-18',
    answer: (inbound) => {
      for (const level of ['debug', 'error']) inbound.notify('notifications/message', { level, data: level })
      return text('done')
    },
  })
  rig = bridgeTo(server, undefined)
  const client = new RawClient(rig.address)
  const call = async (level: string | undefined): Promise<unknown[]> => {
    const before = client.received.length
    const meta = level === undefined ? {} : { [META.logLevel]: level }
    expect(textOf(await client.ask('tools/call', { name: 'any', arguments: {}, _meta: meta }))).toBe('done')
    return client.received
      .slice(before)
      .flatMap(({ method, params }) => (method === 'notifications/message' ? [params?.['level']] : []))
  }
  expect(await call('error')).toEqual(['error'])
  expect(await call('debug')).toEqual(['debug', 'error'])
  expect(await call('error')).toEqual(['error'])
  expect(await call(undefined)).toEqual([])
  expect(server.told.map(({ params }) => params['level'])).toEqual(['error', 'debug'])
})
