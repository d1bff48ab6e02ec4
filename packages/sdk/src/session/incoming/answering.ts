/** Answers the peer's requests: exactly one answer each, none after a cancellation, none left behind. */
import { type ByteBudget, Charge, IdTable } from '../../collections/index.ts'
import { ParleyError, toParleyError } from '../../errors/index.ts'
import {
  type Body,
  errorText,
  exceedsBytes,
  type FrameOrigin,
  type RequestId,
  type RequestMessage,
  resultText,
  type SendOptions,
  Serialised,
} from '../../jsonrpc/index.ts'
import { type Loss, newestVersion } from '../../versions/index.ts'
import type { Round } from '../asking/parked-call.ts'
import { isRetry } from '../asking/parking.ts'
import type { SessionCore } from '../core.ts'
import { type Answer, InputRequired } from '../endpoint.ts'
import type { CallEra } from '../eras/era.ts'
import { type ErrorStatus, statusFor } from '../eras/stateless/status.ts'
import { costOf } from '../memory/budgets.ts'
import type { Route } from '../routes.ts'
import type { InFlight, SessionView } from '../session-view.ts'
import type { Reply } from './batch-reply.ts'
import { InboundCall } from './inbound-call.ts'

/** Shared by all sessions that answer nothing at the moment. Most sessions are idle most of the time. */
const NONE = new IdTable<InboundCall>()

/** A request that phase and guard have let through. */
export interface AcceptedRequest {
  readonly message: RequestMessage
  readonly reply: Reply | undefined
  readonly era: CallEra
  readonly route: Route
  /** Of the text of the message; undefined in a batch. */
  readonly length: number | undefined
  readonly origin: FrameOrigin | undefined
  readonly owner: unknown
  readonly within: boolean
}

/** A request that waits because the session is paused. */
interface HeldRequest extends AcceptedRequest {
  readonly charge: Charge
}

export class Answering {
  readonly #core: SessionCore
  readonly #session: SessionView
  #inFlight = NONE
  #waiting: HeldRequest[] | undefined
  #preparing = 0
  #onIdle: (() => void) | undefined
  /** Called when the first of several answers takes time, and when the last is given. */
  readonly #onBusy: ((busy: boolean) => void) | undefined

  constructor(core: SessionCore, session: SessionView, onBusy?: (busy: boolean) => void) {
    this.#core = core
    this.#session = session
    this.#onBusy = onBusy
  }

  get size(): number {
    return this.#inFlight.size + (this.#waiting?.length ?? 0) + this.#preparing
  }

  /**
   * Counts a request as being answered until the returned function is called: something has to be found out before the
   * request is accepted. `decide` accepts or refuses it.
   */
  prepare(): (decide?: () => void) => void {
    this.#preparing++
    return (decide) => {
      this.#preparing--
      decide?.()
      this.#idleNow()
    }
  }

  list(): InFlight[] {
    return this.#inFlight.values().map(({ id, method, startedAt }) => ({ id, method, startedAt }))
  }

