/** Resource subscriptions of a client: many handlers per URI, one agreement with the server. */

import type { Session } from '../session/index.ts'
import type { Era } from '../versions/index.ts'
import type { Connection } from './connection.ts'
import type { Following, Refused } from './following.ts'
import { isBelow, RESOURCE_UPDATED } from './news.ts'

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
  /**
   * The server has taken it once, so that it is wanted again after a reconnect; until then the request itself is made
   * again.
   */
  established: boolean
}

export class Subscriptions {
  readonly #entries = new Map<string, Entry>()
  readonly #connection: Connection
  readonly #ways: Readonly<Record<Era, Following>>
  readonly #onError: (error: unknown) => void

  constructor(connection: Connection, ways: Readonly<Record<Era, Following>>, onError: (error: unknown) => void) {
    this.#connection = connection
    this.#ways = ways
    this.#onError = onError
    connection.listeners.add(RESOURCE_UPDATED, (params) => this.#updated(params['uri']))
  }

  uris(): readonly string[] {
    return [...this.#entries.keys()]
  }

  /** Subscribes to everything again on a new session, which may be of the other era; gives what the server refused. */
  restore(session: Session): Promise<readonly Refused[]> {
    for (const [era, way] of Object.entries(this.#ways)) if (era !== session.era) way.stop()
    const established = [...this.#entries].filter(([, entry]) => entry.established).map(([uri]) => uri)
    return this.#wayOf(session).restore(session, established)
  }

  async add(uri: string, handler: UpdateHandler): Promise<Subscription> {
    let entry = this.#entries.get(uri)
    if (entry === undefined) {
      entry = { handlers: new Set(), ready: this.#follow(uri), established: false }
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

  /** Somebody has begun or ceased to listen to notifications. */
  reconsider(): void {
    this.#wayOf(this.#connection.session).reconsider()
  }

  clear(): void {
    this.#entries.clear()
    for (const way of Object.values(this.#ways)) way.stop()
  }

  #wayOf(session: Session): Following {
    return this.#ways[session.era ?? 'handshake']
  }

  /**
   * Requests find their way to the next session by themselves; a stream is bound to its own, so that it is asked for
   * once more.
   */
  async #follow(uri: string, again = true): Promise<void> {
    const connection = this.#connection
    if (!connection.session.stateful && !connection.session.open) await connection.ready('resources/subscribe')
    const { session } = connection
    try {
      await this.#wayOf(session).follow(uri)
    } catch (error) {
      const isLost = !session.stateful && (connection.session !== session || !session.open)
      const hasMoved = session.stateful && !connection.session.stateful
      if (!again || !(hasMoved || (isLost && connection.repeats))) throw error
      await connection.ready('resources/subscribe')
      await this.#follow(uri, false)
    }
  }

  async #remove(uri: string, entry: Entry, registered: { handler: UpdateHandler }): Promise<void> {
    if (this.#forget(uri, entry, registered)) await this.#wayOf(this.#connection.session).unfollow(uri)
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

  /** The longest URI it lies below hears of it. */
  #entryAbove(uri: string): Entry | undefined {
    let best = ''
    for (const candidate of this.#entries.keys())
      if (candidate.length > best.length && isBelow(uri, candidate)) best = candidate
    return this.#entries.get(best)
  }
}
