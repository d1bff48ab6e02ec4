/** One request of this side while its caller waits, through as many repetitions as it takes. */
import type { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { SessionEra } from '../eras/era.ts'
import type { EngineRequestOptions, Progress } from '../request-options.ts'
import type { Route } from '../routes.ts'
import type { PendingRequest } from '../session-view.ts'
import type { PausedTime } from './paused-time.ts'
import type { UnansweredRequest } from './unanswered-request.ts'

/** A request as its caller makes it. */
export interface NewRequest {
  readonly method: string
  readonly params: Body | undefined
  /** Absent for requests of the session itself. */
  readonly route: Route | undefined
  readonly options: EngineRequestOptions | undefined
  readonly convert: ((result: Body) => unknown) | undefined
  readonly era: SessionEra
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export class Pending implements PendingRequest, UnansweredRequest {
  /** Changes each time the request is made again. */
  id: number
  readonly method: string
  readonly route: Route | undefined
  readonly params: Body | undefined
  readonly startedAt: number
  readonly timeout: number
  readonly options: EngineRequestOptions | undefined
  readonly resolve: (result: never) => void
  readonly convert: ((result: Body) => unknown) | undefined
  readonly reject: (error: unknown) => void
  /** The era that the request was made in. */
  readonly era: SessionEra
  /** Whether a caller waits for the answer. If so, the program must not end before the request is settled. */
  awaited: boolean
  deadline: number
  hardDeadline: number
  lastProgress = Number.NEGATIVE_INFINITY
  /**
   * Progress before the request was made again. The server may count from zero, but the caller must see growth.
   */
  #progressBase = 0
  #lastTold = Number.NEGATIVE_INFINITY
  onAbort: (() => void) | undefined
  /** Stops following the request with which this one is cancelled. */
  unhook: (() => void) | undefined
  /** False while it waits for something that must be known before it can be sent. */
  sent = false
  /** Additional parameters when the request is made again. */
  extra: Body | undefined
  /** Since when it waits for something on this side. */
  heldAt = 0
  /** How often it was answered with questions. */
  rounds = 0
  /** It was made again because the server refused it. That happens once. */
  repeated = false
  /** Why the server refused the request without reading it. */
  refusal: ParleyError | undefined

  constructor(id: number, request: NewRequest, startedAt: number, timeout: number, maxTimeout: number) {
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

  /** When it times out if the pause goes on. */
  due(paused: PausedTime | undefined): number {
    return this.deadline + (paused?.of(this) ?? 0)
  }

  /** The peer has shown that it is at work. */
  startOver(now: number, paused: PausedTime | undefined): void {
    this.deadline = Math.min(now - (paused?.of(this, now) ?? 0) + this.timeout, this.hardDeadline)
  }

  /** From now on the request has no time-out. */
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

  /** Progress for the caller, if it has grown. After a repetition the total is unknown. */
  grown(progress: Progress): Progress | undefined {
    this.lastProgress = progress.progress
    const sum = this.#progressBase + progress.progress
    if (!(sum > this.#lastTold)) return undefined
    this.#lastTold = sum
    if (this.#progressBase === 0) return progress
    const { total: _, ...told } = progress
    return { ...told, progress: sum }
  }

  listed(paused: PausedTime | undefined): PendingRequest {
    return {
      id: this.id,
      method: this.method,
      startedAt: this.startedAt,
      deadline: this.due(paused),
      relatedTo: this.options?.relatedTo,
    }
  }

  /** Stops following the caller's signal. */
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
