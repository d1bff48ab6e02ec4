/** Lists and resources of a server, read page by page or whole, and not again while what was read is still fresh. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { PaginatedResult } from '../protocol/index.ts'
import { type RequestOptions, wasAsked } from '../session/index.ts'
import { cacheableMethods } from '../versions/index.ts'
import type { Connection } from './connection.ts'
import { allPages, itemsUnder } from './pages.ts'
import type { ResponseCache } from './response-cache.ts'

export interface ReadOptions extends RequestOptions {
  /** Asks the server even if what it said before is still good. */
  fresh?: boolean
}

export interface PageOptions extends ReadOptions {
  /** Where the page before ended. */
  cursor?: string
}

const cacheable: ReadonlySet<string> = new Set(cacheableMethods)

export class Reading {
  readonly #connection: Connection
  readonly #cache: ResponseCache | undefined

  constructor(connection: Connection, cache: ResponseCache | undefined) {
    this.#connection = connection
    this.#cache = cache
  }

  /** One page of a list whose items are under `key`; `admit` makes of it what callers see, once for each answer. */
  async page(method: string, key: string, { cursor, fresh, ...options }: PageOptions = {}, admit?: (page: Body) => Body): Promise<Body> {
    const cache = cacheable.has(method) ? this.#cache : undefined
    const kept = fresh === true ? undefined : cache?.get(method, cursor)
    if (kept !== undefined) return kept
    const keep = cache?.expect(method, cursor)
    try {
      return await this.#connection.request(method, cursor === undefined ? {} : { cursor }, options, (page) => {
        itemsUnder(method, key, page)
        const admitted = admit === undefined ? page : admit(page)
        keep?.(admitted)
        return admitted
      })
    } catch (error) {
      // Pages belong together: where one cannot be reached any more, the others are of another list.
      if (cursor !== undefined && refusesParams(error)) cache?.forget([method])
      throw error
    }
  }

  /** All items of a list. One that changed while some of its pages were kept is read from the beginning. */
  async all<Page extends PaginatedResult, Item>(
    method: string,
    options: ReadOptions | undefined,
    fetchPage: (options: PageOptions) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ): Promise<Item[]> {
    const read = (): Promise<Item[]> => allPages(method, (cursor) => fetchPage(cursor === undefined ? { ...options } : { ...options, cursor }), itemsOf)
    const isKept = options?.fresh !== true && this.#cache?.has(method, undefined) === true
    try {
      return await read()
    } catch (error) {
      if (!isKept || !refusesParams(error)) throw error
      return await read()
    }
  }

  async resource(uri: string, { fresh, ...options }: ReadOptions = {}): Promise<Body> {
    const kept = fresh === true ? undefined : this.#cache?.get('resources/read', uri)
    if (kept !== undefined) return kept
    const keep = this.#cache?.expect('resources/read', uri)
    return await this.#connection.request('resources/read', { uri }, options, (result) => {
      // What was said on the way is not part of the question: another answer would have given another result.
      if (!wasAsked(result)) keep?.(result)
      return result
    })
  }
}

function refusesParams(error: unknown): boolean {
  return error instanceof ParleyError && error.receivedCode !== undefined && (error.kind === 'invalid_cursor' || error.kind === 'invalid_params')
}
