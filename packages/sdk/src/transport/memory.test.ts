/** The memory link: order, bursts, early frames, closing from either side. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Link } from '../jsonrpc/index.ts'
import { memoryPair } from './memory.ts'

function listen(link: Link): { frames: string[]; closed: number } {
  const seen = { frames: [] as string[], closed: 0 }
  link.open({
    frame: (text) => {
      seen.frames.push(text)
    },
    closed: () => {
      seen.closed++
    },
  })
  return seen
}

const turn = (): Promise<void> => new Promise((done) => setTimeout(done, 0))

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('memoryPair', () => {
  it('delivers later, in order, both ways', async () => {
    const [one, two] = memoryPair()
    const [atOne, atTwo] = [listen(one), listen(two)]
    for (let n = 0; n < 100; n++) one.send(`a${n}`)
    two.send('b')
    expect(atTwo.frames).toEqual([])
    await turn()
    expect(atTwo.frames).toEqual(Array.from({ length: 100 }, (_, n) => `a${n}`))
    expect(atOne.frames).toEqual(['b'])
  })

  it('needs one microtask for a burst', async () => {
    const [one, two] = memoryPair()
    const seen = listen(two)
    for (let n = 0; n < 50; n++) one.send('x')
    await Promise.resolve()
    expect(seen.frames).toHaveLength(50)
  })

  it('keeps frames that come before open', async () => {
    const [one, two] = memoryPair()
    one.send('early')
    await turn()
    const seen = listen(two)
    one.send('late')
    await turn()
    expect(seen.frames).toEqual(['early', 'late'])
  })

  it('delivers queued frames before the end, and the end to both sides exactly once', async () => {
    const [one, two] = memoryPair()
    const [atOne, atTwo] = [listen(one), listen(two)]
    one.send('last')
    one.close()
    one.close()
    expect(atTwo).toEqual({ frames: [], closed: 0 })
    await turn()
    two.close()
    await turn()
    expect(atTwo).toEqual({ frames: ['last'], closed: 1 })
    expect(atOne).toEqual({ frames: [], closed: 1 })
  })

  it('ends an end that is opened only after the other one closed', async () => {
    const [one, two] = memoryPair()
    one.send('last')
    one.close()
    const seen = listen(two)
    await turn()
    expect(seen).toEqual({ frames: ['last'], closed: 1 })
  })

  it('delivers nothing more to the side that closed', async () => {
    const [one, two] = memoryPair()
    const seen = listen(one)
    listen(two)
    two.send('too late')
    one.close()
    await turn()
    expect(seen).toEqual({ frames: [], closed: 1 })
  })

  it('refuses to send after close, on both sides', async () => {
    const [one, two] = memoryPair()
    listen(two)
    one.close()
    expect(() => one.send('x')).toThrow(expect.objectContaining({ kind: 'transport_error' }))
    await turn()
    expect(() => two.send('x')).toThrow(expect.objectContaining({ kind: 'transport_error' }))
  })

  it('stops when the receiver closes in the middle of a burst', async () => {
    const [one, two] = memoryPair()
    const seen: string[] = []
    two.open({
      frame: (text) => {
        seen.push(text)
        two.close()
      },
      closed: () => {
        seen.push('end')
      },
    })
    one.send('1')
    one.send('2')
    await turn()
    expect(seen).toEqual(['1', 'end'])
  })

  it('delivers what is behind a frame whose receiver throws, and the end', () => {
    const tasks: (() => void)[] = []
    vi.stubGlobal('queueMicrotask', (task: () => void) => void tasks.push(task))
    const [one, two] = memoryPair()
    const seen: string[] = []
    two.open({
      frame: (text) => {
        seen.push(text)
        if (text !== 'fine') throw new Error(text)
      },
      closed: () => {
        seen.push('end')
      },
    })
    for (const frame of ['bad', 'fine', 'worse']) one.send(frame)
    one.close()
    const thrown: unknown[] = []
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      try {
        task()
      } catch (error) {
        thrown.push((error as Error).message)
      }
    }
    expect(seen).toEqual(['bad', 'fine', 'worse', 'end'])
    expect(thrown).toEqual(['bad', 'worse'])
  })

  it('limits the frames at an end that is not opened', () => {
    const [one] = memoryPair({ maxQueued: 2 })
    one.send('1')
    one.send('2')
    expect(() => one.send('3')).toThrow(
      expect.objectContaining({ kind: 'transport_error', message: expect.stringContaining('2 frames') }),
    )
  })

  it('has one user per end', () => {
    const [one] = memoryPair()
    listen(one)
    expect(() => listen(one)).toThrow(expect.objectContaining({ kind: 'transport_error' }))
  })
})
