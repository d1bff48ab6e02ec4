/**
 * The two eras of the protocol behind two interfaces. `SessionEra` makes the requests of this side. `CallEra` answers
 * requests of the peer. Only the folders below this one ask which era it is.
 */
import type { ParleyError, WireError } from '../../errors/index.ts'
import type { Body, RequestId, SendOptions } from '../../jsonrpc/index.ts'
import type { LogLevel } from '../../protocol/index.ts'
import type { Era, HeaderParam } from '../../versions/index.ts'
import type { RequestOptions } from '../options.ts'
import type { Pending } from '../outgoing/pending.ts'
import type { Session } from '../session.ts'
import type { ListenFilter, Listening, ListenOptions } from './stateless/client/listening.ts'

export const NO_HEADERS: readonly HeaderParam[] = []

/** How this side makes its requests. A session has one; a request keeps the one that it was made in. */
export interface SessionEra {
  readonly name: Era
  /** The request that shows whether the peer is alive. */
  readonly pingMethod: string
  /** Whether both sides remember each other between requests: then the peer is pinged, and may send requests. */
  readonly isConnected: boolean
  /** The least severe level of log messages that each request asks for. Without effect in the handshake era. */
  logLevel: LogLevel | undefined
  /** Whether the method belongs to an extension that both sides must declare. */
  isExtensionMethod(method: string): boolean
  listen(filter: ListenFilter, options: ListenOptions): Listening
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

/** What an era needs of the requests that wait for the peer. */
export interface RequestHost {
  readonly session: Session
  /** The request waits for this side now; the signal is aborted when its caller gives it up. */
  hold(pending: Pending): AbortSignal
  /** Makes the request again, with `extra` beside its own parameters. Does nothing when it was given up meanwhile. */
  again(pending: Pending, extra: Body | undefined, asked: boolean): void
  /** The request is answered with what `make` returns or throws. */
  settle(pending: Pending, make: () => unknown): void
  fail(pending: Pending, error: unknown): void
  sendLasting(method: string, params: Body, options: RequestOptions): LastingRequest
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
