/** The program behind a session: a server, a client or a gateway. It sees the newest vocabulary only. */
import type { ParleyError } from '../errors/index.ts'
import type { Body, RequestId, Serialised } from '../jsonrpc/index.ts'
import type { Capabilities, InputRequests, LogLevel } from '../protocol/index.ts'
import type { HeaderParam, Loss, ProtocolVersion } from '../versions/index.ts'
import type { Duration } from './duration.ts'
import type { EngineRequestOptions } from './request-options.ts'
import type { SessionView } from './session-view.ts'

/** Name and version of one side, as it introduces itself. */
export interface Identity extends Record<string, unknown> {
  name: string
  version: string
}

export interface Introduction {
  info: Identity
  capabilities: Capabilities
  /** Servers only. */
  instructions?: string
  /** How long, in milliseconds, and for which clients the introduction of a server may be cached. */
  ttlMs?: number
  cacheScope?: 'public' | 'private'
}

/** The sender of a request: in the handshake era the peer of the session, since 2026-07-28 as each request says. */
export interface Caller {
  readonly version: ProtocolVersion
  readonly info: Identity | undefined
  readonly capabilities: Capabilities
  /** Whether it declared the capability: `'elicitation.url'`. */
  declares(path: string): boolean
  /** Whether it can be asked this. */
  can(method: string): boolean
}

/**
 * Questions that the caller must answer first. Then the endpoint answers the request again, with the answers in
 * `retry`.
 */
export class InputRequired {
  readonly requests: InputRequests
  /** Handed back with the answers; must be JSON. */
  readonly state: unknown

  constructor(requests: InputRequests, state?: unknown) {
    this.requests = requests
    this.state = state
  }
}

/** The answers to an `InputRequired`. */
export interface Retry {
  /** By the keys of the questions. Invalid answers are left out. */
  readonly responses: Body
  readonly state: unknown
}

/** Facts about one message for handlers, logs and traces. */
export interface MessageContext {
  readonly direction: 'client_to_server' | 'server_to_client'
  readonly transport: string
  readonly sessionId: string
  readonly receivedAt: number
  /** W3C trace context from `_meta`. */
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
}

/** A request of the peer while it is being answered. */
export interface Inbound {
  readonly id: RequestId
  readonly method: string
  /** Empty when the peer sent none. */
  readonly params: Body
  /** As the peer sent them, in the vocabulary of its own version. */
  readonly sent: Body
  readonly session: SessionView
  readonly caller: Caller
  /** The principal, if the transport knows it. */
  readonly principal: string | undefined
  /** The network address of the sender, if the transport knows it. */
  readonly address?: string | undefined
  /** The least severe level of log messages that the request asks for, in eras where requests do. */
  readonly logLevel: LogLevel | undefined
  /** Set when the request is answered again. */
  readonly retry: Retry | undefined
  /** The owner of the request of this side on which the peer is working, if known. */
  readonly owner: unknown
  /**
   * Whether it came with the stream of that request, so that the owner is certain. Otherwise the owner is that of the
   * only open request.
   */
  readonly within?: boolean
  readonly context: MessageContext
  /** Aborted when the peer cancels or the session ends. Made on first use. */
  readonly signal: AbortSignal
  readonly cancelled: boolean
  /**
   * Calls `run` when the request is cancelled, at once if it was. Lighter than the signal. The returned function
   * removes `run`.
   */
  onCancel(run: (reason: string) => void): () => void
  /** Does nothing when the peer did not ask for progress. Values that do not grow are ignored. */
  progress(progress: number, total?: number, message?: string, more?: Body): void
  /** A notification that belongs to this request. */
  notify(method: string, params?: Body): void
  /**
   * Closes the stream of the peer, which comes back for the answer. Without effect where transport or version cannot do
   * that.
   */
  release(retry?: Duration): void
  /**
   * Sends a request to the peer. It belongs to this request and is cancelled with it. Where the peer cannot be asked
   * directly, this request is answered with the question. It goes on when the peer repeats it with the answer.
   */
  request(method: string, params?: Body, options?: EngineRequestOptions): Promise<Body>
  /** Set when losses are reported by request: reports a loss that happens elsewhere. */
  readonly onLoss?: ((loss: Loss) => void) | undefined
  /** The whole result as this caller reads it, for results that are kept as text. */
  written(result: Body, onLoss?: (loss: Loss) => void): Body
  /**
   * Counts bytes for the caller, in addition to those of this request, until the returned function is called. Throws
   * when there is no room. `what` is for the message.
   */
  keep(cost: number, what: string): () => void
  /** Calls `run` when the answer was sent, or never will be. */
  afterAnswer(run: () => void): void
}

export type Answer = Body | Serialised | InputRequired

export interface Endpoint {
  /**
   * Called before `introduce`: with the introduction of the client in a handshake, without one for a request with an
   * envelope. `declared` are the capabilities of the client, `method` is the request. `undefined`: there is nothing to
   * wait for. An error is the answer to the requests that waited.
   */
  prepare?(peer: Introduction | undefined, declared: Capabilities, method: string): Promise<void> | undefined
  /** Whether `answer` gets tokens that this session did not make. They may belong to a server behind this one. */
  readonly takesForeignState?: boolean
  /** Whether parameters are passed on, so that their numbers must keep all digits. */
  readonly keepsDigits?: boolean
  /**
   * The introduction of this side. For a server, `declared` are the capabilities of the client. The client may use only
   * what was offered to it. Without `declared` the introduction is for no client in particular. While nothing changes,
   * it must be the same object for the same kind of client: it is called for each request with an envelope.
   */
  introduce(declared?: Capabilities): Introduction
  /** Answers one request. An error becomes an error of the catalogue. */
  answer(inbound: Inbound): Answer | Promise<Answer>
  /** A tool's definition in the newest vocabulary, for results that are read through their output schema. */
  tool?(name: string): Body | undefined
  /** The arguments of a tool that are repeated in headers. */
  headerParams?(tool: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> | undefined
  /**
   * The server refused the headers of a call: the definition of the tool is out of date. Afterwards the call is made
   * again.
   */
  headersRefused?(tool: string): void | Promise<void>
  /** May replace the error for a method that the peer must not use. */
  refusing?(method: string, error: ParleyError): ParleyError
  /** Called for every notification that the session does not handle. `owner` as in `Inbound`. */
  notified?(method: string, params: Body, session: SessionView, owner: unknown): void
  /** The handshake is complete. */
  opened?(session: SessionView): void
  /** The session takes no more requests. Requests without an end must end now. */
  closing?(session: SessionView): void
  /** The session has ended. */
  closed?(session: SessionView, reason: Error | undefined): void
}
