/** Lists of several servers as one list of pages, in the order of the configuration. */
import { ParleyError } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import { type MergedPosition, readCursor, writeCursor } from './page-cursor.ts'
import { type FetchPage, type Page, PageReader, type ReadPage } from './page-reader.ts'

export interface ListSource<Item> {
  readonly server: string
  /** Gives items as they are to be shown. */
  readonly fetch: FetchPage<Item>
  /** Whether the server is being started again: what it gave last is shown without waiting for it. */
  readonly isRestarting?: boolean
  /** Where the client is shown a list of its own instead. */
  readonly clientList?: ClientListSource<Item> | undefined
}

export interface ClientListSource<Item> {
  /** Another one for another conversation: each has cursors of its own. */
  readonly id: string
  readonly fetch: FetchPage<Item>
  /** What is remembered of it. */
  readonly memory: PageReader<Item>
}

/** What is missing or old in a list, and why. */
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
  /** How long, in milliseconds, one server is waited for. */
  readonly deadline: number
  /** About how many items a page has; pages of servers are not torn apart. */
  readonly pageSize?: number
  /** Most pages that are read of one server. */
  readonly maxPages?: number
  /** Whether servers are asked in the name of whoever reads the list. */
  readonly perAsker?: boolean
  /** Something that was missing in a list because a server was late has come after all. */
  readonly onLate?: (() => void) | undefined
}

type ResolvedOptions = Required<Omit<MergedListOptions, 'onLate'>> & Pick<MergedListOptions, 'onLate'>

/** Remembers items of servers: one for each group of clients that may see the same. */
export class MergedList<Item> {
  readonly #options: ResolvedOptions
  readonly #readers = new Map<string, PageReader<Item>>()

  constructor({ clock, deadline, pageSize = 200, maxPages = 1000, perAsker = false, onLate }: MergedListOptions) {
    this.#options = { clock, deadline, pageSize, maxPages, perAsker, onLate }
  }

  /**
   * Rejects only for a cursor that is none, or whose list has ended. A server that fails or is late gives what it gave
   * last, with a note.
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

  /** What is remembered is of another server with this name. */
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
 * A list is read to its end where it was begun: the cursor of another would lead to a wrong place, and nobody would
 * notice.
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
      message: `Invalid cursor: the conversation with "${server}" that it is of has ended; read the list from its beginning`,
    })
  })
}

type ReadSource<Item> = (source: ListSource<Item>, place: string | undefined) => Promise<ReadPage<Item>>

/** The making of one page. */
class PageBuilder<Item> {
  readonly #options: ResolvedOptions
  readonly #read: ReadSource<Item>
  readonly #started: number
  readonly #done: Set<string>
  readonly #queue: readonly ListSource<Item>[]
  readonly #first: MergedPosition
  /** Started together, so that slow servers are waited for at the same time. */
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

  /** Takes pages of one server until it has no more; otherwise returns where to go on. */
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

  /** Asked only after a page was taken, so that following the cursors comes to an end. */
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
