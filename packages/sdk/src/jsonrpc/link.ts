/** The interface between a transport and a session: frames in, frames out, and an end. */
import type { Incoming, RequestId } from './message.ts'
import type { Serialised } from './serialise.ts'

/** The facts that a transport knows about a frame. */
export interface FrameOrigin {
  /**
   * The id by which the transport knows the request. Set where several clients share a link, because their ids may be
   * equal. Frames that belong to the request name this key instead of the id.
   */
  readonly key?: RequestId
  /** The principal of the sender, if the transport knows it. */
  readonly principal?: string
  /** A header by its name in lower case, where messages have headers. */
  readonly header?: (name: string) => string | undefined
  /** The network address of the sender, if the transport knows it. */
  readonly address?: string | undefined
  /** The request of this side with whose answer the frame came, where each has a stream of its own. */
  readonly within?: RequestId
}

export interface LinkEvents {
  /** The longest frame that will be read. A link that assembles frames keeps no more of one. */
  readonly maxBytes?: number
  /** `parsed` is set by a transport that had to parse the message to route it. */
  frame(text: string, parsed?: Incoming, origin?: FrameOrigin): void
  /** The peer has closed the stream of its own request, and wants no answer any more. */
  abandoned?(request: RequestId): void
  /**
   * A frame could not be sent, but the link stays open. `request` is the request of this side that gets no answer for
   * that reason; undefined for a notification or an answer. If `failed` is absent, the link makes an error answer.
   */
  failed?(request: RequestId | undefined, error: Error): void
  /**
   * The peer has closed the stream of a request of this side. After `retry` milliseconds the link asks for the answer
   * again.
   */
  released?(request: RequestId, retry: number | undefined): void
  /** Called once, when no frame can come any more. `reason` is set when it was not a clean end. */
  closed(reason?: Error): void
}

export interface SendOptions {
  /**
   * The request of the peer that this frame answers or belongs to, by its id or its key. Transports with one stream per
   * request route by it.
   */
  relatedTo?: RequestId
  /** True for the answer itself: no other frame of that request follows. */
  final?: boolean
  /** The result in the answer when it is text the server keeps: its bytes can be sent as they are. */
  kept?: Serialised
  /** The HTTP status that goes with an error answer. */
  status?: number
  /** After how many seconds the peer may try again, for a status that refuses the request for now. */
  retryAfter?: number
  /** The method, where the frame is a request of a server to its client. */
  asks?: string
  /** The id of such a request, where the frame takes it back. */
  withdraws?: RequestId
  /** Headers of the frame, with names in lower case. */
  headers?: Readonly<Record<string, string>>
}

/** Optional members can also be `undefined`, because a wrapper only knows its inner link when it is asked. */
export interface Link {
  /** Name of the transport, for logs and contexts: `memory`, `stdio`, `http`… */
  readonly transport: string
  /** Starts delivery. Earlier frames are delivered first. */
  open(events: LinkEvents): void
  /** Throws a `transport_error` when the link is closed. */
  send(frame: string, options?: SendOptions): void
  /**
   * Ends the link. A second call does nothing. The result can be awaited where the peer must be told first. `reason` is
   * the error for which the session gives up the link.
   */
  close(reason?: Error): void | Promise<void>
  /** Whether a frame that belongs to no request of the peer would be delivered now. Absent: always. */
  readonly listening?: boolean | undefined
  /** Whether a message of the peer that belongs to no request of this side would arrive now. Absent: always. */
  readonly hears?: boolean | undefined
  /** Whether the peer can recognise this side, for example by a session id. Absent: yes. */
  readonly remembered?: boolean | undefined
  /** Whether messages have headers that repeat some of their parts. */
  readonly mirrors?: boolean | undefined
  /** The version that the handshake has agreed on. Some transports name it in every message or depend on it. */
  negotiated?: ((version: string) => void) | undefined
  /** A request of the peer was cancelled and will have no answer: its stream can be closed. */
  abandon?: ((request: RequestId) => void) | undefined
  /** Cancels a request of this side by closing its stream. Absent where a notification must do that. */
  withdraw?: ((request: RequestId) => void) | undefined
  /** Closes the stream of a request of the peer, which comes back for the answer after `retry` milliseconds. */
  release?: ((request: RequestId, retry: number | undefined) => void) | undefined
}
