import fc from 'fast-check'
import { flush } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { Mutex } from './mutex.ts'

const ROOM = { maxQueued: 100 }

describe('turns', () => {
  it('are taken at once if no call has the turn', async () => {
    const turns = new Mutex()
    for (let round = 0; round < 3; round++) (await turns.take(ROOM))()
  })

  it('are taken one at a time, in the order of the requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }), async (lengths) => {
        const turns = new Mutex()
        const begun: number[] = []
        let inside = 0
        const all = lengths.map(async (length, index) => {
          const end = await turns.take(ROOM)
          begun.push(index)
          expect(++inside).toBe(1)
          for (let step = 0; step < length; step++) await Promise.resolve()
          inside--
          end()
        })
        await Promise.all(all)
        expect(begun).toEqual(lengths.map((_, index) => index))
      }),
    )
  })

  it('end once: a second end lets no other call in', async () => {
    const turns = new Mutex()
    const first = await turns.take(ROOM)
    let begun = 0
    const second = turns.take(ROOM).then((end) => {
      begun++
      return end
    })
    const third = turns.take(ROOM).then((end) => {
      begun++
      return end
    })
    first()
    first()
    const end = await second
    await flush()
    expect(begun).toBe(1)
    end()
    ;(await third)()
  })

  it('L4: have a limited number of waiting calls', async () => {
    const turns = new Mutex()
    const first = await turns.take({ maxQueued: 1 })
    const second = turns.take({ maxQueued: 1 })
    await expect(turns.take({ maxQueued: 1 })).rejects.toMatchObject({
      kind: 'too_many_requests',
      message: expect.stringContaining('maxQueued'),
    })
    first()
    ;(await second)()
    expect(turns.taken).toBe(false)
  })

  it('go to the next call when a waiting call is cancelled', async () => {
    const turns = new Mutex()
    const first = await turns.take({ maxQueued: 2 })
    const abort = new AbortController()
    const second = turns.take({ maxQueued: 2, signal: abort.signal })
    const third = turns.take({ maxQueued: 2 })
    abort.abort()
    await expect(second).rejects.toMatchObject({ kind: 'request_cancelled' })
    // Its place in the queue is free at once.
    const fourth = turns.take({ maxQueued: 2 })
    first()
    ;(await third)()
    ;(await fourth)()
    expect(turns.taken).toBe(false)
    await expect(turns.take({ maxQueued: 2, signal: abort.signal })).rejects.toMatchObject({
      kind: 'request_cancelled',
    })
    expect(turns.taken).toBe(false)
  })
})
