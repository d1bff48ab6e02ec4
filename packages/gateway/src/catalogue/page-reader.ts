/**
 * Remembers pages of one list of one server to show them while the server fails, for all clients or for one conversation,
 * until newer pages arrive. Reads pages within a deadline.
 */
import { ParleyError } from 'parley-mcp'
import { type Clock, weightOf } from 'parley-mcp/engine'

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string | undefined
}

export type FetchPage<Item> = (cursor?: string) => Promise<Page<Item>>

/** `problem`: why the page is old or absent. */
export interface ReadPage<Item> {
  readonly page: Page<Item> | undefined
  readonly problem?: string
}

/** The first page has no cursor, and the empty text is one (D-52). */
type PageCursor = string | undefined

export interface PageReaderOptions {
  readonly clock: Clock
  readonly deadline: number
  readonly maxKnown: number
  /** Of the remembered pages, approximately. */
  readonly maxBytes?: number
  /** Whether a page is requested in the name of its first reader, and may fail with that reader. */
  readonly perAsker?: boolean
  /** Called when a page has arrived that was missing in a list. */
  readonly onLate?: (() => void) | undefined
}

/**
 * The part of the deadline for a page that was late the last time: a server that never answers must not delay every
 * list.
 */
const LATE_DEADLINE_SHARE = 1 / 20

const MAX_BYTES = 16 * 1024 * 1024

interface KnownPage<Item> {
  readonly page: Page<Item>
  readonly at: number
  readonly weight: number
}

export class PageReader<Item> {
  readonly #clock: Clock
  readonly #deadline: number
  readonly #maxKnown: number
  readonly #maxBytes: number
  readonly #perAsker: boolean
  readonly #onLate: (() => void) | undefined
  /** Pages that did not come in time. */
  readonly #late = new Set<PageCursor>()
  readonly #known = new Map<PageCursor, KnownPage<Item>>()
  #weight = 0
  /** Requests in progress, shared by all readers of the page. A late answer is remembered. */
  readonly #pending = new Map<PageCursor, { readonly started: number; readonly page: Promise<Page<Item>> }>()

  constructor({ clock, deadline, maxKnown, maxBytes = MAX_BYTES, perAsker = false, onLate }: PageReaderOptions) {
    this.#clock = clock
    this.#deadline = deadline
    this.#maxKnown = maxKnown
    this.#maxBytes = maxBytes
    this.#perAsker = perAsker
    this.#onLate = onLate
  }

  /** The last known page. */
  last(cursor: PageCursor): Page<Item> | undefined {
    return this.#known.get(cursor)?.page
  }

  /** Never rejects. With `reuse` a page that is not older than the deadline is not read again. */
  async read(fetch: FetchPage<Item>, cursor: PageCursor, reuse: boolean): Promise<ReadPage<Item>> {
    const known = this.#known.get(cursor)
    if (reuse && known !== undefined && this.#clock.now() - known.at <= this.#deadline) return { page: known.page }
    try {
      return { page: await this.#within(cursor, (isOver) => this.#page(fetch, cursor, isOver)) }
    } catch (thrown) {
      return { page: this.#known.get(cursor)?.page, problem: thrown instanceof Error ? thrown.message : String(thrown) }
    }
  }

  /** If the first reader cancels, the other readers of the page request it in their own name. */
  async #page(fetch: FetchPage<Item>, cursor: PageCursor, isOver: () => boolean): Promise<Page<Item>> {
    for (;;) {
      const pending = this.#pending.get(cursor)
      // A request without an answer for so long may be lost, so the page is requested again.
      if (pending === undefined || this.#clock.now() - pending.started >= this.#deadline)
        return this.#ask(fetch, cursor)
      try {
        return await pending.page
      } catch (error) {
        if (!this.#perAsker || isOver()) throw error
      }
    }
  }

  #ask(fetch: FetchPage<Item>, cursor: PageCursor): Promise<Page<Item>> {
    const started = this.#clock.now()
    const page = checked(fetch, cursor)
    this.#pending.set(cursor, { started, page })
    const over = () => {
      if (this.#pending.get(cursor)?.page === page) this.#pending.delete(cursor)
    }
    // Registered first, so that a reader that tries again does not find the old request.
    page.then((value) => {
      over()
      this.#remember(cursor, value, started)
    }, over)
    return page
  }

  #within(cursor: PageCursor, read: (isOver: () => boolean) => Promise<Page<Item>>): Promise<Page<Item>> {
    const timeout = this.#late.has(cursor) ? this.#deadline * LATE_DEADLINE_SHARE : this.#deadline
    return new Promise((resolve, reject) => {
      let isOver = false
      const late = () => {
        isOver = true
        if (this.#late.size < this.#maxKnown) this.#late.add(cursor)
        reject(new ParleyError('request_timeout', { message: `no answer within ${this.#deadline} ms` }))
      }
      const cancel = this.#clock.after(timeout, late)
      read(() => isOver)
        .then(resolve, reject)
        .finally(cancel)
    })
  }

  #remember(cursor: PageCursor, page: Page<Item>, started: number): void {
    const before = this.#known.get(cursor)
    const wasMissed = this.#late.has(cursor) && before === undefined
    if (this.#clock.now() - started < this.#deadline) this.#late.delete(cursor)
    if (before !== undefined && before.at > started) return
    // A changed first page makes the old cursors invalid.
    if (cursor === undefined && before?.page.nextCursor !== page.nextCursor)
      for (const each of [...this.#known.keys()]) this.#drop(each)
    this.#drop(cursor)
    const weight = weightOf([cursor, page], this.#maxBytes)
    this.#known.set(cursor, { page, at: this.#clock.now(), weight })
    this.#weight += weight
    while (this.#known.size > this.#maxKnown || this.#weight > this.#maxBytes) this.#drop(this.#oldest())
    // Not for a page that was dropped at once: the next reader would cause the same event again.
    if (wasMissed && this.#known.has(cursor)) this.#onLate?.()
  }

  /** The first page is dropped last, because a list without its server begins with it. */
  #oldest(): PageCursor {
    for (const cursor of this.#known.keys()) if (cursor !== undefined) return cursor
    return undefined
  }

  #drop(cursor: PageCursor): void {
    this.#weight -= this.#known.get(cursor)?.weight ?? 0
    this.#known.delete(cursor)
  }
}

async function checked<Item>(fetch: FetchPage<Item>, cursor: PageCursor): Promise<Page<Item>> {
  const page: { items?: unknown; nextCursor?: unknown } = await (cursor === undefined ? fetch() : fetch(cursor))
  if (!Array.isArray(page.items)) throw new ParleyError('invalid_answer', { message: 'the answer holds no list' })
  const { nextCursor = undefined } = page
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string') {
    throw new ParleyError('invalid_answer', { message: 'nextCursor is not a string' })
  }
  return { items: page.items as Item[], nextCursor: nextCursor ?? undefined }
}
