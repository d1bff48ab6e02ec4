/** Settings of one request: those that a user may set, and those that only programs between two sessions need. */
import type { ParleyError } from '../errors/index.ts'
import type { Body, WriteParams } from '../jsonrpc/index.ts'
import type { InputDemand, Loss } from '../versions/index.ts'
import type { Duration } from './duration.ts'

export interface Progress {
  progress: number
  total?: number
  message?: string
  /** All other fields: `_meta`, and fields that no version defines. */
  more?: Body
}

export interface RequestOptions {
  /** Aborting it cancels the request at the peer. */
  signal?: AbortSignal
  /**
   * Time without an answer or progress. Default 60 s. The clock of `timeout` and `maxTimeout` stops while a client
   * answers questions of the server. It goes on when the last question is answered or taken back. The server decides how
   * long a question may stay open. A question that is left open stops the clock for at most the session's
   * `maxRequestTimeout`.
   */
  timeout?: Duration
  /** Hard end, with or without progress. The time of questions is not counted. Default 10 min. */
  maxTimeout?: Duration
  /** Whether progress starts `timeout` anew. Default true. */
  resetOnProgress?: boolean
  onProgress?: (progress: Progress) => void
  /** Names the question within the request it belongs to, where questions travel inside an answer. */
  key?: string
  /** Gets each loss that translation of this request and its result causes. The session reports it as well. */
  onLoss?: (loss: Loss) => void
}

/** What the engine and programs between a client and a server set in addition. */
export interface EngineRequestOptions extends RequestOptions {
  /** In place of a signal: another request. When that request is cancelled, this one is cancelled too. */
  cancelledWith?: { onCancel(run: (reason: string) => void): () => void }
  /**
   * In place of `maxRounds`: gets each round of questions before any of them is asked. The request fails with the error
   * that `objection` returns.
   */
  rounds?: { objection(questions: InputDemand['requests']): ParleyError | undefined }
  /** The peer's request that this request belongs to. */
  relatedTo?: string | number
  /** Makes the outcome of a result of type `task`. Default: such a result is an error. */
  onTask?: (answer: Body) => unknown
  /**
   * The caller. Passed to the endpoint with the questions and notifications that the peer sends while it works on this
   * request.
   */
  owner?: unknown
  /**
   * The request of another client of the same version is passed on. Parameters and result are not translated. In the
   * stateless era the request brings its own `_meta`, and the result keeps its envelope, also when it is a task or asks
   * questions.
   */
  relayed?: boolean
  /**
   * Called when the server closes the stream and expects this side back after so many milliseconds (C-40). The session
   * comes back by itself.
   */
  onReleased?: (retry: number | undefined) => void
  /** Writes the parameters as JSON. Default: `JSON.stringify`. */
  write?: WriteParams
  /** Gets the text of the result before the request is answered. An untouched text can be passed on as it is. */
  onText?: (json: string, untouched: boolean) => void
  /**
   * For results that are passed on as bodies. The result and its members are written again with their original text,
   * also as members of another body. To change something, make a new object: a change in place is not written.
   */
  keepsText?: boolean
  /**
   * Gets the text of the result before it is parsed. True: the text was parsed before, and the request gets an empty
   * result.
   */
  ifText?: (json: string) => boolean
}
