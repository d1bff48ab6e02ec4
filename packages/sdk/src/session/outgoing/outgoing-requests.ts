/** Requests to the peer: correlation, progress and cancellation. */
import { IdTable } from '../../collections/index.ts'
import { fromWire, ParleyError, type WireError } from '../../errors/index.ts'
import { type Body, exceedsBytes, type RequestId, type SendOptions } from '../../jsonrpc/index.ts'
import type { HeaderParam } from '../../versions/index.ts'
import type { SessionCore } from '../core.ts'
import { milliseconds } from '../duration.ts'
import { type LastingRequest, NO_HEADERS, type RequestHost } from '../eras/era.ts'
import { noteAsked } from '../eras/stateless/client/asked.ts'
import type { EngineRequestOptions, Progress } from '../request-options.ts'
import type { Route } from '../routes.ts'
import type { PendingRequest, SessionView } from '../session-view.ts'
import { Deadlines } from './deadlines.ts'
import { type NewRequest, Pending, soleOwner } from './pending.ts'
import { LastingProgress } from './progress.ts'
import { cancelled, lostRequest, shown, takenBack, unreadable } from './request-errors.ts'
import { contextOf, guarded, tellText, textOf } from './request-frame.ts'
import { RequestIds } from './request-ids.ts'

/** Shared by all sessions that wait for nothing. */
const NONE = new IdTable<Pending>()
const NO_OPTIONS: EngineRequestOptions = {}

export class OutgoingRequests implements RequestHost {
  readonly ids: RequestIds
  readonly #core: SessionCore
  readonly session: SessionView
  /** Ends the session. */
  readonly end: (reason: ParleyError) => void
  #pending = NONE
  /** Whether any request has compared its answer with an earlier one. */
  comparing = false
  /** Requests that wait for something on this side. The controller is aborted when the caller gives up. */
  #held: Map<Pending, AbortController> | undefined
  #timers: Deadlines | undefined
  #lasting: LastingProgress | undefined
  #onIdle: (() => void) | undefined

  constructor(core: SessionCore, session: SessionView, end: (reason: ParleyError) => void) {
    this.#core = core
    this.session = session
    this.end = end
    this.ids = new RequestIds(core.settings.maxRequestId, (threshold, used) =>
      core.report({ type: 'ids', used, threshold }),
    )
  }

