import fc from 'fast-check'
import { fakeClock, flush } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { type ListSource, MergedList, type MergedPage, PageReader } from './index.ts'

const DEADLINE = 1000

function listOf(options: { pageSize?: number; maxPages?: number } = {}) {
  const clock = fakeClock()
  return { clock, list: new MergedList<string>({ clock, deadline: DEADLINE, ...options }) }
}

/** Pages of a server, with the number of the page as cursor. */
function source(server: string, pages: readonly (readonly string[])[]): ListSource<string> & { fetches: number } {
  const made = {
    server,
    fetches: 0,
    async fetch(cursor?: string) {
      made.fetches++
      const at = cursor === undefined ? 0 : Number(cursor)
      return { items: pages[at] ?? [], ...(at + 1 < pages.length ? { nextCursor: String(at + 1) } : {}) }
    },
  }
  return made
}

const broken = (server: string, message = 'out of order'): ListSource<string> => ({
  server,
  fetch: () => Promise.reject(new Error(message)),
})
const silent = (server: string): ListSource<string> => ({ server, fetch: () => new Promise(() => {}) })

async function everything(
  list: MergedList<string>,
  sources: readonly ListSource<string>[],
): Promise<MergedPage<string>[]> {
  const pages: MergedPage<string>[] = []
  let cursor: string | undefined
  do {
    const page = await list.page(sources, cursor)
    pages.push(page)
    cursor = page.nextCursor
  } while (cursor !== undefined && pages.length < 3000)
  return pages
}

describe('G: lists of many servers as one', () => {
  it('law: following the cursors gives every item once and in order, pages no longer than asked for unless a server has longer ones', async () => {
    const servers = fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(servers, fc.integer({ min: 1, max: 8 }), async (sizes, pageSize) => {
        const { list } = listOf({ pageSize })
        const given = sizes.map((pages, server) =>
          pages.map((size, page) => Array.from({ length: size }, (_, item) => `${server}-${page}-${item}`)),
        )
        const sources = given.map((pages, at) => source(String(at), pages))
        const pages = await everything(list, sources)
        expect(pages.flatMap(({ items }) => items)).toEqual(given.flat(2))
        expect(pages.flatMap(({ notes }) => notes)).toEqual([])
        for (const { items } of pages) expect(items.length).toBeLessThanOrEqual(Math.max(pageSize, 4))
        // What was read ahead is not asked for again.
        for (const [at, { fetches }] of sources.entries()) expect(fetches).toBe(given[at]?.length)
      }),
    )
  })

  it('begins anew without a cursor', async () => {
    const { list } = listOf()
    const files = source('files', [['a']])
    await list.page([files])
    await list.page([files])
    expect(files.fetches).toBe(2)
  })

  it('takes the empty text for a cursor (D-52)', async () => {
    const { list } = listOf({ pageSize: 1 })
    const odd: ListSource<string> = {
      server: 'odd',
      fetch: async (cursor) =>
        cursor === undefined ? { items: ['a'], nextCursor: '' } : { items: [`after ${JSON.stringify(cursor)}`] },
    }
    expect((await everything(list, [odd])).flatMap(({ items }) => items)).toEqual(['a', 'after ""'])
  })

  it('goes on when servers were removed, added or put in another order meanwhile', async () => {
    const { list } = listOf({ pageSize: 1 })
    const twoPages = (server: string) => source(server, [[`${server}1`], [`${server}2`]])
    const [a, b, c, d] = [twoPages('a'), twoPages('b'), twoPages('c'), twoPages('d')]
    let page = await list.page([a, b, c])
    page = await list.page([a, b, c], page.nextCursor)
    page = await list.page([a, b, c], page.nextCursor)
    expect(page.items).toEqual(['b1'])
    const rest = []
    for (let cursor = page.nextCursor; cursor !== undefined; cursor = page.nextCursor) {
      page = await list.page([d, c, a], cursor)
      rest.push(...page.items)
    }
    expect(rest).toEqual(['d1', 'd2', 'c1', 'c2'])
  })

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  it.each([
    '',
    'not a cursor!',
    'abc',
    encoded(null),
    encoded([]),
    encoded({ d: 'a', n: 0 }),
    encoded({ d: [1], n: 0 }),
    encoded({ d: [], s: 1, n: 0 }),
    encoded({ d: [], c: {}, n: 0 }),
    encoded({ d: [], n: -1 }),
    encoded({ d: [], n: 1e99 }),
    encoded({ d: ['x'.repeat(300_000)], n: 0 }),
  ])('refuses what is no cursor of it: %.30s', async (cursor) => {
    await expect(listOf().list.page([source('a', [['x']])], cursor)).rejects.toMatchObject({
      kind: 'invalid_cursor',
      code: -32602,
    })
  })
})

