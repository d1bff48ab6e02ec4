/** Requests to the peer: correlation, time-outs, progress and cancellation. One timer serves them all. */
import { fromWire, ParleyError, type WireError } from '../errors/index.ts'
import { type Body, exceedsBytes, type RequestId, requestText } from '../jsonrpc/index.ts'
import type { SessionCore } from './core.ts'
import { milliseconds } from './duration.ts'
import { RequestIds } from './ids.ts'
import type { Progress, RequestOptions } from './options.ts'
import type { Orphan } from './orphan.ts'
import type { Route } from './routes.ts'
import { LastingProgress } from './tasks/lasting-progress.ts'

export interface PendingRequest {
  readonly id: RequestId
  readonly method: string
  readonly startedAt: number
  /** When it will be given up unless an answer or progress comes. */
  readonly deadline: number
}

class Pending implements PendingRequest, Orphan {
  readonly id: number
  readonly method: string
  readonly route: Route | undefined
  readonly params: Body | undefined
  readonly startedAt: number
  readonly timeout: number
  readonly hardDeadline: number
  readonly options: RequestOptions | undefined
  readonly resolve: (result: never) => void
  readonly convert: ((result: Body) => unknown) | undefined
  readonly reject: (error: unknown) => void
  deadline: number
  lastProgress = Number.NEGATIVE_INFINITY
  onAbort: (() => void) | undefined

  constructor(
    id: number,
    method: string,
    route: Route | undefined,
    params: Body | undefined,
    startedAt: number,
    timeout: number,
    maxTimeout: number,
    options: RequestOptions | undefined,
    convert: ((result: Body) => unknown) | undefined,
    resolve: (result: never) => void,
    reject: (error: unknown) => void,
  ) {
    this.id = id
    this.method = method
    this.route = route
    this.params = params
    this.startedAt = startedAt
    this.timeout = timeout
    this.hardDeadline = startedAt + maxTimeout
    this.deadline = Math.min(startedAt + timeout, this.hardDeadline)
    this.options = options
    this.convert = convert
    this.resolve = resolve
    this.reject = reject
  }

  /** Leaves the caller's signal alone once the request is over. */
  release(): void {
    if (this.onAbort !== undefined) this.options?.signal?.removeEventListener('abort', this.onAbort)
  }
}

/** Shared by all sessions that wait for nothing. */
const NONE: Map<RequestId, Pending> = new Map()

export class Requests {
  readonly ids: RequestIds
  readonly #core: SessionCore
  #pending = NONE
  #timerDue = Number.POSITIVE_INFINITY
  #cancelTimer: (() => void) | undefined
  #lasting: LastingProgress | undefined
  #onIdle: (() => void) | undefined

  constructor(core: SessionCore) {
    this.#core = core
    this.ids = new RequestIds(core.settings.maxRequestId, (threshold, used) => core.report({ type: 'ids', used, threshold }))
  }

  get size(): number {
    return this.#pending.size
  }

