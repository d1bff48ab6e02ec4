import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handshakeVersions } from '../protocol/index.ts'
import { fakeClock, flush } from '../testing/clock.ts'
import { memoryPair } from '../transport/index.ts'
import { prompt } from './prompt.ts'
import { rawClient } from './raw-client.fixtures.ts'
import { resource } from './resource.ts'
import { createServer } from './server.ts'
import { tool } from './tool.ts'

const info = { name: 'test', version: '1.0.0' }
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => tool(`t${from + index}`, {}, () => ''))

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

describe('F7 pages', () => {
  const all = async (server: ReturnType<typeof createServer>, between?: () => void) => {
    const client = await rawClient(server)
    const names: string[] = []
    let cursor: unknown
    for (let page = 0; page < 50; page++) {
      const result = await client.result('tools/list', cursor === undefined ? {} : { cursor })
      names.push(...(result['tools'] as { name: string }[]).map(({ name }) => name))
      cursor = result['nextCursor']
      if (cursor === undefined) break
      between?.()
    }
    return names
  }

  it('hold every item once, for any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 12 }), async (count, pageSize) => {
        const server = createServer(info, { pageSize, offers: ['tools'] }).add(...numbered(count))
        expect(await all(server)).toEqual(Array.from({ length: count }, (_, index) => `t${index}`))
      }),
      { numRuns: 25 },
    )
  })

  it('D-53 keep their order, and a cursor stays right while items come and go', async () => {
    const server = createServer(info, { pageSize: 3 }).add(...numbered(10))
    const changes = [() => server.remove('t0'), () => server.add(tool('late', {}, () => '')), () => server.remove('t5')]
    expect(await all(server, () => changes.shift()?.())).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9', 'late'])
  })

  it('goes on at the same place when the item it stood at is gone', async () => {
    const server = createServer(info, { pageSize: 2 }).add(...numbered(5))
    const changes = [() => server.remove('t1')]
    expect(await all(server, () => changes.shift()?.())).toEqual(['t0', 't1', 't3', 't4'])
  })

  it.each([3, null, '', 'AAAA', '!!!', {}, btoa('tools/list 1'), btoa('prompts/list 1 x'), 'x'.repeat(10_000)])('%j is an invalid cursor', async (cursor) => {
    const client = await rawClient(createServer(info).add(...numbered(3)))
    expect(await client.error('tools/list', { cursor })).toMatchObject({ code: -32602, data: { 'parley/kind': 'invalid_cursor' } })
  })

  it('a cursor of another list is refused', async () => {
    const client = await rawClient(
      createServer(info, { pageSize: 1 }).add(
        ...numbered(2),
        prompt('p', {}, () => ''),
      ),
    )
    const { nextCursor } = await client.result('tools/list')
    expect(await client.error('prompts/list', { cursor: nextCursor })).toMatchObject({ code: -32602 })
  })

  it('are made once for all sessions of a version, and anew after a change', async () => {
    let conversions = 0
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: () => {
            conversions++
            return { type: 'object' }
          },
          output: () => ({ type: 'object' }),
        },
      },
    } as const
    const server = createServer(info).add(tool('t', { input: schema }, () => ''))
    const clients = await Promise.all([1, 2, 3].map(() => rawClient(server)))
    const lists = await Promise.all(clients.map((client) => client.result('tools/list')))
    expect(lists).toEqual(Array(3).fill({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }))
    expect(conversions).toBe(1)
    server.add(tool('u', {}, () => ''))
    expect((await clients[0]?.result('tools/list'))?.['tools']).toHaveLength(2)
  })

  it('a schema that cannot be shown is named, and the rest goes on', async () => {
    const broken = { '~standard': { version: 1, vendor: 'nobody', validate: (value: unknown) => ({ value }) } } as const
    const server = createServer(info, { onError: () => {} }).add(tool('broken', { input: broken }, () => ''))
    const client = await rawClient(server)
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await client.error('tools/list')
      expect(error).toMatchObject({ code: -32603, data: { tool: 'broken', 'parley/kind': 'tool_schema_invalid' } })
      expect(error.message).toContain('"broken"')
    }
    server.remove('broken')
    server.add(tool('fine', {}, () => ''))
    expect(await client.result('tools/list')).toMatchObject({ tools: [{ name: 'fine' }] })
  })
})