  take(request: AcceptedRequest): void {
    const budget = this.#core.budgetFor(request.origin)
    const cost = costOf(request.message.params, request.length)
    // Answers for a call that waits let that call end, so they have priority.
    const isUrgent = isRetry(request.message) || undefined
    const objection =
      this.objection(keyOf(request)) ?? this.#core.noRoom(budget, cost, request.message.method, isUrgent)
    if (objection !== undefined) return this.#refuse(request, objection)
    if (!this.#core.paused) return this.#run(request, budget, cost)
    this.#waiting ??= []
    this.#waiting.push({ ...request, charge: new Charge(budget, cost) })
  }

  /** The error for a request with this key, if it cannot be accepted; `others` are requests that wait elsewhere. */
  objection(key: RequestId, others?: ReadonlyMap<unknown, unknown>): ParleyError | undefined {
    const { settings } = this.#core
    if (this.#inFlight.has(key) || others?.has(key) || this.#waiting?.some((held) => keyOf(held) === key)) {
      return new ParleyError('duplicate_request_id', {
        message: `Request id ${JSON.stringify(key)} is still in flight`,
      })
    }
    if (this.size < settings.maxInFlight) return undefined
    return new ParleyError('too_many_requests', {
      message: `${settings.maxInFlight} requests are already being answered`,
    })
  }

  /** Runs the requests that waited while the session was paused. */
  flush(): void {
    for (const held of this.#waiting?.splice(0) ?? []) {
      const { bytes } = held.charge
      held.charge.give()
      this.#run(held, this.#core.budgetFor(held.origin), bytes)
    }
  }

  cancel(id: unknown, reason: unknown): void {
    const call = typeof id === 'string' || typeof id === 'number' ? this.#inFlight.get(id) : undefined
    if (call !== undefined) {
      call.cancel(typeof reason === 'string' ? reason.slice(0, 500) : 'Cancelled by the peer')
      this.#skip(call.key, call.reply)
      return this.#forget(call)
    }
    const waiting = this.#waiting?.find((held) => keyOf(held) === id)
    if (waiting === undefined)
      return this.#core.ignore('cancellation of nothing', `request ${String(JSON.stringify(id)).slice(0, 80)}`)
    this.#waiting = this.#waiting?.filter((other) => other !== waiting)
    waiting.charge.give()
    this.#skip(keyOf(waiting), waiting.reply)
  }

  /** Answers every open request with an error, while the peer can still be told. */
  giveUp(): void {
    for (const held of this.#waiting?.splice(0) ?? []) {
      held.charge.give()
      this.#refuse(held, held.era.unanswered())
    }
    for (const call of this.#inFlight.values()) {
      this.#fail(call, call.era.unanswered())
      call.cancel('The session has ended')
    }
  }

  /** Aborts all calls: the peer is gone, or expects no answers. */
  abortAll(reason: string): void {
    for (const { charge } of this.#waiting ?? []) charge.give()
    this.#waiting = undefined
    for (const call of this.#inFlight.values()) {
      call.cancel(reason)
      this.#forget(call)
    }
  }

  /** Resolves when nothing is being answered. */
  idle(): Promise<void> {
    if (this.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  refuse(id: RequestId, error: ParleyError, reply: Reply | undefined): void {
    this.#deliver(id, this.#errorFrame(id, error), reply)
  }

  succeed(id: RequestId, result: Body, reply: Reply | undefined): void {
    this.#deliver(id, resultText(id, result), reply)
  }

  /** In the stateless era the link may know a request by another id (`key`), and some errors have an HTTP status. */
  refuseStateless(id: RequestId, key: RequestId, error: ParleyError): void {
    this.#deliver(key, this.#errorFrame(id, error, newestVersion), undefined, undefined, statusFor(error))
  }

  succeedStateless(id: RequestId, key: RequestId, kept: Serialised): void {
    this.#deliver(key, resultText(id, kept), undefined, kept)
  }

  /** How the first request of a call is answered when the call asks questions. */
  roundOf(call: InboundCall): Round {
    return { settle: (answer) => this.#finish(call, answer), fail: (error) => this.#fail(call, error) }
  }

  #run(request: AcceptedRequest, budget: ByteBudget, cost: number): void {
    const { message, reply, era, route, owner, within } = request
    const core = this.#core
    core.stats.of(message.method).received++
    let call: InboundCall | undefined
    const charge = new Charge(budget, cost)
    try {
      const params =
        route.paramsUp === undefined
          ? message.params
          : core.translate(route.paramsUp, message.params, core.requestContext(undefined, lossesOf(core, request)))
      call = new InboundCall(message.id, route, params ?? {}, this.#session, core.lastReceivedAt, reply, era)
      call.owner = owner
      call.budget = budget
      call.cost = cost
      call.within = within
      if (core.onRequestLoss !== undefined) call.tellLosses(core.onRequestLoss)
      if (message.params !== undefined) call.sent = message.params
      const outcome = era.answer(call, message)
      if (isPromise(outcome)) return this.#await(call, outcome, charge)
      charge.give()
      this.#returned(call, outcome)
    } catch (error) {
      charge.give()
      if (call === undefined) this.#refuse(request, toParleyError(error))
      else this.#threw(call, error)
    }
  }

  #refuse({ message, reply, era }: AcceptedRequest, error: ParleyError): void {
    era.refuse(message.id, error, reply)
  }

  #await(call: InboundCall, outcome: Promise<Answer>, charge: Charge): void {
    if (this.#inFlight === NONE) this.#inFlight = new IdTable()
    if (this.#inFlight.size === 0) this.#onBusy?.(true)
    this.#inFlight.set(call.key, call)
    call.charge = charge
    outcome.then(
      (result) => {
        charge.give()
        this.#returned(call, result)
      },
      (error) => {
        charge.give()
        this.#threw(call, error)
      },
    )
  }

  /** A call that asked questions is answered on the request that is open now. */
  #returned(call: InboundCall, result: Answer): void {
    if (call.parked === undefined) this.#finish(call, result)
    else call.parked.handlerReturned(result)
  }

  #threw(call: InboundCall, error: unknown): void {
    if (call.parked === undefined) this.#fail(call, error)
    else call.parked.handlerThrew(error)
  }

  /** The handler asks before it answers. */
  #askFirst(call: InboundCall, required: InputRequired): void {
    // Its earlier questions are answered.
    call.parked = undefined
    this.#await(call, call.era.askFirst(call, required), new Charge(call.budget as ByteBudget, call.cost))
  }

  #finish(call: InboundCall, result: Answer): void {
    if (call.cancelled) return this.#forget(call)
    if (result instanceof InputRequired) return this.#askFirst(call, result)
    try {
      const text = this.#resultFrame(call, result)
      this.#answered(call, text, result instanceof Serialised && result.kept ? result : undefined)
      call.era.answered(call)
    } catch (error) {
      this.#fail(call, error)
    }
  }

  #resultFrame(call: InboundCall, result: Body | Serialised): string {
    const text = call.era.resultText(call, result ?? {})
    const { maxSentBytes } = this.#core.settings.limits
    if (!exceedsBytes(text, maxSentBytes)) return text
    throw new ParleyError('result_too_large', { message: `The result is longer than ${maxSentBytes} bytes` })
  }

