/**
 * Requests that can get no answer on their session any more: whoever reconnects may take them over instead of having
 * them fail.
 */
import type { Body, RequestId } from '../../jsonrpc/index.ts'
import type { EngineRequestOptions } from '../request-options.ts'

/** All that is needed to make the request again elsewhere. */
export interface UnansweredRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: Body | undefined
  readonly options: EngineRequestOptions | undefined
  readonly convert: ((result: Body) => unknown) | undefined
  readonly startedAt: number
  /** The caller waits for one of these. */
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Why a request is an orphan: what its caller is told unless somebody takes it over, and whether the peer may have seen
 * it.
 */
export interface LossReason {
  readonly error: Error
  readonly seen: boolean
}

/** True takes the request over: from then on nobody else settles it. */
export type Adopt = (orphan: UnansweredRequest, why: LossReason) => boolean
