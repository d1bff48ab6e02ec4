/** What a transport offers to a session: frames in, frames out, and an end. */
import type { Incoming, RequestId } from './message.ts'
import type { Serialised } from './serialise.ts'

/** What a transport knows of a frame beside its text. */
export interface FrameOrigin {
  /**
   * What the transport knows the request by, where several clients send on one link and their ids may be the same.
   * Frames that belong to the request then name this key instead of the id.
   */
  readonly key?: RequestId
  /** Whom the frame comes from, as far as the transport has found out. */
  readonly principal?: string
  /** A header by its name in lower case, where messages have headers. */
  readonly header?: (name: string) => string | undefined
  /** The network address it came from, where the transport can tell. */
  readonly address?: string | undefined
  /** The request of this side with whose answer the frame came, where each has a stream of its own. */
  readonly within?: RequestId
}

export interface LinkEvents {
  /** The longest frame that will be read; a link that assembles frames itself keeps no more of one. */
  readonly maxBytes?: number
  /**
   * `parsed` comes from a transport that had to read the message to know where it belongs, so that it is not read
   * twice.
   */
  frame(text: string, parsed?: Incoming, origin?: FrameOrigin): void
  /** The peer has hung up on a request of its own, named as the transport knows it: it wants no answer any more. */
  abandoned?(request: RequestId): void
  /**
   * A frame could not be handed over, but the link lives on: with the request of this side that will get no answer
   * because of it, or without one for a notification or an answer. A link that has nobody to tell so makes up an error
   * answer.
   */
  failed?(request: RequestId | undefined, error: Error): void
  /**
   * The peer has hung up on a request of this side and wants to be asked for the answer again, after so many
   * milliseconds; the link does that.
   */
  released?(request: RequestId, retry: number | undefined): void
  /** Called once, when no frame can come any more; with the reason when it was not a clean end. */
  closed(reason?: Error): void
}

export interface SendOptions {
  /**
   * The peer's request this frame answers or belongs to, by its id or its key; transports with one stream per request
   * route by it.
   */
  relatedTo?: RequestId
  /** True for the answer itself: nothing more belongs to that request. */
  final?: boolean
  /** The result in the answer when it is text the server keeps: its bytes can be sent as they are. */
  kept?: Serialised
  /** The HTTP status that goes with an error answer. */
  status?: number
  /** After how many seconds the peer may try again, where the status says: not now. */
  retryAfter?: number
  /** What a frame says in its headers as well, where messages have headers; names in lower case. */
  headers?: Readonly<Record<string, string>>
}

/** What a link may lack can also be there as `undefined`: a link around another one only knows when it is asked. */
export interface Link {
  /** Name of the transport, for logs and contexts: `memory`, `stdio`, `http`… */
  readonly transport: string
  /** Begins delivery; frames that came earlier are delivered first. */
  open(events: LinkEvents): void
  /** Throws a `transport_error` when the link is closed. */
  send(frame: string, options?: SendOptions): void
  /**
   * Ends the link; a second call does nothing. What it gives can be awaited where the peer still has to be told.
   * `reason` is why whoever uses it gives it up, where that is not its own wish.
   */
  close(reason?: Error): void | Promise<void>
  /** Whether a frame that belongs to no request of the peer would be delivered now. Absent: always. */
  readonly listening?: boolean | undefined
  /** Whether a message of the peer that belongs to no request of this side would arrive now. Absent: always. */
  readonly hears?: boolean | undefined
  /** Whether the peer has something to remember this side by, such as a session id. Absent: yes. */
  readonly remembered?: boolean | undefined
  /** Whether messages have headers, so that some of what they say must be said there, too. */
  readonly mirrors?: boolean | undefined
  /** The handshake has settled the version; some transports name it in every message or behave differently in it. */
  negotiated?: ((version: string) => void) | undefined
  /** A request of the peer will never be answered, because it was cancelled: nothing needs to be kept open for it. */
  abandon?: ((request: RequestId) => void) | undefined
  /** Takes back a request of this side without a word, where hanging up says it. Absent where the peer must be told. */
  withdraw?: ((request: RequestId) => void) | undefined
  /**
   * Lets the peer hang up on a request of its own and come back for the answer after `retry` milliseconds, where it
   * knows how to.
   */
  release?: ((request: RequestId, retry: number | undefined) => void) | undefined
}
