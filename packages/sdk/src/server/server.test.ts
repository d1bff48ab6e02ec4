import { describe, expect, it } from 'vitest'
import { flush } from '../testing/clock.ts'
import { memoryPair } from '../transport/index.ts'
import { handshakeVersions } from '../versions/index.ts'
import { prompt } from './prompts/prompt.ts'
import { rawClient } from './raw-client.fixtures.ts'
import { resource } from './resources/resource.ts'
import { createServer } from './server.ts'
import { tool } from './tools/tool.ts'

const info = { name: 'test', version: '1.0.0' }

describe('definitions', () => {
  it.each<[string, () => unknown]>([
    [
      'a tool',
      () =>
        createServer(info)
          .add(tool('a', {}, () => ''))
          .add(tool('a', {}, () => '')),
    ],
    [
      'a prompt',
      () =>
        createServer(info).add(
          prompt('a', {}, () => ''),
          prompt('a', {}, () => ''),
        ),
    ],
    [
      'a resource',
      () =>
        createServer(info).add(
          resource('a://b', {}, () => ''),
          resource('a://b', {}, () => ''),
        ),
    ],
    [
      'a template',
      () =>
        createServer(info).add(
          resource('a://{b}', {}, () => ''),
          resource('a://{b}', {}, () => ''),
        ),
    ],
  ])('%s cannot be defined twice', (_, define) => {
    expect(define).toThrow('is already defined')
  })

  it('adds all or nothing', async () => {
    const server = createServer(info).add(tool('a', {}, () => ''))
    expect(() =>
      server.add(
        tool('b', {}, () => ''),
        tool('a', {}, () => ''),
      ),
    ).toThrow()
    const client = await rawClient(server)
    expect(await client.error('tools/call', { name: 'b' })).toMatchObject({ message: 'Unknown tool: b' })
  })

  it('refuses what is no definition', () => {
    expect(() => createServer(info).add({ kind: 'tool', key: 'x' })).toThrow('Not a definition')
    expect(() => createServer(info).add(undefined as never)).toThrow('Not a definition')
  })

  it('refuses servers without name or version, and senseless settings', () => {
    expect(() => createServer({ name: '', version: '1' })).toThrow('needs a name')
    expect(() => createServer({ name: 'x' } as never)).toThrow('needs a version')
    expect(() => createServer(info, { pageSize: 0 })).toThrow('pageSize must be a whole number above 0')
  })

  it('removes by name, by kind and name, and by URI', async () => {
    const server = createServer(info).add(
      tool('a', {}, () => ''),
      prompt('a', {}, () => ''),
      resource('x://{id}', {}, () => ''),
      tool('keep', {}, () => ''),
    )
    expect(server.remove('prompt', 'a')).toBe(true)
    expect(server.remove('prompt', 'a')).toBe(false)
    expect(server.remove('x://{id}')).toBe(true)
    const client = await rawClient(server)
    expect(client.initialized['capabilities']).toEqual({ tools: { listChanged: true }, logging: {} })
    expect(server.remove('a')).toBe(true)
    expect(await client.result('tools/list')).toMatchObject({ tools: [{ name: 'keep' }] })
  })

  it('one server serves sessions of all versions at once', async () => {
    const server = createServer(info).add(tool('hi', {}, (_, { version }) => version))
    const clients = await Promise.all(handshakeVersions.map((version) => rawClient(server, { version })))
    const answers = await Promise.all(clients.map((client) => client.result('tools/call', { name: 'hi' })))
    expect(answers.map(({ content }) => (content as { text: string }[])[0]?.text)).toEqual([...handshakeVersions])
    expect(server.sessions).toHaveLength(4)
    await server.close()
    expect(server.sessions).toEqual([])
  })

  it('closes sessions that never finished their handshake, and forgets links that cannot be opened', async () => {
    const server = createServer(info)
    const [near, far] = memoryPair()
    const session = server.accept(far)
    expect(() => server.accept(far)).toThrow('already in use')
    await server.close()
    expect(session.phase).toBe('closed')
    near.close()
  })
})

