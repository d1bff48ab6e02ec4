/** What a transport offers to a session: frames in, frames out, and an end. */
import type { Incoming, RequestId } from './message.ts'
import type { Serialised } from './serialise.ts'

export interface LinkEvents {
  /** The longest frame that will be read; a link that assembles frames itself keeps no more of one. */
  readonly maxBytes?: number
  /** `parsed` comes from a transport that had to read the message to know where it belongs, so that it is not read twice. */
  frame(text: string, parsed?: Incoming): void
  /**
   * A frame could not be handed over, but the link lives on: with the request of this side that will get no answer because of it, or
   * without one for a notification or an answer. A link that has nobody to tell so makes up an error answer.
   */
  failed?(request: RequestId | undefined, error: Error): void
  /** Called once, when no frame can come any more; with the reason when it was not a clean end. */
  closed(reason?: Error): void
}

export interface SendOptions {
  /** The peer's request this frame answers or belongs to; transports with one stream per request route by it. */
  relatedTo?: RequestId
  /** True for the answer itself: nothing more belongs to that request. */
  final?: boolean
  /** The result in the answer when it is text the server keeps: its bytes can be sent as they are. */
  kept?: Serialised
}

export interface Link {
  /** Name of the transport, for logs and contexts: `memory`, `stdio`, `http`… */
  readonly transport: string
  /** Begins delivery; frames that came earlier are delivered first. */
  open(events: LinkEvents): void
  /** Throws a `transport_error` when the link is closed. */
  send(frame: string, options?: SendOptions): void
  /** Ends the link; a second call does nothing. What it gives can be awaited where the peer still has to be told. */
  close(): void | Promise<void>
  /** Whether a frame that belongs to no request of the peer would be delivered now. Absent: always. */
  readonly listening?: boolean
  /** The handshake has settled the version; some transports name it in every message or behave differently in it. */
  negotiated?(version: string): void
  /** A request of the peer will never be answered, because it was cancelled: nothing needs to be kept open for it. */
  abandon?(request: RequestId): void
  /** Lets the peer hang up on a request of its own and come back for the answer after `retry` milliseconds, where it knows how to. */
  release?(request: RequestId, retry: number | undefined): void
}
