/** One request of the peer while it is being answered. It is made for every request, so expensive parts come on first use. */
import type { ByteBudget, Charge } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'
import type { Body, RequestId } from '../../jsonrpc/index.ts'
import type { LogLevel } from '../../protocol/index.ts'
import type { Loss } from '../../versions/index.ts'
import type { Duration } from '../duration.ts'
import type { Answer, Caller, Inbound, MessageContext, Retry } from '../endpoint.ts'
import type { CallEra } from '../eras/era.ts'
import { keepIn } from '../memory/budgets.ts'
import type { EngineRequestOptions } from '../request-options.ts'
import type { Route } from '../routes.ts'
import type { SessionView } from '../session-view.ts'
import type { Reply } from './batch-reply.ts'

export interface KeptProgress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
  readonly more: Body | undefined
}

/** A call that asked questions with its answer, as the call itself needs it. */
export interface SuspendedCall {
  /** True while the client has the questions and none of its requests waits here. */
  readonly waits: boolean
  ask(method: string, params: Body | undefined, options: EngineRequestOptions): Promise<Body>
  handlerReturned(answer: Answer): void
  handlerThrew(error: unknown): void
  cancel(reason: string): void
  keepProgress(progress: KeptProgress): void
  keepNotification(method: string, params: Body | undefined): void
}

export class InboundCall implements Inbound {
  /** A call that waits for answers goes on under the id of the request that brings them. */
  id: RequestId
  readonly method: string
  readonly params: Body
  readonly session: SessionView
  readonly route: Route
  readonly startedAt: number
  cancelled = false
  /** Set once the answer is on its way: nothing that belongs to the request may follow it. */
  answered = false
  /** Set for members of a batch: answers go there instead of to the link. */
  readonly reply: Reply | undefined
  /** How the request that is open now is answered. */
  era: CallEra
  /** Set once the call has asked questions with an answer. */
  parked: SuspendedCall | undefined
  retry: Retry | undefined
  owner: unknown
  within = false
  sent: Body
  onLoss: ((loss: Loss) => void) | undefined
  /** The bytes that the request costs, and the budget that they count for. */
  cost = 0
  budget: ByteBudget | undefined
  /** Set while the handler works, also after the client has given up. */
  charge: Charge | undefined
  /** Set when the handler is run again: how often that happened, and since when. */
  again: { readonly rounds: number; readonly beganAt: number } | undefined
  #onCancel: Set<(reason: string) => void> | ((reason: string) => void) | undefined
  #caller: Caller | undefined
  #controller: AbortController | undefined
  #cancelReason: ParleyError | undefined
  #lastProgress = Number.NEGATIVE_INFINITY
  #afterAnswer: (() => void) | undefined

  constructor(
    id: RequestId,
    route: Route,
    params: Body,
    session: SessionView,
    startedAt: number,
    reply: Reply | undefined,
    era: CallEra,
  ) {
    this.id = id
    this.method = route.method
    this.route = route
    this.params = params
    this.sent = params
    this.session = session
    this.startedAt = startedAt
    this.reply = reply
    this.era = era
  }

  /** What the link knows the request by. */
  get key(): RequestId {
    return this.era.keyOf(this.id)
  }

  get caller(): Caller {
    this.#caller ??= this.era.callerIn(this.session)
    return this.#caller
  }

  get principal(): string | undefined {
    return this.era.principal
  }

  get address(): string | undefined {
    return this.era.address
  }

  get logLevel(): LogLevel | undefined {
    return this.era.logLevel
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.cancelled) this.#controller.abort(this.#cancelReason)
    }
    return this.#controller.signal
  }

  get context(): MessageContext {
    const meta = this.#meta
    return {
      direction: this.session.role === 'server' ? 'client_to_server' : 'server_to_client',
      transport: this.session.transport,
      sessionId: this.session.id,
      receivedAt: this.startedAt,
      traceparent: stringOf(meta?.['traceparent']),
      tracestate: stringOf(meta?.['tracestate']),
    }
  }

  /** Of the request that is being answered now, which may be a later one than that which began the call. */
  get #meta(): Body | undefined {
    return this.era.metadataOf(this.params)
  }

  cancel(reason: string): void {
    if (this.cancelled) return
    this.cancelled = true
    this.#cancelReason = new ParleyError('request_cancelled', { message: reason })
    this.#controller?.abort(this.#cancelReason)
    if (typeof this.#onCancel === 'function') this.#onCancel(reason)
    else for (const run of this.#onCancel ?? []) run(reason)
    this.parked?.cancel(reason)
  }

  /** Set once it is cancelled. */
  get cancelReason(): ParleyError | undefined {
    return this.#cancelReason
  }

  onCancel(run: (reason: string) => void): () => void {
    if (this.cancelled) run(this.#cancelReason?.message ?? 'Cancelled')
    else if (this.#onCancel === undefined) this.#onCancel = run
    else if (typeof this.#onCancel === 'function') this.#onCancel = new Set([this.#onCancel, run])
    else this.#onCancel.add(run)
    return () => {
      if (this.#onCancel === run) this.#onCancel = undefined
      else if (typeof this.#onCancel === 'object') this.#onCancel.delete(run)
    }
  }

  /** From now on, by the request that is being answered then. */
  tellLosses(tell: (request: RequestId, loss: Loss) => void): void {
    this.onLoss = (loss) => tell(this.key, loss)
  }

  /** Its request is answered, but not the call: what can be made again is not kept meanwhile. */
  suspend(): void {
    this.answered = true
    this.#caller = undefined
  }

  /** The client has come back with answers: from now on its new request is the one to answer. */
  continueAs({ id, era }: InboundCall): void {
    this.id = id
    this.era = era
    this.answered = false
    this.#caller = undefined
    this.#lastProgress = Number.NEGATIVE_INFINITY
  }

  progress(progress: number, total?: number, message?: string, more?: Body): void {
    const token = this.#meta?.['progressToken']
    if (this.parked?.waits) return this.parked.keepProgress({ progress, total, message, more })
    if ((typeof token !== 'string' && typeof token !== 'number') || !(progress > this.#lastProgress)) return
    this.#lastProgress = progress
    const params: Body = { ...more, progressToken: token, progress }
    if (total !== undefined) params['total'] = total
    if (message !== undefined) params['message'] = message
    this.notify('notifications/progress', params)
  }

  notify(method: string, params?: Body): void {
    if (this.cancelled || this.answered) {
      if (!this.cancelled && this.parked?.waits) this.parked.keepNotification(method, params)
    } else this.era.notify(this, method, params)
  }

  release(retry?: Duration): void {
    if (!this.cancelled && !this.answered) this.era.release(this, retry)
  }

  request(method: string, params?: Body, options: EngineRequestOptions = {}): Promise<Body> {
    return this.era.ask(this, method, params, options)
  }

  written(result: Body, onLoss?: (loss: Loss) => void): Body {
    return this.era.written(this, result, onLoss)
  }

  keep(cost: number, what: string): () => void {
    return keepIn(this.budget as ByteBudget, cost, what)
  }

  afterAnswer(run: () => void): void {
    if (this.answered || this.cancelled) run()
    else this.#afterAnswer = run
  }

  /** The request is behind us. */
  settle(): void {
    const run = this.#afterAnswer
    this.#afterAnswer = undefined
    run?.()
  }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
