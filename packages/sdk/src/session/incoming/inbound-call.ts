/**
 * One request of the peer while it is being answered. Built for every request, so everything dear is made on first use.
 */
import type { ByteBudget, Charge } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'
import type { Body, RequestId } from '../../jsonrpc/index.ts'
import type { LogLevel } from '../../protocol/index.ts'
import type { Loss } from '../../versions/index.ts'
import type { ParkedCall } from '../asking/parked-call.ts'
import { EnvelopeCaller } from '../caller.ts'
import type { Duration } from '../duration.ts'
import type { Caller, Inbound, MessageContext, Retry } from '../endpoint.ts'
import type { Envelope } from '../eras/stateless/envelope.ts'
import type { Stateless } from '../eras/stateless/server.ts'
import { keepIn } from '../memory.ts'
import type { RequestOptions } from '../options.ts'
import type { Route } from '../routes.ts'
import type { Session } from '../session.ts'
import type { Reply } from './batch-reply.ts'

/** What is known of a request that speaks for itself. */
export interface Spoken {
  readonly engine: Stateless
  readonly envelope: Envelope
  /** What the link knows the request by. */
  readonly key: RequestId
  readonly principal: string | undefined
  readonly address: string | undefined
}

export class InboundCall implements Inbound {
  /** A call that waits for answers goes on under the id of the request that brings them. */
  id: RequestId
  readonly method: string
  readonly params: Body
  readonly session: Session
  readonly route: Route
  readonly startedAt: number
  cancelled = false
  /** Set once the answer is on its way: nothing that belongs to the request may follow it. */
  answered = false
  /** Set for members of a batch: answers go there instead of to the link. */
  readonly reply: Reply | undefined
  /** Absent in the handshake era. */
  spoken: Spoken | undefined
  /** Set while, and after, the call has asked something that travels inside an answer. */
  parked: ParkedCall | undefined
  retry: Retry | undefined
  owner: unknown
  within = false
  sent: Body
  onLoss: ((loss: Loss) => void) | undefined
  /** What it costs to keep the request, and who pays. */
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
    session: Session,
    startedAt: number,
    reply: Reply | undefined,
    spoken?: Spoken,
  ) {
    this.id = id
    this.method = route.method
    this.route = route
    this.params = params
    this.sent = params
    this.session = session
    this.startedAt = startedAt
    this.reply = reply
    this.spoken = spoken
  }

  /** What the link knows the request by. */
  get key(): RequestId {
    return this.spoken === undefined ? this.id : this.spoken.key
  }

  get caller(): Caller {
    if (this.spoken === undefined) return this.session.caller
    this.#caller ??= new EnvelopeCaller(this.spoken.envelope)
    return this.#caller
  }

  get principal(): string | undefined {
    return this.spoken?.principal
  }

  get address(): string | undefined {
    return this.spoken?.address
  }

  get logLevel(): LogLevel | undefined {
    return this.spoken?.envelope.logLevel
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
    return this.spoken === undefined ? (this.params['_meta'] as Body | undefined) : this.spoken.envelope.meta
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
  continueAs(id: RequestId, spoken: Spoken): void {
    this.id = id
    this.spoken = spoken
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
      if (!this.cancelled && this.parked?.waits) this.parked.keepNotice(method, params)
    } else if (this.spoken === undefined) this.session.notify(method, params, { relatedTo: this.id })
    else this.spoken.engine.notify(this, this.spoken.key, method, params)
  }

  release(retry?: Duration): void {
    if (!this.cancelled && !this.answered && this.spoken === undefined) this.session.release(this.id, retry)
  }

  request(method: string, params?: Body, options: RequestOptions = {}): Promise<Body> {
    // A call that waits takes its questions with it when it is cancelled: many may wait for long, and a signal is
    // heavy.
    if (this.spoken !== undefined) return this.spoken.engine.ask(this, method, params, options)
    const signal = options.signal === undefined ? this.signal : AbortSignal.any([options.signal, this.signal])
    return this.session.request(method, params, { ...options, signal, relatedTo: this.id })
  }

  written(result: Body, onLoss?: (loss: Loss) => void): Body {
    if (this.spoken === undefined)
      return this.session.translateResult(this.method, result, undefined, both(onLoss, this.onLoss))
    return this.spoken.engine.written(this, result)
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

function both(
  one: ((loss: Loss) => void) | undefined,
  other: ((loss: Loss) => void) | undefined,
): ((loss: Loss) => void) | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return (loss) => {
    one(loss)
    other(loss)
  }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
