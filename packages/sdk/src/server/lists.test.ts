import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeClock, flush } from '../testing/clock.ts'
import { prompt } from './prompts/prompt.ts'
import { rawClient } from './raw-client.fixtures.ts'
import { resource } from './resources/resource.ts'
import { createServer } from './server.ts'
import { tool } from './tools/tool.ts'

const info = { name: 'test', version: '1.0.0' }
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => tool(`t${from + index}`, {}, () => ''))

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
    expect(await all(server, () => changes.shift()?.())).toEqual([
      't0',
      't1',
      't2',
      't3',
      't4',
      't5',
      't6',
      't7',
      't8',
      't9',
      'late',
    ])
  })

  it('goes on at the same place when the item it stood at is gone', async () => {
    const server = createServer(info, { pageSize: 2 }).add(...numbered(5))
    const changes = [() => server.remove('t1')]
    expect(await all(server, () => changes.shift()?.())).toEqual(['t0', 't1', 't3', 't4'])
  })

  it.each([3, null, '', 'AAAA', '!!!', {}, btoa('tools/list 1'), btoa('prompts/list 1 x'), 'x'.repeat(10_000)])(
    '%j is an invalid cursor',
    async (cursor) => {
      const client = await rawClient(createServer(info).add(...numbered(3)))
      expect(await client.error('tools/list', { cursor })).toMatchObject({
        code: -32602,
        data: { 'parley/kind': 'invalid_cursor' },
      })
    },
  )

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

  it('X2 report what they lost to every session, not only to the one they were made for', async () => {
    const output = { type: 'object', properties: { n: { type: 'number' } } } as const
    const server = createServer(info).add(tool('t', { output }, () => ({ n: 1 })))
    const clients = [
      await rawClient(server, { version: '2024-11-05' }),
      await rawClient(server, { version: '2024-11-05' }),
    ]
    for (const client of clients) await client.result('tools/list')
    const [first, second] = clients.map(({ session }) => session.losses())
    expect(first?.length).toBeGreaterThan(0)
    expect(second).toEqual(first)
  })

  it('a schema that cannot be shown is named, and the rest goes on', async () => {
    const broken = { '~standard': { version: 1, vendor: 'nobody', validate: (value: unknown) => ({ value }) } } as const
    const reported: unknown[] = []
    const server = createServer(info, { onError: (error) => reported.push(error) }).add(
      tool('broken', { input: broken }, () => ''),
    )
    const client = await rawClient(server)
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await client.error('tools/list')
      expect(error).toMatchObject({ code: -32603, data: { tool: 'broken', 'parley/kind': 'tool_schema_invalid' } })
      expect(error.message).toContain('"broken"')
    }
    expect(reported).toHaveLength(2)
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
    expect(told).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
      'notifications/prompts/list_changed',
    ])
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
        fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 130 })), {
          minLength: 1,
          maxLength: 15,
        }),
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
          expect((known as { tools: { name: string }[] }).tools.map(({ name }) => name).sort()).toEqual(
            [...present].map((id) => `t${id}`).sort(),
          )
          for (let index = 1; index < noticed.length; index++)
            expect((noticed[index] as number) - (noticed[index - 1] as number)).toBeGreaterThanOrEqual(90)
        },
      ),
      { numRuns: 15 },
    )
  })
})
