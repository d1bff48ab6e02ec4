/** Reads all pages of a list, with a limit. */
import { ParleyError } from '../../errors/index.ts'
import type { PaginatedResult } from '../../protocol/index.ts'

const MAX_PAGES = 1000

/** Any string is a cursor, even an empty one (D-52). A repeated cursor is an error, because the list would not end. */
export async function allPages<Page extends PaginatedResult, Item>(
  method: string,
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  maxPages = MAX_PAGES,
): Promise<Item[]> {
  const items: Item[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await fetchPage(cursor)
    for (const item of itemsOf(page)) items.push(item)
    cursor = page.nextCursor
    if (cursor === undefined || cursor === null) return items
    if (typeof cursor === 'object')
      throw new ParleyError('invalid_answer', { message: `The "nextCursor" of ${method} is not a string` })
    if (seen.has(cursor))
      throw new ParleyError('invalid_answer', {
        message: `${method} returned the same cursor twice; the list would never end`,
      })
    seen.add(cursor)
  }
  throw new ParleyError('invalid_answer', {
    message: `${method} has more than ${maxPages} pages; read it page by page`,
  })
}

/** The array under `key` of a list result. */
export function itemsUnder<Item>(method: string, key: string, page: Record<string, unknown>): readonly Item[] {
  const items = page[key]
  if (!Array.isArray(items))
    throw new ParleyError('invalid_answer', { message: `The answer to ${method} has no "${key}" array` })
  return items
}
