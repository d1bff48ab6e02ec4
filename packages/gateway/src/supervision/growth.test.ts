/** The delays of restarts, of reconnecting and of polling tasks grow by the same factor. */
import { ParleyError } from 'parley-mcp'
import { connect as connectClient } from 'parley-mcp/client'
import { Backoff, type Link } from 'parley-mcp/engine'
import { createServer, tool } from 'parley-mcp/server'
import { connect, fakeClock, flush, memoryPair } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { stage } from './supervisor.fixtures.ts'

const SEQUENCE = [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]

const pausesOf = (times: readonly number[]): number[] => times.slice(1).map((time, n) => time - (times[n] as number))

describe(`delays that grow by ${Backoff.growth}`, () => {
  it('are those of supervision', async () => {
    const { supervisor, clock, use } = stage({ maxRestarts: 100, within: 600_000 })
    const starts: number[] = []
    for (let n = 0; n < 9; n++) {
      const pending = use()
      await clock.advance((supervisor.status().nextAttemptAt ?? clock.now()) - clock.now())
      const { far } = await pending
      starts.push(clock.now())
      far.end(new ParleyError('transport_error', { message: 'gone' }))
    }
    expect(pausesOf(starts)).toEqual([0, ...SEQUENCE])
  })

  it('are those of a client that reconnects', async () => {
    const clock = fakeClock(0)
    const server = createServer({ name: 's', version: '1' }).add(tool('t', {}, () => 'done'))
    const times: number[] = []
    const open = (): Link => {
      times.push(clock.now())
      if (times.length > 1) throw new ParleyError('transport_error', { message: 'gone' })
      const [near, far] = memoryPair()
      const session = server.accept(far)
      lose = () => void session.close()
      return near
    }
    let lose = (): void => {}
    const client = await connectClient(open, { clock, random: () => 0, version: '2025-11-25', keepAlive: false })
    lose()
    await flush()
    for (let second = 0; second < 100; second++) await clock.advance(1000)
    expect(pausesOf(times)).toEqual(SEQUENCE.slice(0, pausesOf(times).length))
    expect(times.length).toBeGreaterThan(5)
    await client.close()
  })

  it('are those of a client that polls a task, as its server asks', async () => {
    const clock = fakeClock(0)
    const looks: number[] = []
    const server = createServer({ name: 's', version: '1' })
      .use((call, next) => {
        if (call.method === 'tasks/get') looks.push(clock.now())
        return next(call)
      })
      .add(
        tool(
          'long',
          { execution: { taskSupport: 'optional' } },
          () => new Promise<string>((done) => void clock.after(5000, () => done('x'))),
        ),
      )
    const client = await connect(server, { clock, version: '2026-07-28' })
    const call = client.call('long')
    await flush()
    for (let n = 0; n < 700; n++) await clock.advance(10)
    expect((await call).value).toBe('x')
    expect(looks.slice(0, 5)).toEqual([100, 200, 400, 800, 1600])
    await client.close()
  })
})
