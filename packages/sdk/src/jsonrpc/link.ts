/** What a transport offers to a session: frames in, frames out, and an end. */
import type { RequestId } from './message.ts'

export interface LinkEvents {
  frame(text: string): void
  /** Called once, when no frame can come any more; with the reason when it was not a clean end. */
  closed(reason?: Error): void
}

export interface SendOptions {
  /** The peer's request this frame answers or belongs to; transports with one stream per request route by it. */
  relatedTo?: RequestId
  /** True for the answer itself: nothing more belongs to that request. */
  final?: boolean
}

export interface Link {
  /** Name of the transport, for logs and contexts: `memory`, `stdio`, `http`… */
  readonly transport: string
  /** Begins delivery; frames that came earlier are delivered first. */
  open(events: LinkEvents): void
  /** Throws a `transport_error` when the link is closed. */
  send(frame: string, options?: SendOptions): void
  /** Ends the link; a second call does nothing. */
  close(): void
}
