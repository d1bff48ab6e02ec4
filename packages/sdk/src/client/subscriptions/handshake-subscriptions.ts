/** Subscriptions of the handshake era: one request for each resource. Servers announce list changes without one. */
import type { Session } from '../../session/index.ts'
import type { Connection } from '../connection/connection.ts'
import type { EraSubscriptions, RefusedSubscription } from './era-subscriptions.ts'

export class HandshakeSubscriptions implements EraSubscriptions {
  readonly #connection: Connection
  /** The subscriptions that the server has, as far as the client knows. */
  #active: Set<string> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async subscribe(uri: string): Promise<void> {
    this.#addActive(uri)
    await this.#connection.request('resources/subscribe', { uri })
  }

  async unsubscribe(uri: string): Promise<void> {
    const { session } = this.#connection
    // Subscriptions end with their session (M7).
    if (this.#active?.delete(uri) && session.open) await session.request('resources/unsubscribe', { uri })
  }

  async restore(session: Session, uris: readonly string[]): Promise<readonly RefusedSubscription[]> {
    const refused: RefusedSubscription[] = []
    const subscribe = async (uri: string): Promise<void> => {
      this.#addActive(uri)
      try {
        await session.request('resources/subscribe', { uri })
      } catch (error) {
        this.#active?.delete(uri)
        refused.push({ uri, error: error as Error })
      }
    }
    await Promise.all(uris.map(subscribe))
    return refused
  }

  listenersChanged(): void {}

  stop(): void {
    this.#active = undefined
  }

  #addActive(uri: string): void {
    this.#active ??= new Set()
    this.#active.add(uri)
  }
}