  list(): PendingRequest[] {
    return [...this.#pending.values()].map(({ id, method, startedAt, deadline }) => ({ id, method, startedAt, deadline }))
  }

  /** `route` is absent for what concerns this session alone: the handshake, which speaks no version yet, and the question whether the peer is alive. `convert` makes of the result what the caller wants without another promise. */
  send<T = Body>(
    method: string,
    params: Body | undefined,
    route: Route | undefined,
    options?: RequestOptions,
    convert?: (result: Body) => T | Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (options?.signal?.aborted) throw cancelled(method, options.signal)
      const { settings, stats } = this.#core
      // What has no route is the session's own: the handshake, and the ping that proves the peer alive, which a full queue must not stop.
      if (route !== undefined && this.#pending.size >= settings.maxPending) {
        throw new ParleyError('too_many_requests', { message: `${settings.maxPending} requests are already waiting for the peer` })
      }
      const id = this.ids.next()
      const timeout = options?.timeout === undefined ? settings.requestTimeout : milliseconds(options.timeout)
      const maxTimeout = options?.maxTimeout === undefined ? Math.max(settings.maxRequestTimeout, timeout) : milliseconds(options.maxTimeout)
      const pending = new Pending(id, method, route, params, settings.clock.now(), timeout, maxTimeout, options, convert, resolve as never, reject)
      const text = requestText(id, method, this.#outgoingParams(pending))
      if (exceedsBytes(text, settings.limits.maxBytes)) {
        throw new ParleyError('message_too_large', { message: `The request is longer than ${settings.limits.maxBytes} bytes` })
      }
      if (this.#pending === NONE) this.#pending = new Map()
      this.#pending.set(id, pending)
      this.#watch(pending)
      stats.of(method).sent++
      try {
        this.#core.send(text, options?.relatedTo === undefined ? undefined : { relatedTo: options.relatedTo })
      } catch (error) {
        this.#take(id)
        return this.#lose(pending, error as Error, false)
      }
      this.#arm(pending.deadline)
    })
  }

  #outgoingParams(pending: Pending): Body | undefined {
    const { route, params, options } = pending
    const translated = route?.paramsDown === undefined ? params : this.#core.translate(route.paramsDown, params, this.#core.translationContext(undefined))
    if (options?.onProgress === undefined) return translated
    return { ...translated, _meta: { ...(translated?.['_meta'] as Body | undefined), progressToken: pending.id } }
  }

