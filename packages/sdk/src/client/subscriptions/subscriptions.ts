/** Resource subscriptions of a client: any number of handlers per URI, and one subscription at the server. */

import type { Session } from '../../session/index.ts'
import type { Era } from '../../versions/index.ts'
import type { Connection } from '../connection/connection.ts'
import { Observers } from '../connection/observers.ts'
import type { EraSubscriptions, RefusedSubscription } from './era-subscriptions.ts'
import { isBelow, RESOURCE_UPDATED } from './subjects.ts'

/** Gets the URI that changed. It may be a part of the subscribed resource. */
export type UpdateHandler = (uri: string) => unknown

export interface Subscription extends AsyncDisposable {
  readonly uri: string
  /** A second call does nothing. */
  unsubscribe(): Promise<void>
}

interface Entry {
  readonly handlers: Observers<string>
  readonly ready: Promise<unknown>
  /** The server accepted it once, so a reconnect restores it. Before that, the request itself is repeated. */
  established: boolean
}

export class Subscriptions {
  readonly #entries = new Map<string, Entry>()
  readonly #connection: Connection
  readonly #byEra: Readonly<Record<Era, EraSubscriptions>>
  readonly #onError: (error: unknown) => void

  constructor(
    connection: Connection,
    byEra: Readonly<Record<Era, EraSubscriptions>>,
    onError: (error: unknown) => void,
  ) {
    this.#connection = connection
    this.#byEra = byEra
    this.#onError = onError
    connection.listeners.add(RESOURCE_UPDATED, (params) => this.#updated(params['uri']))
  }

  uris(): readonly string[] {
    return [...this.#entries.keys()]
  }

  /** Subscribes again on a new session, which may be of the other era. Returns what the server refused. */
  restore(session: Session): Promise<readonly RefusedSubscription[]> {
    for (const [era, subscriptions] of Object.entries(this.#byEra)) if (era !== session.era) subscriptions.stop()
    const established = [...this.#entries].filter(([, entry]) => entry.established).map(([uri]) => uri)
    return this.#of(session).restore(session, established)
  }

  async add(uri: string, handler: UpdateHandler): Promise<Subscription> {
    let entry = this.#entries.get(uri)
    if (entry === undefined) {
      entry = { handlers: new Observers(this.#onError), ready: this.#subscribe(uri), established: false }
      this.#entries.set(uri, entry)
    }
    const removeHandler = entry.handlers.add(handler)
    const unsubscribe = async (): Promise<void> => {
      if (removeHandler() && this.#forgetUnused(uri, entry)) await this.#of(this.#connection.session).unsubscribe(uri)
    }
    try {
      await entry.ready
      entry.established = true
    } catch (error) {
      if (removeHandler()) this.#forgetUnused(uri, entry)
      throw error
    }
    return { uri, unsubscribe, [Symbol.asyncDispose]: unsubscribe }
  }

  /** A notification handler was added or removed. */
  listenersChanged(): void {
    this.#of(this.#connection.session).listenersChanged()
  }

  clear(): void {
    this.#entries.clear()
    for (const subscriptions of Object.values(this.#byEra)) subscriptions.stop()
  }

  #of(session: Session): EraSubscriptions {
    return this.#byEra[session.era ?? 'handshake']
  }

  /** The connection repeats lost requests itself. A stream belongs to one session, so it is opened once more here. */
  async #subscribe(uri: string, again = true): Promise<void> {
    const connection = this.#connection
    if (!connection.session.stateful && !connection.session.open) await connection.ready('resources/subscribe')
    const { session } = connection
    try {
      await this.#of(session).subscribe(uri)
    } catch (error) {
      const isLost = !session.stateful && (connection.session !== session || !session.open)
      const hasMoved = session.stateful && !connection.session.stateful
      if (!again || !(hasMoved || (isLost && connection.repeats))) throw error
      await connection.ready('resources/subscribe')
      await this.#subscribe(uri, false)
    }
  }

  /** True when the entry had no handlers left and was removed. */
  #forgetUnused(uri: string, entry: Entry): boolean {
    return entry.handlers.size === 0 && this.#entries.get(uri) === entry && this.#entries.delete(uri)
  }

  #updated(uri: unknown): void {
    if (typeof uri !== 'string') return
    const entry = this.#entries.get(uri) ?? this.#entryAbove(uri)
    entry?.handlers.notify(uri)
  }

  /** The subscription with the longest URI that contains this one. */
  #entryAbove(uri: string): Entry | undefined {
    let best = ''
    for (const candidate of this.#entries.keys())
      if (candidate.length > best.length && isBelow(uri, candidate)) best = candidate
    return this.#entries.get(best)
  }
}
