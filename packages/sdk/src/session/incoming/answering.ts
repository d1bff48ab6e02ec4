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
import type { Leg } from '../asking/parked-call.ts'
import { isRetry } from '../asking/parking.ts'
import { pushRounds } from '../asking/push-rounds.ts'
import type { SessionCore } from '../core.ts'
import { type Answer, InputRequired } from '../endpoint.ts'
import { statusFor, statusOfAnswer, type ToldStatus } from '../eras/stateless/status.ts'
import { costOf } from '../memory.ts'
import { endedUnanswered, shutDownUnanswered } from '../outgoing/request-errors.ts'
import type { Route } from '../routes.ts'
import type { Session } from '../session.ts'
import { relatedTaskOf, relatedTo } from '../tasks/related.ts'
import type { Reply } from './batch-reply.ts'
import { InboundCall, type Spoken } from './inbound-call.ts'

export interface InFlight {
  readonly id: RequestId
  readonly method: string
  readonly startedAt: number
}

/** Shared by all sessions that answer nothing at the moment: most do most of the time. */
const NONE = new IdTable<InboundCall>()

/** Most times a handler is run again for a client that can be asked directly. */
const MAX_PUSH_ROUNDS = 32

/** A request, and what is known of it. */
export interface Taken {
  readonly message: RequestMessage
  readonly reply: Reply | undefined
  readonly spoken: Spoken | undefined
  readonly route: Route
  /** Of the text it was read from; undefined for one of a batch. */
  readonly length: number | undefined
  readonly origin: FrameOrigin | undefined
  readonly owner: unknown
  readonly within: boolean
}

/** A request that waits because the session is paused. */
interface Held extends Taken {
  readonly charge: Charge
}

export class Answering {
  readonly #core: SessionCore
  readonly #session: Session
  #inFlight = NONE
  #waiting: Held[] | undefined
  #preparing = 0
  #onIdle: (() => void) | undefined
  /** Told when the first of several answers takes time, and when the last is given. */
  readonly #onBusy: ((busy: boolean) => void) | undefined

  constructor(core: SessionCore, session: Session, onBusy?: (busy: boolean) => void) {
    this.#core = core
    this.#session = session
    this.#onBusy = onBusy
  }

  get size(): number {
    return this.#inFlight.size + (this.#waiting?.length ?? 0) + this.#preparing
  }

  /**
   * Something has to be found out before a request can be taken: until the returned function is called, it counts as
   * one that is being answered. What is done with it then, `decide` does.
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

  /** Takes a request that phase and guard have let through. */
  take(taken: Taken): void {
    const budget = this.#core.budgetFor(taken.origin)
    const cost = costOf(taken.message.params, taken.length)
    // What brings answers for a call that waits lets that one end.
    const isUrgent = isRetry(taken.message) || undefined
    const objection = this.objection(keyOf(taken)) ?? this.#core.noRoom(budget, cost, taken.message.method, isUrgent)
    if (objection !== undefined) return this.#refuse(taken, objection)
    if (!this.#core.paused) return this.#run(taken, budget, cost)
    this.#waiting ??= []
    this.#waiting.push({ ...taken, charge: new Charge(budget, cost) })
  }

  /** Why a request cannot be taken by that key, if so; `others` are those that wait somewhere else. */
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

  /** Runs what waited while the session was paused. */
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

  /** There is no time left: whatever is being answered gets an error instead, while the peer can still be told. */
  giveUp(): void {
    for (const held of this.#waiting?.splice(0) ?? []) {
      held.charge.give()
      this.#refuse(held, unanswered(held.spoken))
    }
    for (const call of this.#inFlight.values()) {
      this.#fail(call, unanswered(call.spoken))
      call.cancel('The session has ended')
    }
  }

  /** Aborts everything: the peer is gone or has been told to expect nothing. */
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

  /**
   * In the stateless era the link may know a request by another name than its id, and some errors have an HTTP status.
   */
  refuseStateless(id: RequestId, key: RequestId, error: ParleyError): void {
    this.#deliver(key, this.#errorFrame(id, error, newestVersion), undefined, undefined, statusFor(error))
  }

  succeedStateless(id: RequestId, { key }: Spoken, kept: Serialised): void {
    this.#deliver(key, resultText(id, kept), undefined, kept)
  }

  /** How a call is answered that asks something while its first request waits. */
  legOf(call: InboundCall): Leg {
    return { settle: (answer) => this.#finish(call, answer), fail: (error) => this.#fail(call, error) }
  }

  #run(held: Taken, budget: ByteBudget, cost: number): void {
    const { message, reply, spoken, route, owner, within } = held
    const core = this.#core
    core.stats.of(message.method).received++
    let call: InboundCall | undefined
    const charge = new Charge(budget, cost)
    try {
      const params =
        route.paramsUp === undefined
          ? message.params
          : core.translate(route.paramsUp, message.params, core.requestContext(undefined, lossesOf(core, held)))
      call = new InboundCall(message.id, route, params ?? {}, this.#session, core.lastReceivedAt, reply, spoken)
      call.owner = owner
      call.budget = budget
      call.cost = cost
      call.within = within
      if (core.onRequestLoss !== undefined) call.tellLosses(core.onRequestLoss)
      if (message.params !== undefined) call.sent = message.params
      if (spoken !== undefined && isRetry(message))
        return this.#await(call, spoken.engine.parking.comeBack(call), charge)
      const outcome = core.endpoint.answer(call)
      if (isPromise(outcome)) return this.#await(call, outcome, charge)
      charge.give()
      this.#returned(call, outcome)
    } catch (error) {
      charge.give()
      if (call === undefined) this.#refuse(held, toParleyError(error))
      else this.#threw(call, error)
    }
  }

  #refuse({ message, reply, spoken }: Taken, error: ParleyError): void {
    if (spoken === undefined) this.refuse(message.id, error, reply)
    else this.refuseStateless(message.id, spoken.key, error)
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

  /** A call that has asked something is answered on the request that is open by now. */
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
    const { spoken } = call
    // What it asked before is behind it.
    call.parked = undefined
    const begin = (again: InboundCall): Answer | Promise<Answer> => this.#core.endpoint.answer(again)
    const outcome =
      spoken === undefined
        ? pushRounds(call, required, MAX_PUSH_ROUNDS, begin)
        : spoken.engine.parking.shownState(call, required)
    this.#await(call, outcome, new Charge(call.budget as ByteBudget, call.cost))
  }

  #finish(call: InboundCall, result: Answer): void {
    if (call.cancelled) return this.#forget(call)
    if (result instanceof InputRequired) return this.#askFirst(call, result)
    try {
      const text = this.#resultFrame(call, result)
      this.#answered(call, text, result instanceof Serialised && result.kept ? result : undefined)
      call.spoken?.engine.answered(call)
    } catch (error) {
      this.#fail(call, error)
    }
  }

