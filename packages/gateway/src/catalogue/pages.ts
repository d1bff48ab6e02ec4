/** Merges the lists of several servers into one list of pages, in the order of the configuration. */
import { ParleyError } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import { type MergedPosition, readCursor, writeCursor } from './page-cursor.ts'
import { type FetchPage, type Page, PageReader, type ReadPage } from './page-reader.ts'

export interface ListSource<Item> {
  readonly server: string
  /** Returns items as clients see them. */
  readonly fetch: FetchPage<Item>
  /** Whether the server is restarting: clients see its last list without waiting. */
  readonly isRestarting?: boolean
  /** Set where the client sees its own list instead. */
  readonly clientList?: ClientListSource<Item> | undefined
}

export interface ClientListSource<Item> {
  /** The id of the conversation, because each has its own cursors. */
  readonly id: string
  readonly fetch: FetchPage<Item>
  /** Its remembered pages. */
  readonly memory: PageReader<Item>
}

/** Why a part of a list is missing or old. */
export interface ListNote {
  readonly server: string
  readonly problem: string
}

export interface MergedPage<Item> {
  readonly items: Item[]
  readonly nextCursor?: string
  readonly notes: ListNote[]
}

export interface MergedListOptions {
  readonly clock: Clock
  /** How long a list waits for one server, in milliseconds. */
  readonly deadline: number
  /** The approximate number of items of a page. Pages of servers are not split. */
  readonly pageSize?: number
  /** The most pages of one server. */
  readonly maxPages?: number
  /** Whether pages are requested in the name of the client that reads the list. */
  readonly perAsker?: boolean
  /** Called when a page has arrived that was missing in a list. */
  readonly onLate?: (() => void) | undefined
}

type ResolvedOptions = Required<Omit<MergedListOptions, 'onLate'>> & Pick<MergedListOptions, 'onLate'>

/** Remembers pages of servers. Clients that may see different items need a merged list each. */
export class MergedList<Item> {
  readonly #options: ResolvedOptions
  readonly #readers = new Map<string, PageReader<Item>>()

  constructor({ clock, deadline, pageSize = 200, maxPages = 1000, perAsker = false, onLate }: MergedListOptions) {
    this.#options = { clock, deadline, pageSize, maxPages, perAsker, onLate }
  }

  /**
   * Rejects only for an invalid cursor, or one whose list has ended. For a server that fails or is late the page has the
   * last known items and a note.
   */
  async page(sources: readonly ListSource<Item>[], cursor?: string): Promise<MergedPage<Item>> {
    const start = cursor === undefined ? { done: [], pages: 0 } : readCursor(cursor)
    this.#forgetOthers(sources)
    const isFollowing = cursor !== undefined
    const builder = new PageBuilder(
      chosen(sources, start),
      start,
      this.#options,
      ({ server, fetch, clientList, isRestarting }, place) => {
        if (clientList !== undefined) return clientList.memory.read(clientList.fetch, place, isFollowing)
        const reader = this.#reader(server)
        const last = isRestarting ? reader.last(place) : undefined
        return last === undefined ? reader.read(fetch, place, isFollowing) : Promise.resolve({ page: last })
      },
    )
    return builder.collect()
  }

  /** Another server has this name now. */
  forget(server: string): void {
    this.#readers.delete(server)
  }

  #reader(server: string): PageReader<Item> {
    let reader = this.#readers.get(server)
    if (reader === undefined) {
      const { clock, deadline, maxPages: maxKnown, perAsker, onLate } = this.#options
      reader = new PageReader({ clock, deadline, maxKnown, perAsker, onLate })
      this.#readers.set(server, reader)
    }
    return reader
  }

  #forgetOthers(sources: readonly ListSource<Item>[]): void {
    const servers = new Set(sources.map(({ server }) => server))
    for (const server of this.#readers.keys()) if (!servers.has(server)) this.#readers.delete(server)
  }
}

/**
 * A list is continued in the conversation where it was begun. In another one the cursor would silently lead to wrong
 * items.
 */
