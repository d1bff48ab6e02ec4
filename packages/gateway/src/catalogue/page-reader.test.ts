import { fakeClock } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { type Page, PageReader } from './page-reader.ts'

const large = 'x'.repeat(1000)
const page = (place: number): Page<string> => ({ items: [large], nextCursor: String(place + 1) })
const failing = (): Promise<never> => Promise.reject(new Error('away'))

/** Reads pages 0 to `count` - 1; gives those that are still shown when the server fails. */
async function shownAfter(count: number, reader: PageReader<string>): Promise<number[]> {
  const places = Array.from({ length: count }, (_, index) => index)
  const cursor = (place: number): string | undefined => (place === 0 ? undefined : String(place))
  for (const place of places)
    expect((await reader.read(async () => page(place), cursor(place), false)).page).toEqual(page(place))
  const shown: number[] = []
  for (const place of places)
    if ((await reader.read(failing, cursor(place), false)).page !== undefined) shown.push(place)
  return shown
}

describe('L4 pages that are remembered for when a server fails', () => {
  it('are no more bytes than a gateway of many servers can hold; the first goes last', async () => {
    const reader = new PageReader<string>({ clock: fakeClock(), deadline: 1000, maxKnown: 1000, maxBytes: 5400 })
    expect(await shownAfter(100, reader)).toEqual([0, 97, 98, 99])
    // What has gone makes room.
    expect(await shownAfter(2, reader)).toEqual([0, 1])
  })

  it('are no more than a few', async () => {
    expect(await shownAfter(10, new PageReader<string>({ clock: fakeClock(), deadline: 1000, maxKnown: 3 }))).toEqual([
      0, 8, 9,
    ])
  })

  it('are none that is larger than all may be, and nobody is told that such a one has come', async () => {
    const clock = fakeClock()
    let told = 0
    const reader = new PageReader<string>({ clock, deadline: 1000, maxKnown: 3, maxBytes: 500, onLate: () => told++ })
    const come: ((page: Page<string>) => void)[] = []
    const slow = (): Promise<Page<string>> => new Promise((resolve) => come.push(resolve))
    const read = reader.read(slow, undefined, false)
    await clock.advance(1000)
    expect((await read).problem).toMatch('no answer')
    come[0]?.(page(0))
    await clock.advance(0)
    expect((await reader.read(failing, undefined, false)).page).toBeUndefined()
    expect(told).toBe(0)
  })
})

describe('F7 a page that several wait for', () => {
  const joined = async (perAsker: boolean, count: number): Promise<{ asked: number[]; pages: unknown[] }> => {
    const reader = new PageReader<string>({ clock: fakeClock(), deadline: 1000, maxKnown: 3, perAsker })
    const asked: number[] = []
    // All but the last do not want it any more by then.
    const pages = await Promise.all(
      Array.from({ length: count }, async (_, asker) => {
        const fetch = async (): Promise<Page<string>> => {
          asked.push(asker)
          await Promise.resolve()
          if (asker < count - 1) throw new Error('cancelled')
          return { items: ['x'] }
        }
        return (await reader.read(fetch, undefined, false)).page?.items
      }),
    )
    return { asked, pages }
  }

  it('is asked for by the next of them when whoever asked for it is gone', async () => {
    const { asked, pages } = await joined(true, 4)
    expect([asked, pages.at(-1)]).toEqual([[0, 1, 2, 3], ['x']])
  })

  it('fails for all of them where it is asked for in nobody’s name', async () => {
    expect((await joined(false, 4)).asked).toEqual([0])
  })
})
