import fc from 'fast-check'
import { fakeClock, flush } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { Bulkhead, type Slot } from './bulkhead.ts'

/** Work that ends when it is told to. */
function job<T = string>(): {
  work: () => Promise<T>
  begun: () => boolean
  promise: Promise<T>
  end: (value: T) => void
  fail: (error: Error) => void
} {
  let end: (value: T) => void = () => {}
  let fail: (error: Error) => void = () => {}
  let begun = false
  const promise = new Promise<T>((resolve, reject) => {
    end = resolve
    fail = reject
  })
  return {
    work: () => {
      begun = true
      return promise
    },
    begun: () => begun,
    promise,
    end,
    fail,
  }
}

describe('Bulkhead', () => {
  it('G: runs at once where there is room, and gives the very promise of the work', () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 0 })
    const one = job()
    expect(bulkhead.run(one.work)).toBe(one.promise)
    expect(one.begun()).toBe(true)
  })

  it('G: lets the others wait, first come, first served', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 5 })
    const jobs = [job(), job(), job()]
    const outcomes = Promise.all(jobs.map(({ work }) => bulkhead.run(work)))
    for (const [index, { end }] of jobs.entries()) {
      expect(jobs.map(({ begun }) => begun())).toEqual(jobs.map((_, other) => other <= index))
      end(`${index}`)
      await flush()
    }
    expect(await outcomes).toEqual(['0', '1', '2'])
    expect(bulkhead.stats()).toEqual({ running: 0, queued: 0, longestWait: 0 })
  })

  it('G: refuses at once when the queue is full, and says how to mend it', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 1, name: 'files' })
    const one = job()
    const running = bulkhead.run(one.work)
    const waiting = bulkhead.run(async () => 'second')
    await expect(bulkhead.run(async () => 'third')).rejects.toMatchObject({
      kind: 'too_many_requests',
      message:
        '1 requests are running and 1 wait for the server "files": try again later, or raise maxConcurrent or maxQueued',
    })
    one.end('first')
    expect(await Promise.all([running, waiting])).toEqual(['first', 'second'])
  })

  it('G: a request that is cancelled leaves the queue, and is never begun', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 1 })
    const [one, two, three] = [job(), job(), job()]
    void bulkhead.run(one.work)
    const abort = new AbortController()
    const cancelled = bulkhead.run(two.work, { signal: abort.signal })
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ kind: 'request_cancelled' })
    await expect(bulkhead.run(two.work, { signal: abort.signal })).rejects.toMatchObject({ kind: 'request_cancelled' })
    const next = bulkhead.run(three.work)
    one.end('done')
    three.end('next')
    expect(await next).toBe('next')
    expect(two.begun()).toBe(false)
  })

  it('G: failures free the slot, thrown ones too', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 2 })
    const outcomes = await Promise.allSettled([
      bulkhead.run(() => Promise.reject(new Error('rejected'))),
      bulkhead.run(() => {
        throw new Error('thrown')
      }),
      bulkhead.run(async () => 'works'),
    ])
    expect(outcomes).toMatchObject([
      { reason: { message: 'rejected' } },
      { reason: { message: 'thrown' } },
      { value: 'works' },
    ])
    expect(bulkhead.stats().running).toBe(0)
  })

  it('G: enter and leave share the slots with run; nobody overtakes the queue', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 1 })
    expect(bulkhead.enter()).toBe(true)
    expect(bulkhead.enter()).toBe(false)
    const one = job()
    const waiting = bulkhead.run(one.work)
    bulkhead.leave()
    expect(one.begun()).toBe(true)
    expect(bulkhead.enter()).toBe(false)
    one.end('done')
    await waiting
    await flush()
    expect(bulkhead.enter()).toBe(true)
    bulkhead.leave()
    expect(() => bulkhead.leave()).toThrow(RangeError)
  })

  it('G: who waits for somebody else gives its slot back, and takes it again without a turn', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 1 })
    const [one, two, three] = [job(), job(), job()]
    const slots: Slot[] = []
    const running = bulkhead.run((slot) => {
      slots.push(slot)
      return one.work()
    })
    const waiting = bulkhead.run(two.work)
    expect(two.begun()).toBe(false)
    slots[0]?.giveBack()
    slots[0]?.giveBack()
    expect(two.begun()).toBe(true)
    expect(bulkhead.stats().running).toBe(1)
    slots[0]?.takeAgain()
    slots[0]?.takeAgain()
    expect(bulkhead.stats().running).toBe(2)
    const last = bulkhead.run(three.work)
    two.end('two')
    await waiting
    await flush()
    // As many inside as may be: whoever is next has to wait for one more.
    expect([three.begun(), bulkhead.stats().running]).toEqual([false, 1])
    one.end('one')
    three.end('three')
    expect(await Promise.all([running, last])).toEqual(['one', 'three'])
    await flush()
    expect(bulkhead.stats()).toEqual({ running: 0, queued: 0, longestWait: 0 })
  })

  it('G: work that ends while its slot is given back has left already', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 0 })
    const one = job()
    let slot: Slot | undefined
    const running = bulkhead.run((own) => {
      slot = own
      return one.work()
    })
    slot?.giveBack()
    one.fail(new Error('no'))
    await expect(running).rejects.toThrow('no')
    await flush()
    slot?.takeAgain()
    slot?.giveBack()
    expect(bulkhead.stats().running).toBe(0)
  })

  it('G: those who wait can be dismissed, and nothing of theirs runs', async () => {
    const clock = fakeClock()
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 10, clock })
    const [one, two] = [job(), job()]
    void bulkhead.run(one.work)
    const waiting = bulkhead.run(two.work)
    await clock.advance(250)
    expect(bulkhead.stats()).toEqual({ running: 1, queued: 1, longestWait: 250 })
    bulkhead.dismiss(new Error('down'))
    await expect(waiting).rejects.toThrow('down')
    one.end('done')
    await flush()
    expect(two.begun()).toBe(false)
    expect(bulkhead.stats()).toEqual({ running: 0, queued: 0, longestWait: 0 })
  })

  it('G: twenty thousand that fail at once do not exhaust the stack', async () => {
    const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueued: 20_000 })
    const one = job()
    void bulkhead.run(one.work)
    const rest = Array.from({ length: 20_000 }, () =>
      bulkhead.run(() => {
        throw new Error('no')
      }),
    )
    one.end('done')
    const outcomes = await Promise.allSettled(rest)
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(bulkhead.stats().running).toBe(0)
  })

  it('G: settings that leave no room are refused', () => {
    expect(() => new Bulkhead({ maxConcurrent: 0, maxQueued: 1 })).toThrow('maxConcurrent must be 1 or more, not 0')
    expect(() => new Bulkhead({ maxConcurrent: 1, maxQueued: -1 })).toThrow('maxQueued must be 0 or more, not -1')
  })

  it('G: never more inside than allowed, each begun once and in order, for any order of ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 25 }),
        async (maxConcurrent, turns) => {
          const bulkhead = new Bulkhead({ maxConcurrent, maxQueued: 100 })
          const begun: number[] = []
          let inside = 0
          let most = 0
          await Promise.all(
            turns.map((length, index) =>
              bulkhead.run(async () => {
                begun.push(index)
                most = Math.max(most, ++inside)
                for (let turn = 0; turn < length; turn++) await Promise.resolve()
                inside--
              }),
            ),
          )
          expect(most).toBeLessThanOrEqual(maxConcurrent)
          expect(begun).toEqual(turns.map((_, index) => index))
        },
      ),
    )
  })
})
