/**
 * How a server is told what its client wants to hear of: each era has a way of its own, and nobody above notices which.
 */
import type { Session } from '../../session/index.ts'

/** A resource the server does not want to tell about. */
export interface Refused {
  readonly uri: string
  readonly error: Error
}

export interface Following {
  /** Resolves when the server has agreed to tell of the resource. */
  follow(uri: string): Promise<unknown>
  unfollow(uri: string): Promise<void>
  /** Follows all of them again on a new session; gives what the server refused and never rejects. */
  restore(session: Session, uris: readonly string[]): Promise<readonly Refused[]>
  /** Somebody has begun or ceased to listen. */
  reconsider(): void
  /** The session is the other era's, or there will be none any more. */
  stop(): void
}
