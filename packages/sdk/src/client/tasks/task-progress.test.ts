/** D7: the extension has no progress for tasks; whoever asked for it hears what the task says of itself. */
import { describe, expect, it } from 'vitest'
import { background, type Context, createServer, tool } from '../../server/index.ts'
import type { Progress } from '../../session/index.ts'
import { connect, fakeClock, flush } from '../../testing/index.ts'

function meet() {
  const clock = fakeClock()
  const calls: { ctx: Context; open: (value: string) => void }[] = []
  const errors: unknown[] = []
  const work = (_: unknown, ctx: Context) => new Promise<string>((open) => calls.push({ ctx, open }))
  const server = createServer({ name: 's', version: '1' }, { tasks: { pollInterval: '2s' } }).add(
    tool('may', { execution: { taskSupport: 'optional' } }, work),
    tool('later', { deferTask: true }, (_, ctx) => {
      ctx.progress(5, 10, 'preparing')
      return background((task) => work(undefined, task))
    }),
  )
  const seen: Progress[] = []
  const look = async () => {
    await flush()
    await clock.advance(2000)
    await flush()
  }
  const open = () => connect(server, { version: '2026-07-28', clock, onError: (error) => errors.push(error) })
  return { clock, open, calls, seen, look, errors, last: () => calls[calls.length - 1] as (typeof calls)[number] }
}

describe('D7 onProgress of a call that became a task', () => {
  it('hears each new message as one step more, and none that is the end', async () => {
    const { open, seen, look, last } = meet()
    await using client = await open()
    const calling = client.call('may', {}, { onProgress: (progress) => seen.push(progress) })
    await flush()
    last().ctx.progress(10, 30, 'one of three')
    await look()
    await look()
    last().ctx.progress(20, 30, 'two of three')
    await look()
    last().open('done')
    await look()
    expect((await calling).value).toBe('done')
    expect(seen).toEqual([
      { progress: 1, message: 'one of three' },
      { progress: 2, message: 'two of three' },
    ])
  })

  it('goes on from what was told before there was a task', async () => {
    const { open, seen, look, last } = meet()
    await using client = await open()
    const calling = client.call('later', {}, { onProgress: (progress) => seen.push(progress) })
    await flush()
    last().ctx.progress(1, 2, 'delivering')
    await look()
    last().open('done')
    await look()
    await calling
    expect(seen).toEqual([
      { progress: 5, total: 10, message: 'preparing' },
      { progress: 6, message: 'delivering' },
    ])
  })

  it('works with callAsTask, even while the result is not awaited', async () => {
    const { open, seen, look, last } = meet()
    await using client = await open()
    const task = await client.callAsTask('may', {}, { onProgress: (progress) => seen.push(progress) })
    await flush()
    last().ctx.progress(1, 2, 'half')
    await look()
    expect(seen).toEqual([{ progress: 1, message: 'half' }])
    last().open('done')
    await look()
    expect((await task.result()).value).toBe('done')
  })

  it('may fail without harm to the call', async () => {
    const { open, look, last, errors } = meet()
    await using client = await open()
    const wrong = new Error('wrong')
    const failing = [
      () => {
        throw wrong
      },
      () => Promise.reject(wrong),
    ]
    for (const onProgress of failing) {
      const calling = client.call('may', {}, { onProgress })
      await flush()
      last().ctx.progress(1, 2, 'half')
      await look()
      last().open('done')
      await look()
      expect((await calling).value).toBe('done')
    }
    expect(errors).toEqual([wrong, wrong])
  })
})