describe('F5 logging', () => {
  const server = createServer(info).add(
    tool('log', {}, (_, ctx) => {
      ctx.log('debug', 'fine')
      ctx.log('error', { bad: true }, 'db')
      ctx.log('warning', new Error('careful'))
      ctx.log('info', undefined)
    }),
  )

  it('sends everything until a level is set, then only what is severe enough', async () => {
    const client = await rawClient(server)
    await client.result('tools/call', { name: 'log' })
    expect(client.of('notifications/message').map(({ params }) => params)).toEqual([
      { level: 'debug', data: 'fine' },
      { level: 'error', data: { bad: true }, logger: 'db' },
      { level: 'warning', data: 'Error: careful' },
      { level: 'info', data: null },
    ])
    expect(await client.result('logging/setLevel', { level: 'error' })).toEqual({})
    await client.result('tools/call', { name: 'log' })
    expect(client.of('notifications/message')).toHaveLength(5)
  })

  it('the level belongs to the session, and a server may tell all', async () => {
    const own = createServer(info)
    const [loud, quiet] = [await rawClient(own), await rawClient(own)]
    await quiet.result('logging/setLevel', { level: 'emergency' })
    own.log('alert', 'fire', 'house')
    await flush()
    expect(loud.of('notifications/message').map(({ params }) => params)).toEqual([
      { level: 'alert', data: 'fire', logger: 'house' },
    ])
    expect(quiet.of('notifications/message')).toEqual([])
  })

  it.each(['loud', 3, undefined, null, 'toString'])('%j is no level', async (level) => {
    const client = await rawClient(server)
    expect(await client.error('logging/setLevel', { level })).toMatchObject({
      code: -32602,
      data: { 'parley/kind': 'invalid_log_level' },
    })
  })

  it('what cannot be sent is reported and harms nobody', async () => {
    const reported: unknown[] = []
    const own = createServer(info, { onError: (_, { during }) => reported.push(during) }).add(
      tool('log', {}, (_, ctx) => {
        ctx.log('info', { n: 1n })
        return 'done'
      }),
    )
    const client = await rawClient(own)
    expect(await client.result('tools/call', { name: 'log' })).toEqual({ content: [{ type: 'text', text: 'done' }] })
    expect(reported).toEqual(['notifications/message'])
  })

  it('C1 can be switched off', async () => {
    const client = await rawClient(
      createServer(info, { logging: false }).add(tool('log', {}, (_, ctx) => ctx.log('info', 'x'))),
    )
    expect(client.initialized['capabilities']).toEqual({ tools: { listChanged: true } })
    await client.result('tools/call', { name: 'log' })
    expect(client.of('notifications/message')).toEqual([])
    expect(await client.error('logging/setLevel', { level: 'info' })).toMatchObject({ code: -32601 })
  })
})

describe('C4 capabilities', () => {
  it('are described with what is known about each', () => {
    const server = createServer(info, { experimental: { 'x.y/z': { deep: true } } }).add(tool('a', {}, () => ''))
    const reports = new Map(server.capabilities().map((report) => [report.name, report]))
    expect(reports.get('tools')).toEqual({
      name: 'tools',
      since: '2024-11-05',
      flags: ['listChanged'],
      dependencies: [],
      description: expect.any(String),
      declared: true,
    })
    expect(reports.get('prompts')).toMatchObject({ declared: false })
    expect(reports.get('completions')).toMatchObject({ since: '2025-03-26', declared: false })
    expect(reports.get('experimental.x.y/z')).toMatchObject({ declared: true })
    expect([...reports.keys()]).not.toContain('sampling')
  })

  it('observers are told when the set changes, and only then', () => {
    const reported: unknown[] = []
    const server = createServer(info, { onError: (error) => reported.push(error) })
    const seen: string[][] = []
    server.onCapabilitiesChanged(() => {
      throw new Error('observer')
    })
    const stop = server.onCapabilitiesChanged((declared, before) =>
      seen.push([Object.keys(before).join(), Object.keys(declared).join()]),
    )
    server.add(tool('a', {}, () => ''))
    server.add(tool('b', {}, () => ''))
    server.experimental('x/y')
    server.remove('a')
    server.remove('b')
    stop()
    server.add(tool('c', {}, () => ''))
    expect(seen).toEqual([
      ['logging', 'tools,logging'],
      ['tools,logging', 'tools,logging,experimental'],
      ['tools,logging,experimental', 'logging,experimental'],
    ])
    expect(reported).toHaveLength(4)
  })

  it('experimental ones pass to the client', async () => {
    const client = await rawClient(createServer(info).experimental('x/y', { on: true }))
    expect(client.initialized['capabilities']).toEqual({ logging: {}, experimental: { 'x/y': { on: true } } })
  })

  it('C3 what is not offered is refused by name', async () => {
    const client = await rawClient(createServer(info))
    const error = await client.error('tools/list')
    expect(error.code).toBe(-32601)
    expect(error.message).toContain('tools')
  })
})
