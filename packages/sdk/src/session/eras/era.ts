/**
 * The two eras of the protocol behind two interfaces. `SessionEra` makes the requests of this side. `CallEra` answers
 * requests of the peer. Only the folders below this one ask which era it is.
 */
import type { ParleyError, WireError } from '../../errors/index.ts'
import type { Body, RequestId, RequestMessage, SendOptions, Serialised } from '../../jsonrpc/index.ts'
import type { LogLevel } from '../../protocol/index.ts'
import type { Era, HeaderParam, Loss, ProtocolVersion } from '../../versions/index.ts'
import type { Duration } from '../duration.ts'
import type { Answer, Caller, InputRequired } from '../endpoint.ts'
import type { Reply } from '../incoming/batch-reply.ts'
import type { InboundCall } from '../incoming/inbound-call.ts'
import type { Pending } from '../outgoing/pending.ts'
import type { EngineRequestOptions } from '../request-options.ts'
import type { ListenFilter, ListenOptions, ListenRequest, SessionView } from '../session-view.ts'
import type { ErrorStatus } from './stateless/status.ts'

export const NO_HEADERS: readonly HeaderParam[] = []

/** How this side makes its requests. A session has one; a request keeps the one that it was made in. */
export interface SessionEra {
  readonly name: Era
  /** The request that shows whether the peer is alive. */
  readonly pingMethod: string
  /** Whether both sides remember each other between requests: then the peer is pinged, and may send requests. */
  readonly isStateful: boolean
  /** The least severe level of log messages that each request asks for. Without effect in the handshake era. */
  logLevel: LogLevel | undefined
  /** Whether the method belongs to an extension that both sides must declare. */
  isExtensionMethod(method: string): boolean
  listen(filter: ListenFilter, options: ListenOptions): ListenRequest
  /** The params of a notification for its handlers; `undefined` when the era has handled it. */
  notified(method: string, params: Body): Body | undefined
  notificationOptions(method: string, options: SendOptions | undefined): SendOptions | undefined
  /** The arguments that also travel in headers. The endpoint may have to ask for them first (D-60). */
  headerParams(pending: Pending): readonly HeaderParam[] | Promise<readonly HeaderParam[]>
  requestText(pending: Pending, params: Body | undefined, progressToken: number | undefined): string
  sendOptions(pending: Pending, headerParams: readonly HeaderParam[]): SendOptions | undefined
  /** The result without its envelope; `undefined` when the request goes on, or the era has settled it. */
  result(pending: Pending, result: Body): Body | undefined
  /** True when the era makes the request again, or ends the session because of the error. */
  repair(pending: Pending, error: WireError): boolean
  /** For an error that ends the session: what the caller of the request gets, unless another session makes it again. */
  endOfSession(pending: Pending, error: ParleyError): ParleyError | undefined
  cancel(pending: Pending, error: ParleyError): void
}

/**
 * How requests of the peer are answered. In the handshake era a session has one for all of them. In the stateless era
 * each request has its own, because each says who sends it.
 */
export interface CallEra {
  /** From the transport; undefined where the session says who the caller is. */
  readonly principal: string | undefined
  readonly address: string | undefined
  /** The least severe level of log messages that the request asks for. */
  readonly logLevel: LogLevel | undefined
  /** The version whose error codes the caller knows. */
  readonly version: ProtocolVersion | undefined
  /** The id by which the link knows the request. */
  keyOf(id: RequestId): RequestId
  callerIn(session: SessionView): Caller
  /** The `_meta` of the request that is open now. It may be a later request than the one that began the call. */
  metadataOf(params: Body): Body | undefined
  /** Runs the endpoint, or continues a call whose questions this request answers. */
  answer(call: InboundCall, message: RequestMessage): Answer | Promise<Answer>
  /** Asks the questions that the endpoint wants answered before it runs again. */
  askFirst(call: InboundCall, required: InputRequired): Promise<Answer>
  /** One question of a running call. */
  ask(call: InboundCall, method: string, params: Body | undefined, options: EngineRequestOptions): Promise<Body>
  notify(call: InboundCall, method: string, params: Body | undefined): void
  release(call: InboundCall, retry: Duration | undefined): void
  /** The result as the caller reads it. */
  written(call: InboundCall, result: Body, onLoss: ((loss: Loss) => void) | undefined): Body
  resultText(call: InboundCall, result: Body | Serialised): string
  /** The HTTP status for the error of a request that was accepted. */
  statusOf(call: InboundCall, error: ParleyError): ErrorStatus | undefined
  /** Sends the error of a request that was not accepted. */
  refuse(id: RequestId, error: ParleyError, reply: Reply | undefined): void
  /** Called after the answer. */
  answered(call: InboundCall): void
  /** The error for requests that are still open when the session ends. */
  unanswered(): ParleyError
}

/** What an era needs of the requests that wait for the peer. */
export interface RequestHost {
  readonly session: SessionView
  /** The request waits for this side now; the signal is aborted when its caller gives it up. */
  hold(pending: Pending): AbortSignal
  /** Makes the request again, with `extra` beside its own parameters. Does nothing when it was given up meanwhile. */
  again(pending: Pending, extra: Body | undefined, asked: boolean): void
  /** The request is answered with what `make` returns or throws. */
  settle(pending: Pending, make: () => unknown): void
  fail(pending: Pending, error: unknown): void
  sendLasting(method: string, params: Body, options: EngineRequestOptions): LastingRequest
  /** The peer has ended the request without an answer. */
  endLasting(id: RequestId): void
  /** Ends the session. A client that reconnects asks the server again which versions it speaks. */
  end(reason: ParleyError): void
}

/** A request that may last as long as both sides like. */
export interface LastingRequest {
  readonly id: RequestId
  readonly answered: Promise<Body>
  /** Called when the peer has accepted the request. */
  readonly lasts: () => void
}
