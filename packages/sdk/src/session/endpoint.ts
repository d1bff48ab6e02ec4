/** What stands behind a session: a server's conversation, a client, or a gateway. Everything it sees is in the newest vocabulary. */
import type { Body, RequestId, Serialised } from '../jsonrpc/index.ts'
import type { Capabilities } from '../protocol/index.ts'
import type { Duration } from './duration.ts'
import type { RequestOptions } from './options.ts'
import type { Session } from './session.ts'

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
  readonly session: Session
  readonly context: MessageContext
  /** Aborted when the peer cancels or the session ends. Made on first use. */
  readonly signal: AbortSignal
  readonly cancelled: boolean
  /** Does nothing when the peer did not ask for progress; values that do not grow are left out. */
  progress(progress: number, total?: number, message?: string): void
  /** A notification that belongs to this request. */
  notify(method: string, params?: Body): void
  /** Lets the peer hang up meanwhile and come back for the answer; does nothing where transport or version cannot. */
  release(retry?: Duration): void
  /** A request to the peer that belongs to this request; it is cancelled with it. */
  request(method: string, params?: Body, options?: RequestOptions): Promise<Body>
  /** Calls `run` once the answer is on its way, or will never be sent. */
  afterAnswer(run: () => void): void
}

export interface Endpoint {
  /** Sent in the handshake. */
  introduce(): Introduction
  /** Answers one request; what it throws becomes one catalogue error. */
  answer(inbound: Inbound): Body | Serialised | Promise<Body | Serialised>
  /** A tool's definition in the newest vocabulary, for results that are read through their output schema. */
  tool?(name: string): Body | undefined
  /** Called for every notification the session itself has no use for. */
  notified?(method: string, params: Body, session: Session): void
  /** The handshake is complete. */
  opened?(session: Session): void
  /** Nothing more will come or go. */
  closed?(session: Session, reason: Error | undefined): void
}