  settleResult(id: RequestId, result: Body): void {
    const pending = this.#take(id)
    if (pending === undefined) return this.#core.ignore('unexpected answer', `result for id ${shown(id)}`)
    const up = pending.route?.resultUp
    try {
      const known = up === undefined ? result : (this.#core.translate(up, result, this.#core.translationContext(pending.params)) ?? {})
      pending.resolve((pending.convert === undefined ? known : pending.convert(known)) as never)
    } catch (error) {
      pending.reject(error)
    }
  }

  settleError(id: RequestId | null | undefined, error: WireError): void {
    if (id === null || id === undefined) {
      return this.#core.ignore('error without id', `${error.code} ${error.message.slice(0, 200)}`)
    }
    const pending = this.#take(id)
    if (pending === undefined) return this.#core.ignore('unexpected answer', `error for id ${shown(id)}`)
    this.#core.stats.of(pending.method).failed++
    pending.reject(fromWire(error))
  }

  /** An answer that came but cannot be read: the request it belongs to is over. */
  settleInvalid(id: RequestId | undefined, detail: string): void {
    const pending = id === undefined ? undefined : this.#take(id)
    if (pending === undefined) return this.#core.ignore('invalid answer', detail)
    pending.reject(new ParleyError('invalid_answer', { message: `The peer's answer to ${pending.method} is invalid: ${detail}` }))
  }

  /** The link could not hand a frame over; without an id nobody waits for it, but somebody should know. A server that does not know the session has not looked at the request. */
  undelivered(id: RequestId | undefined, error: Error): void {
    const pending = id === undefined ? undefined : this.#take(id)
    if (pending === undefined) return this.#core.reportError(error, 'send')
    const isUnseen = error instanceof ParleyError && error.kind === 'session_lost'
    this.#lose(pending, isUnseen ? lostRequest(pending.method, error) : error, !isUnseen)
  }

  /** Progress under a token of the caller's own, which may outlive the request. */
  expectProgress(token: string, handler: (progress: Progress) => void): () => void {
    this.#lasting ??= new LastingProgress((error) => this.#core.reportError(error, 'onProgress of a task'))
    return this.#lasting.expect(token, handler)
  }

  progress(token: unknown, progress: Progress): void {
    if (this.#lasting?.tell(token, progress)) return
    const pending = typeof token === 'number' || typeof token === 'string' ? this.#pending.get(token) : undefined
    const onProgress = pending?.options?.onProgress
    if (pending === undefined || onProgress === undefined) return this.#core.ignore('unexpected progress', `token ${shown(token)}`)
    if (!(progress.progress > pending.lastProgress)) return this.#core.ignore('progress that does not grow', `token ${shown(token)}`)
    pending.lastProgress = progress.progress
    if (pending.options?.resetOnProgress !== false) pending.deadline = Math.min(this.#core.settings.clock.now() + pending.timeout, pending.hardDeadline)
    try {
      const outcome: unknown = onProgress(progress)
      if (outcome instanceof Promise) outcome.catch((error) => this.#core.reportError(error, `onProgress of ${pending.method}`))
    } catch (error) {
      this.#core.reportError(error, `onProgress of ${pending.method}`)
    }
  }

  /** Fails everything that waits; the link is gone. */
  failAll(makeError: (method: string) => ParleyError): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    for (const pending of [...this.#pending.values()]) {
      this.#take(pending.id)
      this.#lose(pending, makeError(pending.method), true)
    }
  }

  /** Resolves when nothing waits for the peer. */
  idle(): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  /** Fails unless somebody takes it over. */
  #lose(pending: Pending, error: Error, seen: boolean): void {
    if (pending.route !== undefined && this.#core.adopt?.(pending, { error, seen })) return
    this.#core.stats.of(pending.method).failed++
    pending.reject(error)
  }

  #watch(pending: Pending): void {
    const signal = pending.options?.signal
    if (signal === undefined) return
    pending.onAbort = () => this.#giveUp(pending, cancelled(pending.method, signal))
    signal.addEventListener('abort', pending.onAbort, { once: true })
  }

  #giveUp(pending: Pending, error: ParleyError): void {
    if (this.#take(pending.id) === undefined) return
    // The specification forbids cancelling the handshake.
    if (pending.method !== 'initialize')
      this.#core.sendNotification('notifications/cancelled', { requestId: pending.id, reason: error.message }, relatedOptions(pending))
    this.#core.stats.of(pending.method).failed++
    pending.reject(error)
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    this.#pending.delete(id)
    pending.release()
    if (this.#onIdle !== undefined && this.#pending.size === 0) {
      this.#onIdle()
      this.#onIdle = undefined
    }
    return pending
  }

  #arm(due: number): void {
    if (due >= this.#timerDue) return
    this.#cancelTimer?.()
    this.#timerDue = due
    const { clock } = this.#core.settings
    this.#cancelTimer = clock.after(Math.max(0, due - clock.now()), () => this.#sweep())
  }

  #sweep(): void {
    this.#timerDue = Number.POSITIVE_INFINITY
    this.#cancelTimer = undefined
    const now = this.#core.settings.clock.now()
    let nextDue = Number.POSITIVE_INFINITY
    for (const pending of [...this.#pending.values()]) {
      if (pending.deadline <= now) this.#giveUp(pending, timedOut(pending, now))
      else nextDue = Math.min(nextDue, pending.deadline)
    }
    if (nextDue < Number.POSITIVE_INFINITY) this.#arm(nextDue)
  }
}

function relatedOptions(pending: Pending): { relatedTo: RequestId } | undefined {
  const relatedTo = pending.options?.relatedTo
  return relatedTo === undefined ? undefined : { relatedTo }
}

function cancelled(method: string, signal: AbortSignal): ParleyError {
  const reason: unknown = signal.reason
  const why = reason instanceof Error && reason.name !== 'AbortError' ? `: ${reason.message}` : typeof reason === 'string' ? `: ${reason}` : ''
  return new ParleyError('request_cancelled', { message: `${method} was cancelled by the caller${why}`, cause: reason })
}

function timedOut(pending: Pending, now: number): ParleyError {
  const waited = now - pending.startedAt
  const limit = pending.deadline >= pending.hardDeadline ? 'the hard maximum' : 'no answer and no progress'
  return new ParleyError('request_timeout', { message: `${pending.method} timed out after ${waited} ms (${limit})` })
}

export function lostRequest(method: string, reason: Error | undefined): ParleyError {
  if (reason instanceof ParleyError && reason.kind === 'peer_unresponsive')
    return new ParleyError('peer_unresponsive', { message: `${method}: ${reason.message}`, cause: reason })
  const why = reason === undefined ? '' : `: ${reason.message}`
  return new ParleyError('connection_closed', { message: `The connection ended before ${method} was answered${why}`, cause: reason })
}

function shown(value: unknown): string {
  return String(JSON.stringify(value) ?? value).slice(0, 80)
}
