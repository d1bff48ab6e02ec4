/** Lists and resources of a server, read page by page or whole, and not again while what was read is still fresh. */
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
  /** Asks the server even if what it said before is still good. */
  fresh?: boolean
}

export interface PageOptions extends ReadOptions {
  /** Where the page before ended. */
  cursor?: string
}

const cacheable: ReadonlySet<string> = new Set(cacheableMethods)

export class CachedReader {
  readonly #connection: Connection
  readonly #cache: ResponseCache | undefined
  /** By list: what was told of it last. */
  readonly #told = new Map<string, string>()

  constructor(connection: Connection, cache: ResponseCache | undefined) {
    this.#connection = connection
    this.#cache = cache
  }

  /** One page of a list whose items are under `key`; `admit` makes of it what callers see, once for each answer. */
  async page(
    method: string,
    key: string,
    { cursor, fresh, ...options }: PageOptions = {},
    admit?: (page: Body) => Body,
  ): Promise<Body> {
    const cache = cacheable.has(method) ? this.#cache : undefined
    const kept = fresh === true ? undefined : cache?.get(method, cursor)
    if (kept !== undefined) return kept
    const keep = cache?.expect(method, cursor)
    try {
      return await this.#connection.request(method, cursor === undefined ? {} : { cursor }, options, (page) => {
        const read = this.#read(method, key, page)
        const admitted = admit === undefined ? read : admit(read)
        keep?.(admitted)
        return admitted
      })
    } catch (error) {
      // Pages belong together: where one cannot be reached any more, the others are of another list.
      if (cursor !== undefined && refusesParams(error)) cache?.forget([method])
      return emptyIfUnknown(method, error)
    }
  }

  /** One definition that cannot be read costs no other. */
  #read(method: string, key: string, page: Body): Body {
    if (definitionsIn(method) === undefined) {
      itemsUnder(method, key, page)
      return page
    }
    const { session } = this.#connection
    const { result, losses, bad } = readableList(method, page)
    if (losses.length > 0) session.reportLosses(losses)
    this.#tell(
      method,
      bad.filter(({ isLeftOut }) => isLeftOut),
    )
    return result
  }

  /** Once, until something else is wrong with the list. */
  #tell(method: string, leftOut: readonly BadDefinition[]): void {
    const message = leftOut
      .map(({ who, problems }) => `${who} is left out of the list: it ${problems.join(', ')}`)
      .join('; ')
    const before = this.#told.get(method)
    if (message === '' || message === before) return
    this.#told.set(method, message)
    this.#connection.session.reportError(new ParleyError('invalid_answer', { message }), method)
  }

  /** All items of a list. One that changed while some of its pages were kept is read from the beginning. */
  async all<Page extends PaginatedResult, Item>(
    method: string,
    options: ReadOptions | undefined,
    fetchPage: (options: PageOptions) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ): Promise<Item[]> {
    const read = (): Promise<Item[]> =>
      allPages(method, (cursor) => fetchPage(cursor === undefined ? { ...options } : { ...options, cursor }), itemsOf)
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
  return (
    error instanceof ParleyError &&
    error.receivedCode !== undefined &&
    (error.kind === 'invalid_cursor' || error.kind === 'invalid_params')
  )
}