  #fail(call: InboundCall, thrown: unknown): void {
    if (call.cancelled) return this.#forget(call)
    const error = toParleyError(thrown)
    this.#core.stats.of(call.method).failed++
    if (error.kind === 'internal_error') this.#core.reportError(error.cause ?? error, `answering ${call.method}`)
    const text = this.#errorFrame(call.id, error, call.era.version)
    this.#answered(call, text, undefined, call.era.statusOf(call, error))
  }

  #answered(call: InboundCall, text: string, kept?: Serialised, status?: ErrorStatus): void {
    call.answered = true
    this.#deliver(call.key, text, call.reply, kept, status)
    this.#forget(call)
  }

  #forget(call: InboundCall): void {
    // A request that was answered at once was never listed, and its id may already be in use again.
    if (this.#inFlight.get(call.key) === call) {
      this.#inFlight.delete(call.key)
      if (this.#inFlight.size === 0) this.#onBusy?.(false)
    }
    if (call.cancelled && call.charge !== undefined) this.#core.linger(call.charge)
    call.settle()
    this.#idleNow()
  }

  #idleNow(): void {
    if (this.#onIdle === undefined || this.size > 0) return
    this.#onIdle()
    this.#onIdle = undefined
  }

  #errorFrame(id: RequestId, error: ParleyError, version = this.#core.version): string {
    const wire = error.toWire(version)
    try {
      return errorText(id, wire)
    } catch {
      return errorText(id, { code: wire.code, message: wire.message })
    }
  }

  #skip(id: RequestId, reply: Reply | undefined): void {
    if (reply === undefined) this.#core.link.abandon?.(id)
    else reply.skip(id)
  }

  #deliver(key: RequestId, text: string, reply: Reply | undefined, kept?: Serialised, status?: ErrorStatus): void {
    if (reply !== undefined) return reply.answer(key, text)
    const options: SendOptions = { relatedTo: key, final: true, ...status }
    if (kept !== undefined) options.kept = kept
    this.#core.trySend(text, options)
  }
}

function keyOf({ message, era }: AcceptedRequest): RequestId {
  return era.keyOf(message.id)
}

/** Undefined for sessions that do not report losses by request. */
function lossesOf({ onRequestLoss }: SessionCore, request: AcceptedRequest): ((loss: Loss) => void) | undefined {
  return onRequestLoss && ((loss) => onRequestLoss(keyOf(request), loss))
}

function isPromise(value: unknown): value is Promise<Answer> {
  return typeof (value as { then?: unknown } | undefined)?.then === 'function'
}