  /** Made with the first request: many servers never ask their clients anything. */
  get #deadlines(): Deadlines {
    this.#timers ??= new Deadlines(this.#core, {
      all: () => this.#pending.values(),
      giveUp: (late, why) => this.#giveUp(late, why),
    })
    return this.#timers
  }

  get size(): number {
    return this.#pending.size + (this.#held?.size ?? 0)
  }

  get excused(): boolean {
    return this.#timers?.excused === true
  }

  list(): PendingRequest[] {
    return [...this.#pending.values(), ...(this.#held?.keys() ?? [])].map((pending) =>
      pending.listed(this.#timers?.paused),
    )
  }

  /**
   * `route` is absent for requests of the session itself: the handshake and pings. `convert` changes the result without
   * another promise.
   */
  send<T = Body>(
    method: string,
    params: Body | undefined,
    route: Route | undefined,
    options?: EngineRequestOptions,
    convert?: (result: Body) => T | Promise<T>,
    era = this.#core.era,
  ): Promise<T> {
    const { refused } = this.#core
    return new Promise((resolve, fail) => {
      const reject = refused === undefined ? fail : (error: unknown): void => resolve(refused(error))
      this.#begin({ method, params, route, options, convert, era, resolve: resolve as never, reject })
    })
  }

  /** A request of the session itself without a time limit. Its caller calls `lasts` when the peer has accepted it. */
  sendLasting(method: string, params: Body, options: EngineRequestOptions): LastingRequest {
    let pending: Pending | undefined
    const { era } = this.#core
    const answered = new Promise<Body>((resolve, reject) => {
      pending = this.#begin({ method, params, route: undefined, options, convert: undefined, era, resolve, reject })
    })
    return { id: pending?.id ?? 0, answered, lasts: () => this.#last(pending) }
  }

  #last(pending: Pending | undefined): void {
    if (pending !== undefined && this.#pending.has(pending.id)) this.#deadlines.last(pending)
  }

  /** The peer has ended it without an answer. */
  endLasting(id: RequestId): void {
    const pending = this.#take(id)
    if (pending === undefined) return
    this.#core.link.withdraw?.(id)
    pending.resolve({} as never)
  }

  #begin(request: NewRequest): Pending {
    const { method, route, options } = request
    if (options?.signal?.aborted) throw cancelled(method, options.signal)
    const { settings } = this.#core
    // A full queue must not stop requests of the session itself: the handshake and pings.
    if (route !== undefined && this.size >= settings.maxPending) {
      throw new ParleyError('too_many_requests', {
        message: `${settings.maxPending} requests are already waiting for the peer`,
      })
    }
    if (options?.ifText !== undefined) this.comparing = true
    const id = this.ids.next()
    const timeout = options?.timeout === undefined ? settings.requestTimeout : milliseconds(options.timeout)
    const maxTimeout =
      options?.maxTimeout === undefined
        ? Math.max(settings.maxRequestTimeout, timeout)
        : milliseconds(options.maxTimeout)
    const pending = new Pending(id, request, settings.clock.now(), timeout, maxTimeout)
    this.#post(pending)
    return pending
  }

  #list(pending: Pending): void {
    if (this.#pending === NONE) this.#pending = new IdTable()
    this.#pending.set(pending.id, pending)
  }

  #post(pending: Pending): void {
    this.#list(pending)
    this.#deadlines.began(pending)
    this.#watch(pending)
    // The request that it follows may have been cancelled before.
    if (!this.#pending.has(pending.id)) return
    const annotated = pending.era.headerParams(pending)
    if (!(annotated instanceof Promise)) return this.#transmit(pending, annotated)
    this.#deadlines.watch(pending)
    const { id } = pending
    const transmit = (known: readonly HeaderParam[]): void => {
      if (this.#pending.get(id) === pending) this.#transmit(pending, known)
    }
    // The server refuses a request with missing headers.
    annotated.then(transmit, () => transmit(NO_HEADERS))
  }

  #transmit(pending: Pending, annotated: readonly HeaderParam[]): void {
    const { settings, stats } = this.#core
    let text: string
    let options: SendOptions | undefined
    try {
      text = textOf(this.#core, pending)
      options = pending.era.sendOptions(pending, annotated)
      if (exceedsBytes(text, settings.limits.maxSentBytes)) {
        throw new ParleyError('message_too_large', {
          message: `The request is longer than ${settings.limits.maxSentBytes} bytes, the limit of "maxSentBytes"`,
        })
      }
    } catch (error) {
      this.#take(pending.id)
      return pending.reject(error)
    }
    stats.of(pending.method).sent++
    pending.sent = true
    try {
      this.#core.send(text, options)
    } catch (error) {
      this.#take(pending.id)
      return this.#lose(pending, error as Error, false)
    }
    this.#deadlines.watch(pending)
  }

  settleResult(id: RequestId, result: Body, frame?: string): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return this.#core.ignore('unexpected answer', `result for id ${shown(id)}`)
    const own = pending.era.result(pending, result)
    if (own === undefined) return
    this.#take(id)
    try {
      const { route, options } = pending
      const known =
        route?.resultUp === undefined || options?.relayed === true
          ? own
          : (this.#core.translate(route.resultUp, own, contextOf(this.#core, pending)) ?? {})
      if (pending.rounds > 0) noteAsked(known)
      if (options !== undefined && frame !== undefined) tellText(options, frame, result, own, known)
      pending.resolve((pending.convert === undefined ? known : pending.convert(known)) as never)
    } catch (error) {
      pending.reject(error)
    }
  }

  settle(pending: Pending, make: () => unknown): void {
    this.#take(pending.id)
    try {
      pending.resolve(make() as never)
    } catch (error) {
      pending.reject(error)
    }
  }

  isKnown(id: RequestId, json: string): boolean | undefined {
    return this.#pending.get(id)?.options?.ifText?.(json)
  }

  settleError(id: RequestId | null | undefined, error: WireError): void {
    if (id === null || id === undefined) {
      return this.#core.ignore('error without id', `${error.code} ${error.message.slice(0, 200)}`)
    }
    const pending = this.#pending.get(id)
    if (pending === undefined) return this.#core.ignore('unexpected answer', `error for id ${shown(id)}`)
    if (pending.era.repair(pending, error)) return
    const received = fromWire(error)
    const told = pending.era.endOfSession(pending, received)
    if (told === undefined) return this.fail(pending, received)
    this.#take(pending.id)
    this.#lose(pending, told === received ? lostRequest(pending.method, received) : told, true, told)
  }

  hold(pending: Pending): AbortSignal {
    const controller = new AbortController()
    this.#held ??= new Map()
    // First, so that at no moment nothing seems to wait.
    this.#held.set(pending, controller)
    this.#take(pending.id)
    this.#watch(pending)
    pending.sent = false
    pending.heldAt = this.#core.settings.clock.now()
    // A user who was asked has no deadline.
    pending.deadline = Number.POSITIVE_INFINITY
    return controller.signal
  }

  /** False when it was given up meanwhile. */
  #letGo(pending: Pending, why?: unknown): boolean {
    const controller = this.#held?.get(pending)
    if (controller === undefined) return false
    this.#held?.delete(pending)
    pending.release()
    if (why !== undefined) controller.abort(why)
    this.#idleNow()
    return true
  }

  again(pending: Pending, extra: Body | undefined, asked: boolean): void {
    const now = this.#core.settings.clock.now()
    if (this.#held?.has(pending) !== true) return
    if (asked) pending.hardDeadline += now - pending.heldAt
    try {
      pending.id = this.ids.next()
    } catch (error) {
      return this.fail(pending, error)
    }
    pending.beginAgain(now, extra)
    // Listed first, so that at no moment nothing seems to wait.
    this.#list(pending)
    this.#letGo(pending)
    this.#post(pending)
  }

  fail(pending: Pending, error: unknown): void {
    if (!this.#letGo(pending, error) && this.#take(pending.id) === undefined) return
    this.#core.stats.of(pending.method).failed++
    pending.reject(error)
  }

  /** An answer that cannot be read fails its request. */
  settleInvalid(id: RequestId | undefined, error: WireError): void {
    const pending = id === undefined ? undefined : this.#take(id)
    if (pending === undefined) return this.#core.ignore('invalid answer', error.message)
    pending.reject(unreadable(pending.method, error))
  }

  /**
   * The link could not send a frame. Without an id the error is only reported. A server that does not know the session
   * has not read the request.
   */
  undelivered(id: RequestId | undefined, error: Error): void {
    const pending = id === undefined ? undefined : this.#take(id)
    if (pending === undefined) return this.#core.reportError(error, 'send')
    const isUnseen = error instanceof ParleyError && error.kind === 'session_lost'
    this.#lose(pending, isUnseen ? lostRequest(pending.method, error) : error, !isUnseen)
  }

  /** The server has closed the stream of a request for a while. */
  released(id: RequestId, retry: number | undefined): void {
    this.#pending.get(id)?.options?.onReleased?.(retry)
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
    if (pending === undefined || onProgress === undefined)
      return this.#core.ignore('unexpected progress', `token ${shown(token)}`)
    if (!(progress.progress > pending.lastProgress))
      return this.#core.ignore('progress that does not grow', `token ${shown(token)}`)
    const told = pending.grown(progress)
    if (pending.options?.resetOnProgress !== false)
      pending.startOver(this.#core.settings.clock.now(), this.#deadlines.paused)
    if (told === undefined) return
    const report = (error: unknown): void => this.#core.reportError(error, `onProgress of ${pending.method}`)
    guarded(() => onProgress(told), report)
  }

  /** The owner of a message of the peer: by the request with whose stream it came, or by the only open request. */
  ownerOf(within: RequestId | undefined): unknown {
    return within === undefined ? soleOwner(this.#pending.values()) : this.#pending.get(within)?.options?.owner
  }

  /** Fails everything that waits; the link is gone. */
  failAll(makeError: (method: string) => ParleyError): void {
    this.#timers?.stop()
    for (const pending of [...this.#pending.values(), ...(this.#held?.keys() ?? [])]) {
      const error = makeError(pending.method)
      if (!this.#letGo(pending, error)) this.#take(pending.id)
      this.#lose(pending, pending.refusal ?? error, pending.refusal === undefined)
    }
  }

  /** Resolves when nothing waits for the peer. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  /** Fails unless another session takes it over. `told` is the error for its caller then. */
  #lose(pending: Pending, error: Error, seen: boolean, told = error): void {
    if (pending.route !== undefined && this.#core.adopt?.(pending, { error, seen })) return
    this.#core.stats.of(pending.method).failed++
    pending.reject(told)
  }

  #watch(pending: Pending): void {
    const { signal, cancelledWith } = pending.options ?? NO_OPTIONS
    if (signal !== undefined) {
      pending.onAbort = () => this.#giveUp(pending, cancelled(pending.method, signal))
      signal.addEventListener('abort', pending.onAbort, { once: true })
    }
    pending.unhook = cancelledWith?.onCancel((reason) => this.#giveUp(pending, takenBack(pending.method, reason)))
  }

  #giveUp(pending: Pending, error: ParleyError): void {
    if (!this.#letGo(pending, error)) {
      if (this.#take(pending.id) === undefined) return
      if (pending.sent) pending.era.cancel(pending, error)
    }
    this.#core.stats.of(pending.method).failed++
    pending.reject(error)
    this.#core.gaveUp(pending.startedAt)
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    this.#pending.delete(id)
    this.#deadlines.over(pending)
    pending.release()
    this.#idleNow()
    return pending
  }

  #idleNow(): void {
    if (this.#onIdle === undefined || this.size > 0) return
    this.#onIdle()
    this.#onIdle = undefined
  }

  /** Called when this side begins to answer the peer, and when it has answered everything. */
  busy(busy: boolean): void {
    this.#deadlines.busy(busy)
  }
}