  #resultFrame(call: InboundCall, result: Body | Serialised): string {
    const { resultDown } = call.route
    let body: Body | Serialised = call.spoken === undefined ? markedAsTask(call, result ?? {}) : (result ?? {})
    if (resultDown !== undefined && !(body instanceof Serialised)) {
      body = this.#core.translate(resultDown, body, this.#core.requestContext(call.params, call.onLoss)) ?? {}
    }
    const plain = call.spoken === undefined || body instanceof Serialised
    const text = plain
      ? resultText(call.id, body)
      : (call.spoken as Spoken).engine.framing.resultText(call.id, call.method, body as Body)
    const { maxSentBytes } = this.#core.settings.limits
    if (!exceedsBytes(text, maxSentBytes)) return text
    throw new ParleyError('result_too_large', { message: `The result is longer than ${maxSentBytes} bytes` })
  }

  #fail(call: InboundCall, thrown: unknown): void {
    if (call.cancelled) return this.#forget(call)
    const error = toParleyError(thrown)
    this.#core.stats.of(call.method).failed++
    if (error.kind === 'internal_error') this.#core.reportError(error.cause ?? error, `answering ${call.method}`)
    const { spoken } = call
    if (spoken === undefined) return this.#answered(call, this.#errorFrame(call.id, error))
    const told = call.route.info === undefined ? statusFor(error) : statusOfAnswer(error)
    this.#answered(call, this.#errorFrame(call.id, error, spoken.envelope.version), undefined, told)
  }

  #answered(call: InboundCall, text: string, kept?: Serialised, told?: ToldStatus): void {
    call.answered = true
    this.#deliver(call.key, text, call.reply, kept, told)
    this.#forget(call)
  }

  #forget(call: InboundCall): void {
    // Requests answered on the spot were never listed, and an id may already be in use again.
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

  #deliver(key: RequestId, text: string, reply: Reply | undefined, kept?: Serialised, told?: ToldStatus): void {
    if (reply !== undefined) return reply.answer(key, text)
    const options: SendOptions = { relatedTo: key, final: true, ...told }
    if (kept !== undefined) options.kept = kept
    this.#core.trySend(text, options)
  }
}

/** C-25: what belongs to a task says so, in both directions; requests about a task name it anyway. */
function markedAsTask({ params, method }: InboundCall, result: Body | Serialised): Body | Serialised {
  if (params['_meta'] === undefined || result instanceof Serialised) return result
  const taskId = relatedTaskOf(params)
  return taskId === undefined || method.startsWith('tasks/') ? result : relatedTo(taskId, result)
}

function keyOf({ message, spoken }: Taken): RequestId {
  return spoken?.key ?? message.id
}

/** Made here, so that those who keep no account of it need nothing to keep it in. */
function lossesOf({ onRequestLoss }: SessionCore, held: Taken): ((loss: Loss) => void) | undefined {
  return onRequestLoss && ((loss) => onRequestLoss(keyOf(held), loss))
}

function unanswered(spoken: Spoken | undefined): ParleyError {
  return spoken === undefined ? endedUnanswered() : shutDownUnanswered()
}

function isPromise(value: unknown): value is Promise<Answer> {
  return typeof (value as { then?: unknown } | undefined)?.then === 'function'
}
