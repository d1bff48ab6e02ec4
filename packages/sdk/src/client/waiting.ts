/** Requests that wait for a connection: bounded in number, each in time, and interruptible. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import { type Clock, type Duration, type EngineRequestOptions, milliseconds } from '../session/index.ts'

/** A request and the promise it has to settle. */
export interface WaitingRequest {
  readonly method: string
  readonly params: Body | undefined
  readonly options: EngineRequestOptions | undefined
  readonly convert: ((result: Body) => unknown) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
  /** It waits for the connection alone: nothing is sent. */
  readonly begin?: () => void
}

export interface WaitingOptions {
  readonly clock: Clock
  readonly maxWaiting: number
  /** How long a request without a time-out of its own waits. */
  readonly timeout: Duration
}

export class Waiting {
  readonly #options: WaitingOptions
  #requests: Map<WaitingRequest, () => void> | undefined

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#requests?.size ?? 0
  }

  get full(): boolean {
    return this.size >= this.#options.maxWaiting
  }

  add(request: WaitingRequest): void {
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
    const cancelTimer = clock.after(timeout, () => this.#drop(request, late(method, timeout)), true)
    const onAbort = () => this.#drop(request, cancelled(method, options?.signal))
    options?.signal?.addEventListener('abort', onAbort, { once: true })
    this.#requests ??= new Map()
    this.#requests.set(request, () => {
      cancelTimer()
      options?.signal?.removeEventListener('abort', onAbort)
    })
  }

  /** All of them, in order; they wait no longer. */
  take(): WaitingRequest[] {
    const waiting = this.#requests ?? new Map<WaitingRequest, () => void>()
    this.#requests = undefined
    for (const release of waiting.values()) release()
    return [...waiting.keys()]
  }

  #drop(request: WaitingRequest, error: ParleyError): void {
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

function late(method: string, timeout: number): ParleyError {
  return new ParleyError('request_timeout', {
    message: `${method} timed out: the connection did not come back within ${timeout} ms`,
  })
}
