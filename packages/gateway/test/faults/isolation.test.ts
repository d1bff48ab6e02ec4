/** One slow, broken or flooding server never delays the others. */
import { type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { describe, it } from 'vitest'
import { eventually, expect, failureOf, faulty, names, perTest, soon, textOf, until } from './faults.fixtures.ts'

const rig = perTest()

describe.each(['2025-11-25', '2026-07-28'] as const)('G isolation, client of %s', (version) => {
  it('a list of all with one that never answers: the others are in it, and later lists do not wait again', async () => {
    await rig.start({ mute: faulty('--mute=tools/list'), never: faulty('--mute=all'), good: faulty() })
    const client = await soon(rig.client(undefined, version))
    expect(names(await soon(client.tools()))).toContain('good__echo')
    for (let time = 0; time < 2; time++) {
      const later = client.tools()
      // Who was late is given a twentieth of the time.
      await until(
        () => rig.clock.waiting(),
        (timers) => timers.some((timer) => timer.startsWith('250 ms ') && timer.includes('page-reader')),
      )
      expect(names(await soon(later))).toContain('good__echo')
    }
    expect(rig.said.filter((line) => line.includes('mute: tools/list'))).not.toEqual([])
    expect(await soon(textOf(client, 'good__echo', { text: 'well' }))).toBe('well')
  })

  const count = version === '2025-11-25' ? 100_000 : 20_000

  it(`a flood of ${count} notifications: calls of others are answered while it lasts`, async () => {
    await rig.start({ flood: { ...faulty(), session: 'shared' }, good: faulty() })
    const [flooding, good] = [await rig.client('flood', version), await rig.client('good', version)]
    await textOf(flooding, 'flood', { count })
    for (let call = 0; call < 20; call++) expect(await soon(textOf(good, 'echo', { text: `${call}` }))).toBe(`${call}`)
    expect(await soon(textOf(flooding, 'echo', { text: 'after' }))).toBe('after')
    expect(Number(await textOf(flooding, 'flooded'))).toBeGreaterThan(0)
  })

  it('a flood of changes of its list ends in few notifications to clients', async () => {
    await rig.start({ flood: { ...faulty(), session: 'shared' } })
    const client = await rig.client('flood', version)
    let told = 0
    client.onListChanged('tools', () => {
      told++
    })
    // Who listens has to be known there before there is something to hear.
    await eventually(async () => {
      await textOf(client, 'flood', { count: 10, method: 'notifications/tools/list_changed' })
      expect(told).toBeGreaterThan(0)
    })
    await textOf(client, 'flood', { count: 20_000, method: 'notifications/tools/list_changed' })
    await eventually(async () => expect(Number(await textOf(client, 'flooded'))).toBeGreaterThanOrEqual(20_000))
    expect(await soon(textOf(client, 'echo', { text: 'after' }))).toBe('after')
    expect(told).toBeLessThan(200)
  })

  it('garbage on standard output: others go on, and it is said in the log without being repeated', async () => {
    await rig.start({ noisy: { ...faulty(), session: 'shared' }, good: faulty() })
    const [noisy, good] = [await rig.client('noisy', version), await rig.client('good', version)]
    const writing = textOf(noisy, 'garbage', { lines: count / 5 })
    for (let call = 0; call < 10; call++) expect(await soon(textOf(good, 'echo', { text: `${call}` }))).toBe(`${call}`)
    expect(await soon(writing)).toBe('written')
    expect(rig.said.length).toBeLessThan(1000)
  })
})

describe('G a bulkhead', () => {
  it('full: the rest waits or is refused with what to do, and who goes away leaves the queue', async () => {
    await rig.start({ narrow: { ...faulty(), session: 'shared', maxConcurrent: 2, maxQueued: 1 }, good: faulty() })
    const client = await rig.client('narrow', '2026-07-28')
    const stats = () => rig.gateway.upstreams[0]?.bulkhead.stats()
    const [hanging, queued] = [new AbortController(), new AbortController()]
    const calls = [1, 2].map(() => failureOf(client.call('hang', {}, { signal: hanging.signal })))
    await until(stats, (seen) => seen?.running === 2)
    const waiting = failureOf(client.call('hang', {}, { signal: queued.signal }))
    await until(stats, (seen) => seen?.queued === 1)
    expect(await soon(failureOf(client.call('echo', { text: 'x' })))).toMatchObject({
      message: expect.stringMatching(/"narrow".*maxQueued/),
    })
    expect(await soon(textOf(await rig.client('good'), 'echo', { text: 'well' }))).toBe('well')
    queued.abort()
    await soon(waiting)
    await until(stats, (seen) => seen?.queued === 0)
    hanging.abort()
    await soon(Promise.all(calls))
    expect(await soon(textOf(client, 'echo', { text: 'room' }))).toBe('room')
  })
})

describe('G many servers', () => {
  it('200 servers of which 50 are dead: all tools of the living, calls reach each, and the dead are named', async () => {
    const serving: HttpServing[] = []
    rig.atEnd(() => Promise.all(serving.map((one) => one.close())))
    const servers: Record<string, Record<string, unknown>> = {}
    for (let index = 0; index < 150; index += 15) {
      const own = createServer({ name: `host-${index}`, version: '1' }).add(
        tool('where', { description: 'Where' }, () => `host ${index}`),
      )
      const one = await serveHttp(own, { port: 0 })
      serving.push(one)
      for (let each = index; each < index + 15; each++) servers[`live-${each}`] = { url: one.url }
    }
    const hanging = await rig.http(() => {})
    const closed = await rig.http((_, response) => response.destroy())
    for (let index = 0; index < 50; index++) {
      const kinds = [
        { command: 'parley-no-such-program' },
        { url: 'http://127.0.0.1:9/mcp' },
        { url: `${closed}/mcp` },
        { url: `${hanging}/mcp` },
        { command: '/' },
      ]
      servers[`dead-${index}`] = kinds[index % kinds.length] as Record<string, unknown>
    }
    await rig.start(servers)
    const client = await soon(rig.client())
    // On a busy machine some come later than others wait: they are told as a change.
    await eventually(async () => expect(names(await client.tools())).toHaveLength(150), 30_000)
    const calls = Array.from({ length: 150 }, (_, index) => textOf(client, `live-${index}__where`))
    expect(await soon(Promise.all(calls), 20_000)).toEqual(
      Array.from({ length: 150 }, (_, index) => `host ${index - (index % 15)}`),
    )
    const dead = await soon(failureOf(client.call('dead-1__where')))
    expect(dead).toMatchObject({ message: expect.stringMatching(/dead-1/) })
    const { text } = (await client.read('parley://status')).contents[0] as { text: string }
    const { servers: states } = JSON.parse(text) as { servers: { name: string; state: string; lastError?: string }[] }
    expect(states).toHaveLength(200)
    for (const { name, state, lastError } of states) {
      if (name.startsWith('live')) expect([name, state]).toEqual([name, 'running'])
      else expect([name, state]).not.toEqual([name, 'running'])
      if (name === 'dead-0') expect(lastError).toMatch(/parley-no-such-program/)
    }
  }, 60_000)
})