function chosen<Item>(
  sources: readonly ListSource<Item>[],
  { server, cursor, clientList }: MergedPosition,
): readonly ListSource<Item>[] {
  if (cursor === undefined) return sources
  return sources.map((source) => {
    if (source.server !== server || source.clientList?.id === clientList) return source
    if (clientList === undefined) return { ...source, clientList: undefined }
    throw new ParleyError('invalid_cursor', {
      message: `Invalid cursor: its conversation with "${server}" has ended; read the list from its beginning`,
    })
  })
}

type ReadSource<Item> = (source: ListSource<Item>, place: string | undefined) => Promise<ReadPage<Item>>

/** Makes one page. */
class PageBuilder<Item> {
  readonly #options: ResolvedOptions
  readonly #read: ReadSource<Item>
  readonly #started: number
  readonly #done: Set<string>
  readonly #queue: readonly ListSource<Item>[]
  readonly #first: MergedPosition
  /** All requests begin together, so that the page waits for slow servers at the same time. */
  readonly #begun = new Map<string, Promise<ReadPage<Item>>>()
  readonly #items: Item[] = []
  readonly #notes: ListNote[] = []

  constructor(
    sources: readonly ListSource<Item>[],
    start: MergedPosition,
    options: ResolvedOptions,
    read: ReadSource<Item>,
  ) {
    this.#options = options
    this.#read = read
    this.#started = options.clock.now()
    const present = new Set(sources.map(({ server }) => server))
    this.#done = new Set(start.done.filter((server) => present.has(server)))
    this.#first = start
    const left = sources.filter(({ server }) => !this.#done.has(server))
    this.#queue = [
      ...left.filter(({ server }) => server === start.server),
      ...left.filter(({ server }) => server !== start.server),
    ]
    for (const source of this.#queue)
      this.#begun.set(source.server, read(source, source.server === start.server ? start.cursor : undefined))
  }

  async collect(): Promise<MergedPage<Item>> {
    for (const source of this.#queue) {
      const position = await this.#server(source)
      if (position !== undefined) return { items: this.#items, nextCursor: writeCursor(position), notes: this.#notes }
      this.#done.add(source.server)
    }
    return { items: this.#items, notes: this.#notes }
  }

  /** Takes all pages of one server. Returns the position to go on from, if there is no room or time left. */
  async #server(source: ListSource<Item>): Promise<MergedPosition | undefined> {
    const { server } = source
    const resumed = server === this.#first.server
    const seen = new Set<string>()
    let place = resumed ? this.#first.cursor : undefined
    for (let pages = resumed ? this.#first.pages : 0; pages < this.#options.maxPages; pages++) {
      const here: MergedPosition = {
        done: [...this.#done],
        server,
        cursor: place,
        clientList: source.clientList?.id,
        pages,
      }
      if (!this.#begun.has(server) && this.#isLate()) return here
      const page = await this.#next(source, place)
      if (page === undefined) return undefined
      if (!this.#fits(page)) return here
      this.#take(page)
      if (place !== undefined) seen.add(place)
      place = page.nextCursor
      if (place === undefined) return undefined
      if (seen.has(place))
        return this.#note(server, 'gave the same cursor twice; its list would never end and was cut there')
    }
    return this.#note(server, `has more than ${this.#options.maxPages} pages; the rest was left out`)
  }

  async #next(source: ListSource<Item>, place: string | undefined): Promise<Page<Item> | undefined> {
    const reading = this.#begun.get(source.server) ?? this.#read(source, place)
    this.#begun.delete(source.server)
    const { page, problem } = await reading
    if (problem !== undefined)
      this.#note(
        source.server,
        `${problem}; ${page === undefined ? 'its items are missing' : 'its last known items are shown'}`,
      )
    return page
  }

  /** Checked only after the first page, so that each cursor makes progress. */
  #isLate(): boolean {
    return this.#options.clock.now() - this.#started >= this.#options.deadline
  }

  #fits(page: Page<Item>): boolean {
    return this.#items.length === 0 || this.#items.length + page.items.length <= this.#options.pageSize
  }

  #take(page: Page<Item>): void {
    for (const item of page.items) this.#items.push(item)
  }

  #note(server: string, problem: string): undefined {
    this.#notes.push({ server, problem })
  }
}
