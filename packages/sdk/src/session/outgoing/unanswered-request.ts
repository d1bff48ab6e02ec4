/** Requests that lost their session. A client that reconnects may send them again instead of failing them. */
import type { Body, RequestId } from '../../jsonrpc/index.ts'
import type { EngineRequestOptions } from '../request-options.ts'

/** The parts that another session needs to make the request again. */
export interface UnansweredRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: Body | undefined
  readonly options: EngineRequestOptions | undefined
  readonly convert: ((result: Body) => unknown) | undefined
  readonly startedAt: number
  /** Settle the promise of the caller. */
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** Why a request lost its session: the error for its caller, and whether the peer may have read it. */
export interface LossReason {
  readonly error: Error
  readonly seen: boolean
}

/** True: the callee takes the request over and settles it. */
export type Adopt = (request: UnansweredRequest, why: LossReason) => boolean
