/** One request of this side while its caller waits, through as many repetitions as it takes. */
import type { ParleyError } from '../../errors/index.ts'
import type { Body, RequestId } from '../../jsonrpc/index.ts'
import type { SessionEra } from '../eras/era.ts'
import type { Progress, RequestOptions } from '../options.ts'
import type { Route } from '../routes.ts'
import type { Rest } from './paused-time.ts'
import type { Orphan } from './unanswered-request.ts'

export interface PendingRequest {
  readonly id: RequestId
  readonly method: string
  readonly startedAt: number
  /** When it will be given up unless an answer or progress comes. */
  readonly deadline: number
  /** The request of the peer that it belongs to. */
  readonly relatedTo?: RequestId | undefined
}

/** A request as its caller makes it. */
export interface OutgoingRequest {
  readonly method: string
  readonly params: Body | undefined
  /** Absent for requests of the session itself. */
  readonly route: Route | undefined
  readonly options: RequestOptions | undefined
  readonly convert: ((result: Body) => unknown) | undefined
  readonly era: SessionEra
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export class Pending implements PendingRequest, Orphan {
  /** Another one each time the request is made. */
  id: number
  readonly method: string
  readonly route: Route | undefined
  readonly params: Body | undefined
  readonly startedAt: number
  readonly timeout: number
  readonly options: RequestOptions | undefined
  readonly resolve: (result: never) => void
  readonly convert: ((result: Body) => unknown) | undefined
  readonly reject: (error: unknown) => void
  /** The era that the request was made in. */
  readonly era: SessionEra
  /** Whether somebody waits for the answer; if so the program must not end before it has come, or will not come. */
  awaited: boolean
  deadline: number
  hardDeadline: number
  lastProgress = Number.NEGATIVE_INFINITY
  /**
   * What was told before the request was made again: servers may then count anew, but who follows it must see growth
   * (8.1).
   */
  #progressBase = 0
  #lastTold = Number.NEGATIVE_INFINITY
  onAbort: (() => void) | undefined
  /** Leaves the request alone with which this one is cancelled. */
  unhook: (() => void) | undefined
  /** False while something has to be found out before it can be sent. */
  sent = false
  /** What it carries beside its own parameters when it is made again. */
  extra: Body | undefined
  /** Since when it waits for something on this side. */
  heldAt = 0
  /** How often it was answered with questions. */
  rounds = 0
  /** It was made again because the server did not take it; that happens once. */
  repeated = false
  /** The server did not look at it, for this reason. */
  refusal: ParleyError | undefined

  constructor(id: number, request: OutgoingRequest, startedAt: number, timeout: number, maxTimeout: number) {
    this.id = id
    this.method = request.method
    this.route = request.route
    this.params = request.params
    // No caller waits for the ping with which the session finds out whether the peer is alive.
    this.awaited = request.route !== undefined || request.method !== 'ping'
    this.startedAt = startedAt
    this.timeout = timeout
    this.hardDeadline = startedAt + maxTimeout
    this.deadline = Math.min(startedAt + timeout, this.hardDeadline)
    this.options = request.options
    this.convert = request.convert
    this.era = request.era
    this.resolve = request.resolve
    this.reject = request.reject
  }

  /** When it is given up if the rest goes on. */
  due(rest: Rest | undefined): number {
    return this.deadline + (rest?.of(this) ?? 0)
  }

  /** The peer has shown that it is at work. */
  startOver(now: number, rest: Rest | undefined): void {
    this.deadline = Math.min(now - (rest?.of(this, now) ?? 0) + this.timeout, this.hardDeadline)
  }

  /** From now on it may take as long as it likes. */
  last(): void {
    this.awaited = false
    this.hardDeadline = Number.POSITIVE_INFINITY
    this.deadline = Number.POSITIVE_INFINITY
  }

  beginAgain(now: number, extra: Body | undefined): void {
    this.extra = extra
    if (this.lastProgress > 0) this.#progressBase += this.lastProgress
    this.lastProgress = Number.NEGATIVE_INFINITY
    this.deadline = Math.min(now + this.timeout, this.hardDeadline)
  }

  /**
   * Progress as the caller sees it, if it sees any: once the request was made again, how much there is in all nobody
   * knows any more.
   */
  grown(progress: Progress): Progress | undefined {
    this.lastProgress = progress.progress
    const sum = this.#progressBase + progress.progress
    if (!(sum > this.#lastTold)) return undefined
    this.#lastTold = sum
    if (this.#progressBase === 0) return progress
    const { total: _, ...told } = progress
    return { ...told, progress: sum }
  }

  listed(rest: Rest | undefined): PendingRequest {
    return {
      id: this.id,
      method: this.method,
      startedAt: this.startedAt,
      deadline: this.due(rest),
      relatedTo: this.options?.relatedTo,
    }
  }

  /** Leaves the caller's signal alone once the request is over. */
  release(): void {
    this.unhook?.()
    this.unhook = undefined
    if (this.onAbort === undefined) return
    this.options?.signal?.removeEventListener('abort', this.onAbort)
    this.onAbort = undefined
  }
}

/** The owner of all requests that have one, if that is a single one. */
export function soleOwner(requests: Iterable<Pending>): unknown {
  let only: unknown
  for (const { options } of requests) {
    if (options?.owner === undefined || options.owner === only) continue
    if (only !== undefined) return undefined
    only = options.owner
  }
  return only
}