describe('G: one server that fails harms no other', () => {
  it('a broken server is left out with a note', async () => {
    const { list, clock } = listOf()
    const page = await list.page([source('a', [['a1']]), broken('b'), source('c', [['c1']])])
    expect(clock.pending).toBe(0)
    expect(page).toEqual({
      items: ['a1', 'c1'],
      notes: [{ server: 'b', problem: 'out of order; its items are missing' }],
    })
  })

  it.each([
    ['no list', { items: 'x' }, 'the answer holds no list'],
    ['a cursor that is none', { items: [], nextCursor: 5 }, 'nextCursor is not a string'],
  ])('an answer with %s counts as broken', async (_, answer, problem) => {
    const { list } = listOf()
    const { notes } = await list.page([{ server: 'a', fetch: async () => answer as never }])
    expect(notes[0]?.problem).toContain(problem)
  })

  it('silent servers are waited for together, once, and leave no timer behind', async () => {
    const { list, clock } = listOf()
    let settled: MergedPage<string> | undefined
    const reading = list.page([silent('a'), source('b', [['b1']]), silent('c')]).then((page) => {
      settled = page
    })
    await clock.advance(DEADLINE - 1)
    expect(settled).toBeUndefined()
    await clock.advance(1)
    await reading
    expect(settled?.items).toEqual(['b1'])
    expect(settled?.notes.map(({ server, problem }) => [server, problem.includes('no answer within 1000 ms')])).toEqual(
      [
        ['a', true],
        ['c', true],
      ],
    )
    expect(clock.pending).toBe(0)
  })

  it('what a server gave last is shown while it fails, all its pages', async () => {
    const { list } = listOf()
    const pages = [['a1'], ['a2'], ['a3']]
    await list.page([source('a', pages)])
    const { items, notes } = await list.page([broken('a')])
    expect(items).toEqual(['a1', 'a2', 'a3'])
    expect(notes).toHaveLength(3)
    expect(notes[0]?.problem).toBe('out of order; its last known items are shown')
  })

  it('old pages are forgotten when the first one leads elsewhere', async () => {
    const { list } = listOf({ pageSize: 1 })
    const twoPages = source('a', [['a1'], ['a2']])
    const { nextCursor } = await list.page([twoPages])
    await list.page([twoPages], nextCursor)
    await list.page([source('a', [['only']])])
    expect((await list.page([broken('a')])).items).toEqual(['only'])
    expect((await list.page([broken('a')], nextCursor)).items).toEqual([])
  })

  it('an answer that comes late is shown next time, and is asked for once meanwhile', async () => {
    const { list, clock } = listOf()
    let answer: (page: { items: string[] }) => void = () => {}
    let fetches = 0
    const slow: ListSource<string> = {
      server: 'slow',
      fetch: () => {
        fetches++
        return new Promise((resolve) => {
          answer = resolve
        })
      },
    }
    const both = [list.page([slow]), list.page([slow])]
    await clock.advance(DEADLINE)
    expect((await Promise.all(both)).map(({ items }) => items)).toEqual([[], []])
    expect(fetches).toBe(1)
    answer({ items: ['late'] })
    await flush()
    expect((await list.page([broken('slow')])).items).toEqual(['late'])
  })

  it('a late server is waited for shorter the next time, until it is in time', async () => {
    const { list, clock } = listOf()
    let quick = false
    const moody: ListSource<string> = {
      server: 'moody',
      fetch: () => (quick ? Promise.resolve({ items: ['m1'] }) : new Promise(() => {})),
    }
    const slow = list.page([moody])
    await clock.advance(DEADLINE)
    await slow
    const second = list.page([moody])
    await clock.advance(DEADLINE / 20)
    expect((await second).notes).toHaveLength(1)
    await clock.advance(DEADLINE)
    quick = true
    expect((await list.page([moody])).items).toEqual(['m1'])
    quick = false
    let settled = false
    const patient = list.page([moody]).then(() => {
      settled = true
    })
    await clock.advance(DEADLINE - 1)
    expect(settled).toBe(false)
    await clock.advance(1)
    await patient
    expect(clock.pending).toBe(0)
  })

  it('what was missing and comes after all is told, once', async () => {
    const clock = fakeClock()
    let told = 0
    const list = new MergedList<string>({ clock, deadline: DEADLINE, onLate: () => told++ })
    const slow: ListSource<string> = {
      server: 'slow',
      fetch: () => new Promise((resolve) => clock.after(DEADLINE * 2, () => resolve({ items: ['late'] }))),
    }
    for (const expected of [[], ['late']]) {
      const reading = list.page([slow])
      await clock.advance(DEADLINE)
      expect((await reading).items).toEqual(expected)
      await clock.advance(DEADLINE * 2)
      expect(told).toBe(1)
    }
  })

  it('a late answer does not replace a newer one', async () => {
    const { list, clock } = listOf()
    let answer: (page: { items: string[] }) => void = () => {}
    const slow: ListSource<string> = { server: 'a', fetch: () => new Promise((resolve) => (answer = resolve)) }
    const first = list.page([slow])
    await clock.advance(DEADLINE)
    await first
    await list.page([source('a', [['new']])])
    answer({ items: ['old'] })
    await flush()
    expect((await list.page([broken('a')])).items).toEqual(['new'])
  })

  it('a server that takes its time over every page does not hold up the page: the rest comes with the next one', async () => {
    const { list, clock } = listOf()
    const slowly = source('slow', [['1'], ['2'], ['3'], ['4']])
    const slow: ListSource<string> = {
      server: 'slow',
      fetch: (cursor) => new Promise((resolve) => clock.after(600, () => resolve(slowly.fetch(cursor)))),
    }
    const reading = list.page([slow])
    await clock.advance(1200)
    const page = await reading
    expect(page.items).toEqual(['1', '2'])
    expect(page.notes).toEqual([])
    const rest = list.page([slow], page.nextCursor)
    await clock.advance(1200)
    expect((await rest).items).toEqual(['3', '4'])
  })

  it('a cursor that comes twice ends the list', async () => {
    const { list } = listOf()
    const circle: ListSource<string> = {
      server: 'circle',
      fetch: async (cursor) => ({ items: [cursor ?? 'first'], nextCursor: cursor === 'x' ? 'y' : 'x' }),
    }
    const page = await list.page([circle, source('b', [['b1']])])
    expect(page.items).toEqual(['first', 'x', 'y', 'b1'])
    expect(page.notes).toEqual([{ server: 'circle', problem: expect.stringContaining('same cursor twice') }])
  })

  it.each([1, 200])('a list without end ends after 1000 pages, with pages of %i', async (pageSize) => {
    const { list } = listOf({ pageSize })
    const endless: ListSource<string> = {
      server: 'endless',
      fetch: async (cursor = '0') => ({ items: [cursor], nextCursor: String(Number(cursor) + 1) }),
    }
    const pages = await everything(list, [endless])
    expect(pages.flatMap(({ items }) => items)).toHaveLength(1000)
    expect(pages.at(-1)?.notes).toEqual([
      { server: 'endless', problem: expect.stringContaining('more than 1000 pages') },
    ])
  })
})

describe('F7 cursors of a list that one client alone is shown', () => {
  it('lead on in that list, are refused without it, and those of the common list stay in that one', async () => {
    const { clock, list } = listOf({ pageSize: 1 })
    const common = source('a', [['c1'], ['c2']])
    const own = (id: string): ListSource<string> => {
      const memory = new PageReader<string>({ clock, deadline: DEADLINE, maxKnown: 10 })
      return { ...common, clientList: { id, memory, fetch: source('a', [[`${id}1`], [`${id}2`]]).fetch } }
    }
    const [first, second] = [own('one'), own('two')]
    const begun = await list.page([first])
    expect(begun.items).toEqual(['one1'])
    expect((await list.page([first], begun.nextCursor)).items).toEqual(['one2'])
    for (const other of [common, second])
      await expect(list.page([other], begun.nextCursor)).rejects.toMatchObject({ kind: 'invalid_cursor' })
    const shared = await list.page([common])
    expect((await list.page([first], shared.nextCursor)).items).toEqual(['c2'])
  })
})
