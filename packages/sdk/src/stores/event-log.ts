/**
 * Keeps the events of event streams for a while, so that a client that lost its connection can read them again.
 */

export interface LoggedEvent {
  readonly stream: number
  /** Increases by one within a stream. */
  readonly sequence: number
  readonly data: string
}

export interface EventLog {
  append(session: string, event: LoggedEvent): void
  /** The events of one stream that are still kept, oldest first. */
  read(session: string, stream: number): readonly LoggedEvent[] | Promise<readonly LoggedEvent[]>
  /** Deletes the session's streams, except for these. */
  forget(session: string, except?: ReadonlySet<number>): void
}
