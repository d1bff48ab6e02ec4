/** Resource subscriptions of a client: many handlers per URI, one subscription on the wire. */
import type { Session } from '../session/index.ts'
import type { Connection } from './connection.ts'

/** Told the URI that changed, which may lie below the one subscribed to. */
export type UpdateHandler = (uri: string) => unknown

export interface Subscription extends AsyncDisposable {
  readonly uri: string
  /** A second call does nothing. */
  unsubscribe(): Promise<void>
}

interface Entry {
  readonly handlers: Set<{ readonly handler: UpdateHandler }>
  readonly ready: Promise<unknown>
  /** True while the server knows of it, as far as this side can tell. */
  held: boolean
  /** The server has taken it once, so that it is wanted again after a reconnect; until then the request itself is made again. */
  established: boolean
}

export class Subscriptions {
  readonly #entries = new Map<string, Entry>()
  readonly #connection: Connection
  readonly #onError: (error: unknown) => void

  constructor(connection: Connection, onError: (error: unknown) => void) {
    this.#connection = connection
    this.#onError = onError
    connection.listeners.add('notifications/resources/updated', (params) => this.#updated(params['uri']))
  }

  uris(): readonly string[] {
    return [...this.#entries.keys()]
  }

  /** Subscribes to everything again on a new session; gives what the server refused. */
  async restore(session: Session): Promise<{ uri: string; error: Error }[]> {
    const refused: { uri: string; error: Error }[] = []
    const subscribe = async (uri: string, entry: Entry): Promise<void> => {
      entry.held = true
      try {
        await session.request('resources/subscribe', { uri })
      } catch (error) {
        entry.held = false
        refused.push({ uri, error: error as Error })
      }
    }
    await Promise.all([...this.#entries].filter(([, entry]) => entry.established).map(([uri, entry]) => subscribe(uri, entry)))
    return refused
  }

  async add(uri: string, handler: UpdateHandler): Promise<Subscription> {
    let entry = this.#entries.get(uri)
    if (entry === undefined) {
      entry = { handlers: new Set(), ready: this.#connection.request('resources/subscribe', { uri }), established: false, held: true }
      this.#entries.set(uri, entry)
    }
    // An object of its own, so that the same function may be given twice.
    const registered = { handler }
    entry.handlers.add(registered)
    const remove = () => this.#remove(uri, entry, registered)
    try {
      await entry.ready
      entry.established = true
    } catch (error) {
      this.#forget(uri, entry, registered)
      throw error
    }
    return { uri, unsubscribe: remove, [Symbol.asyncDispose]: remove }
  }

  clear(): void {
    this.#entries.clear()
  }

  async #remove(uri: string, entry: Entry, registered: { handler: UpdateHandler }): Promise<void> {
    if (!this.#forget(uri, entry, registered)) return
    const { session } = this.#connection
    // A session that has ended took its subscriptions with it (M7).
    if (entry.held && session.open) await session.request('resources/unsubscribe', { uri })
  }

  /** True when nobody is left who wants to know. */
  #forget(uri: string, entry: Entry, registered: { handler: UpdateHandler }): boolean {
    if (!entry.handlers.delete(registered) || entry.handlers.size > 0 || this.#entries.get(uri) !== entry) return false
    return this.#entries.delete(uri)
  }

  #updated(uri: unknown): void {
    if (typeof uri !== 'string') return
    const entry = this.#entries.get(uri) ?? this.#entryAbove(uri)
    for (const { handler } of entry === undefined ? [] : [...entry.handlers]) {
      try {
        const outcome = handler(uri)
        if (outcome instanceof Promise) outcome.catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    }
  }

  /** Servers may report a part of what was subscribed to: the longest URI it lies below hears of it. */
  #entryAbove(uri: string): Entry | undefined {
    let best = ''
    for (const candidate of this.#entries.keys()) {
      const below = uri.startsWith(candidate) && (candidate.endsWith('/') || /^[/?#]/.test(uri.slice(candidate.length)))
      if (below && candidate.length > best.length) best = candidate
    }
    return this.#entries.get(best)
  }
}
