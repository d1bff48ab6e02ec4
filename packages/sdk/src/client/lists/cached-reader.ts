/** Reads lists and resources of a server, page by page or whole, and caches the answers while they are fresh. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { PaginatedResult } from '../../protocol/index.ts'
import { type RequestOptions, wasAsked } from '../../session/index.ts'
import {
  type BadDefinition,
  cacheableMethods,
  definitionsIn,
  emptyIfUnknown,
  readableList,
} from '../../versions/index.ts'
import type { Connection } from '../connection/connection.ts'
import { allPages, itemsUnder } from './pages.ts'
import type { ResponseCache } from './response-cache.ts'

export interface ReadOptions extends RequestOptions {
  /** Asks the server even if a cached answer is still fresh. */
  fresh?: boolean
}

export interface PageOptions extends ReadOptions {
  /** The `nextCursor` of the previous page. */
  cursor?: string
}

const cacheable: ReadonlySet<string> = new Set(cacheableMethods)

export class CachedReader {
  readonly #connection: Connection
  readonly #cache: ResponseCache | undefined
  /** By list: the last reported problem. */
  readonly #reported = new Map<string, string>()

  constructor(connection: Connection, cache: ResponseCache | undefined) {
    this.#connection = connection
    this.#cache = cache
  }

  /** Reads one page of a list with its items under `key`. `admit` filters each answer before it is cached. */
  async page(
    method: string,
    key: string,
    { cursor, fresh, ...options }: PageOptions = {},
    admit?: (page: Body) => Body,
  ): Promise<Body> {
    const cache = cacheable.has(method) ? this.#cache : undefined
    const cached = fresh === true ? undefined : cache?.get(method, cursor)
    if (cached !== undefined) return cached
    const store = cache?.expect(method, cursor)
    try {
      return await this.#connection.request(method, cursor === undefined ? {} : { cursor }, options, (page) => {
        const read = this.#read(method, key, page)
        const admitted = admit === undefined ? read : admit(read)
        store?.(admitted)
        return admitted
      })
    } catch (error) {
      // A refused cursor means that the list has changed, so its cached pages are outdated.
      if (cursor !== undefined && refusesParams(error)) cache?.forget([method])
      return emptyIfUnknown(method, error)
    }
  }

  /** A definition that cannot be read does not affect the others. */
  #read(method: string, key: string, page: Body): Body {
    if (definitionsIn(method) === undefined) {
      itemsUnder(method, key, page)
      return page
    }
    const { session } = this.#connection
    const { result, losses, bad } = readableList(method, page)
    if (losses.length > 0) session.reportLosses(losses)
    this.#reportLeftOut(
      method,
      bad.filter(({ isLeftOut }) => isLeftOut),
    )
    return result
  }

  /** Reports a problem once, until the list has another one. */
  #reportLeftOut(method: string, leftOut: readonly BadDefinition[]): void {
    const message = leftOut
      .map(({ who, problems }) => `${who} is left out of the list: it ${problems.join(', ')}`)
      .join('; ')
    const before = this.#reported.get(method)
    if (message === '' || message === before) return
    this.#reported.set(method, message)
    this.#connection.session.reportError(new ParleyError('invalid_answer', { message }), method)
  }

  /** Reads all items of a list. If the list changed since some of its pages were cached, starts again. */
  async all<Page extends PaginatedResult, Item>(
    method: string,
    options: ReadOptions | undefined,
    fetchPage: (options: PageOptions) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ): Promise<Item[]> {
    const read = (): Promise<Item[]> =>
      allPages(method, (cursor) => fetchPage(cursor === undefined ? { ...options } : { ...options, cursor }), itemsOf)
    const isCached = options?.fresh !== true && this.#cache?.has(method, undefined) === true
    try {
      return await read()
    } catch (error) {
      if (!isCached || !refusesParams(error)) throw error
      return await read()
    }
  }

  async resource(uri: string, { fresh, ...options }: ReadOptions = {}): Promise<Body> {
    const cached = fresh === true ? undefined : this.#cache?.get('resources/read', uri)
    if (cached !== undefined) return cached
    const store = this.#cache?.expect('resources/read', uri)
    return await this.#connection.request('resources/read', { uri }, options, (result) => {
      // The result depends on answers that the user gave meanwhile, so it is not cached.
      if (!wasAsked(result)) store?.(result)
      return result
    })
  }
}

function refusesParams(error: unknown): boolean {
  return (
    error instanceof ParleyError &&
    error.receivedCode !== undefined &&
    (error.kind === 'invalid_cursor' || error.kind === 'invalid_params')
  )
}
