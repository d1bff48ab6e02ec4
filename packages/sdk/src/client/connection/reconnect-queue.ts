/** Requests that wait for a connection. Their number and their time are limited, and the caller can cancel them. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { type Clock, type Duration, type EngineRequestOptions, milliseconds } from '../../session/index.ts'

/** A request and the promise to settle. */
export interface QueuedRequest {
  readonly method: string
  readonly params: Body | undefined
  readonly options: EngineRequestOptions | undefined
  readonly convert: ((result: Body) => unknown) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
  /** Called instead of sending the request. */
  readonly onReady?: () => void
}

export interface ReconnectQueueOptions {
  readonly clock: Clock
  readonly maxWaiting: number
  /** For requests without their own time-out. */
  readonly timeout: Duration
}

export class ReconnectQueue {
  readonly #options: ReconnectQueueOptions
  #requests: Map<QueuedRequest, () => void> | undefined

  constructor(options: ReconnectQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#requests?.size ?? 0
  }

  get full(): boolean {
    return this.size >= this.#options.maxWaiting
  }

  add(request: QueuedRequest): void {
    const { method, options } = request
    const { clock, maxWaiting } = this.#options
    if (options?.signal?.aborted) return request.reject(cancelled(method, options.signal))
    if (this.full)
      return request.reject(
        new ParleyError('too_many_requests', {
          message: `${maxWaiting} requests are already waiting for the connection to come back`,
        }),
      )
    const timeout = milliseconds(options?.timeout ?? this.#options.timeout)
    const cancelTimer = clock.after(timeout, () => this.#drop(request, timedOut(method, timeout)), true)
    const onAbort = () => this.#drop(request, cancelled(method, options?.signal))
    options?.signal?.addEventListener('abort', onAbort, { once: true })
    this.#requests ??= new Map()
    this.#requests.set(request, () => {
      cancelTimer()
      options?.signal?.removeEventListener('abort', onAbort)
    })
  }

  /** Removes and returns all of them, in order. */
  takeAll(): QueuedRequest[] {
    const waiting = this.#requests ?? new Map<QueuedRequest, () => void>()
    this.#requests = undefined
    for (const release of waiting.values()) release()
    return [...waiting.keys()]
  }

  #drop(request: QueuedRequest, error: ParleyError): void {
    this.#requests?.get(request)?.()
    this.#requests?.delete(request)
    request.reject(error)
  }
}

function cancelled(method: string, signal: AbortSignal | undefined): ParleyError {
  return new ParleyError('request_cancelled', {
    message: `${method} was cancelled by the caller while it waited for the connection`,
    cause: signal?.reason,
  })
}

function timedOut(method: string, timeout: number): ParleyError {
  return new ParleyError('request_timeout', {
    message: `${method} timed out: the connection did not come back within ${timeout} ms`,
  })
}
