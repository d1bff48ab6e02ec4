/** How a client asks for updates of resources. Each era has its own implementation. */
import type { Session } from '../../session/index.ts'

/** A resource that the server did not accept. */
export interface RefusedSubscription {
  readonly uri: string
  readonly error: Error
}

export interface EraSubscriptions {
  /** Resolves when the server has accepted the subscription. */
  subscribe(uri: string): Promise<unknown>
  unsubscribe(uri: string): Promise<void>
  /** Subscribes to all of them again on a new session. Returns those that the server refused. Never rejects. */
  restore(session: Session, uris: readonly string[]): Promise<readonly RefusedSubscription[]>
  /** A notification handler was added or removed. */
  listenersChanged(): void
  /** The session is of the other era, or the client is closed. */
  stop(): void
}