describe('M6 list_changed', () => {
  it('is told at once, then at most every 100 ms, and the last change is never lost', async () => {
    const clock = fakeClock()
    const server = createServer(info, { clock, keepAlive: false }).add(tool('a', {}, () => ''))
    const client = await rawClient(server)
    const told = () => client.of('notifications/tools/list_changed').length
    server.add(tool('b', {}, () => ''))
    await flush()
    expect(told()).toBe(1)
    server.add(tool('c', {}, () => ''))
    server.add(tool('d', {}, () => ''))
    server.remove('c')
    await clock.advance(99)
    expect(told()).toBe(1)
    await clock.advance(1)
    expect(told()).toBe(2)
    await clock.advance(1000)
    expect(told()).toBe(2)
    server.remove('d')
    await flush()
    expect(told()).toBe(3)
  })

  it('keeps the kinds apart, and both lists of resources together', async () => {
    const clock = fakeClock()
    const server = createServer(info, { clock, offers: ['tools', 'resources', 'prompts'] })
    const client = await rawClient(server)
    server.add(
      tool('a', {}, () => ''),
      prompt('a', {}, () => ''),
      resource('x://a', {}, () => ''),
      resource('x://{a}', {}, () => ''),
    )
    await flush()
    const told = client.received.filter(({ method }) => method?.endsWith('list_changed')).map(({ method }) => method)
    expect(told).toEqual(['notifications/tools/list_changed', 'notifications/resources/list_changed', 'notifications/prompts/list_changed'])
  })

  it('leaves no timer behind when everybody is gone', async () => {
    const clock = fakeClock()
    const server = createServer(info, { clock, keepAlive: false }).add(tool('a', {}, () => ''))
    const client = await rawClient(server)
    server.add(tool('b', {}, () => ''))
    server.add(tool('c', {}, () => ''))
    expect(clock.pending).toBeGreaterThan(0)
    await client.close()
    expect(clock.pending).toBe(0)
    server.add(tool('d', {}, () => ''))
    expect(clock.pending).toBe(0)
  })

  it('property: after any changes, whoever lists when told ends up with the truth', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 130 })), { minLength: 1, maxLength: 15 }),
        async (changes) => {
          const clock = fakeClock()
          const server = createServer(info, { clock, keepAlive: false, offers: ['tools'] })
          const client = await rawClient(server)
          const present = new Set<number>()
          const noticed: number[] = []
          let seen = 0
          let known: unknown = { tools: [] }
          const look = async () => {
            const notices = client.of('notifications/tools/list_changed').length
            if (notices === seen) return
            expect(notices).toBe(seen + 1)
            seen = notices
            noticed.push(clock.now())
            known = await client.result('tools/list')
          }
          for (const [id, wait] of changes) {
            if (present.has(id)) server.remove(`t${id}`)
            else server.add(...numbered(1, id))
            if (!present.delete(id)) present.add(id)
            await flush()
            await look()
            for (let step = 0; step < wait; step += 10) {
              await clock.advance(10)
              await look()
            }
          }
          await clock.advance(100)
          await look()
          expect((known as { tools: { name: string }[] }).tools.map(({ name }) => name).sort()).toEqual([...present].map((id) => `t${id}`).sort())
          for (let index = 1; index < noticed.length; index++) expect((noticed[index] as number) - (noticed[index - 1] as number)).toBeGreaterThanOrEqual(90)
        },
      ),
      { numRuns: 15 },
    )
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
    expect(loud.of('notifications/message').map(({ params }) => params)).toEqual([{ level: 'alert', data: 'fire', logger: 'house' }])
    expect(quiet.of('notifications/message')).toEqual([])
  })

  it.each(['loud', 3, undefined, null, 'toString'])('%j is no level', async (level) => {
    const client = await rawClient(server)
    expect(await client.error('logging/setLevel', { level })).toMatchObject({ code: -32602, data: { 'parley/kind': 'invalid_log_level' } })
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
    const client = await rawClient(createServer(info, { logging: false }).add(tool('log', {}, (_, ctx) => ctx.log('info', 'x'))))
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
    const stop = server.onCapabilitiesChanged((declared, before) => seen.push([Object.keys(before).join(), Object.keys(declared).join()]))
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
