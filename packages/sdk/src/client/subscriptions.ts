/** Resource subscriptions of a client: many handlers per URI, one subscription on the wire. */
import type { Session } from '../session/index.ts'

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
}

export class Subscriptions {
  readonly #entries = new Map<string, Entry>()
  readonly #session: Session
  readonly #onError: (error: unknown) => void

  constructor(session: Session, onError: (error: unknown) => void) {
    this.#session = session
    this.#onError = onError
    session.onNotification('notifications/resources/updated', (params) => this.#updated(params['uri']))
  }

  /** What would have to be subscribed to again on another session. */
  uris(): readonly string[] {
    return [...this.#entries.keys()]
  }

  async add(uri: string, handler: UpdateHandler): Promise<Subscription> {
    let entry = this.#entries.get(uri)
    if (entry === undefined) {
      entry = { handlers: new Set(), ready: this.#session.request('resources/subscribe', { uri }) }
      this.#entries.set(uri, entry)
    }
    // An object of its own, so that the same function may be given twice.
    const registered = { handler }
    entry.handlers.add(registered)
    const remove = () => this.#remove(uri, entry, registered)
    try {
      await entry.ready
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
    // A session that has ended took its subscriptions with it (M7).
    if (this.#session.open) await this.#session.request('resources/unsubscribe', { uri })
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
