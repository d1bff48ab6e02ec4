/**
 * What stands behind a session: a server's conversation, a client, or a gateway. Everything it sees is in the newest
 * vocabulary.
 */
import type { ParleyError } from '../errors/index.ts'
import type { Body, FrameOrigin, RequestId, Serialised } from '../jsonrpc/index.ts'
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
  /** How long, in milliseconds, and for whom the introduction of a server stays true. */
  ttlMs?: number
  cacheScope?: 'public' | 'private'
}

/** Who makes a request: in the handshake era the same for a whole session, since 2026-07-28 told with each request. */
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
 * An answer that is none yet: questions the caller has to answer first. The request is then answered anew, with what it
 * gave as `retry`.
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

/** What came back for an answer that was `InputRequired`. */
export interface Retry {
  /** By the keys of the questions; only what has the right form. */
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
  /** As the peer wrote them, in the words of its own version. */
  readonly sent: Body
  readonly session: SessionView
  readonly caller: Caller
  /** Whom the request comes from, as far as the transport has found out. */
  readonly principal: string | undefined
  /** The network address the request comes from, where the transport tells. */
  readonly address?: string | undefined
  /** The least severe level of log messages it wants, where each request says so. */
  readonly logLevel: LogLevel | undefined
  /** Set when the request is answered anew. */
  readonly retry: Retry | undefined
  /** Of the request of this side that the peer is working on when it asks, as far as that can be told. */
  readonly owner: unknown
  /**
   * Whether it came with the answer to that request, so that there is no doubt about the owner. Otherwise it is the one
   * that happened to be the only one.
   */
  readonly within?: boolean
  readonly context: MessageContext
  /** Aborted when the peer cancels or the session ends. Made on first use. */
  readonly signal: AbortSignal
  readonly cancelled: boolean
  /**
   * Calls `run` when it is cancelled, at once if it was; lighter than the signal. The returned function takes it back.
   */
  onCancel(run: (reason: string) => void): () => void
  /** Does nothing when the peer did not ask for progress; values that do not grow are left out. */
  progress(progress: number, total?: number, message?: string, more?: Body): void
  /** A notification that belongs to this request. */
  notify(method: string, params?: Body): void
  /** Lets the peer hang up meanwhile and come back for the answer; does nothing where transport or version cannot. */
  release(retry?: Duration): void
  /**
   * A request to the peer that belongs to this request; it is cancelled with it. Where the peer cannot be asked
   * directly, this request is answered with the question, and goes on when the peer repeats it with the answer.
   */
  request(method: string, params?: Body, options?: EngineRequestOptions): Promise<Body>
  /** Set where somebody keeps account of what each request loses on its way: to be told of what is lost elsewhere. */
  readonly onLoss?: ((loss: Loss) => void) | undefined
  /** The result as this caller reads it, whole, for results that are kept as text. */
  written(result: Body, onLoss?: (loss: Loss) => void): Body
  /**
   * Counts so many bytes for the caller, beyond those of this request, until the returned function is called. Throws
   * when there is no room. `what`: what is kept, for the message.
   */
  keep(cost: number, what: string): () => void
  /** Calls `run` once the answer is on its way, or will never be sent. */
  afterAnswer(run: () => void): void
}

export type Answer = Body | Serialised | InputRequired

export interface Endpoint {
  /**
   * Called before this side has to say who it is: with the client's introduction when it shakes hands, without one
   * before requests that speak for themselves. `declared` are the capabilities of the client either way, `method` is
   * what is asked. `undefined` when there is nothing to wait for; what it throws, or a promise rejects with, is the
   * answer to the requests that waited.
   */
  prepare?(peer: Introduction | undefined, declared: Capabilities, method: string): Promise<void> | undefined
  /**
   * Asked about each request before anything is made of it, but for those that are about the conversation: the
   * handshake, discovery and pings. What it gives is the answer, so that whoever asks too often costs no more than
   * that. `origin` is what the transport knows of a request that speaks for itself.
   */
  turnsAway?: ((method: string, origin: FrameOrigin | undefined) => ParleyError | undefined) | undefined
  /**
   * Whether states that were not given here are left to `answer`, as they came: they may belong to a server behind this
   * one.
   */
  readonly takesForeignState?: boolean
  /** Whether parameters are handed on, so that how their numbers were written is remembered. */
  readonly keepsDigits?: boolean
  /**
   * Who this side is, and what it offers. Of a server, `declared` are the capabilities of the client it is told to, in
   * the handshake or with each request that speaks for itself: what was offered to that client is also what it may ask
   * and is told of, whatever others were offered. Without `declared` it is for nobody in particular. The same object
   * for the same kind of client as long as nothing has changed: it is asked for with each such request.
   */
  introduce(declared?: Capabilities): Introduction
  /** Answers one request; what it throws becomes one catalogue error. */
  answer(inbound: Inbound): Answer | Promise<Answer>
  /** A tool's definition in the newest vocabulary, for results that are read through their output schema. */
  tool?(name: string): Body | undefined
  /** The arguments of a tool that travel a second time in headers, where messages have headers. */
  headerParams?(tool: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> | undefined
  /**
   * The server found the headers of a call wrong: what is known of the tool is out of date. The call is made once more
   * when this is done.
   */
  headersRefused?(tool: string): void | Promise<void>
  /** May say more about why the peer must not ask this: the error is what it is answered with. */
  refusing?(method: string, error: ParleyError): ParleyError
  /** Called for every notification the session itself has no use for; `owner` as of an `Inbound`. */
  notified?(method: string, params: Body, session: SessionView, owner: unknown): void
  /** The handshake is complete. */
  opened?(session: SessionView): void
  /** The session takes no more requests: what would never end by itself ends now. */
  closing?(session: SessionView): void
  /** Nothing more will come or go. */
  closed?(session: SessionView, reason: Error | undefined): void
}
