/** Following resources in the handshake era: one request for each; lists are told of unasked. */
import type { Session } from '../../session/index.ts'
import type { Connection } from '../connection/connection.ts'
import type { Following, Refused } from './era-subscriptions.ts'

export class Subscribing implements Following {
  readonly #connection: Connection
  /** What the server knows of, as far as this side can tell. */
  #held: Set<string> | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async follow(uri: string): Promise<void> {
    this.#hold(uri)
    await this.#connection.request('resources/subscribe', { uri })
  }

  async unfollow(uri: string): Promise<void> {
    const { session } = this.#connection
    // A session that has ended took its subscriptions with it (M7).
    if (this.#held?.delete(uri) && session.open) await session.request('resources/unsubscribe', { uri })
  }

  async restore(session: Session, uris: readonly string[]): Promise<readonly Refused[]> {
    const refused: Refused[] = []
    const subscribe = async (uri: string): Promise<void> => {
      this.#hold(uri)
      try {
        await session.request('resources/subscribe', { uri })
      } catch (error) {
        this.#held?.delete(uri)
        refused.push({ uri, error: error as Error })
      }
    }
    await Promise.all(uris.map(subscribe))
    return refused
  }

  reconsider(): void {}

  stop(): void {
    this.#held = undefined
  }

  #hold(uri: string): void {
    this.#held ??= new Set()
    this.#held.add(uri)
  }
}
