/** One call that has asked its client something and waits, suspended, for the request that brings the answers (8.2). */
import { type ByteBudget, Charge } from '../../collections/index.ts'
import { ParleyError, toParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { type QuestionsEffect, type QuestionsEvent, type QuestionsState, stepQuestions } from '../../versions/index.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { Answer } from '../endpoint.ts'
import type { InboundCall } from '../incoming/inbound-call.ts'
import { costOf } from '../memory.ts'
import type { RequestOptions } from '../options.ts'
import type { Parking } from './parking.ts'
import { undeclared } from './question.ts'
import { afterTurns } from './turns.ts'

/** A client is not kept waiting for longer than this many times the time between two questions. */
const MOST_GATHERED = 10

/** One question that waits for its answer. */
class Question {
  /** When the asker has waited long enough. */
  deadline: number | undefined
  readonly key: string
  readonly method: string
  #disobey: (() => void) | undefined
  readonly #resolve: (answer: Body) => void
  readonly #reject: (error: unknown) => void

  constructor(key: string, method: string, resolve: (answer: Body) => void, reject: (error: unknown) => void) {
    this.key = key
    this.method = method
    this.#resolve = resolve
    this.#reject = reject
  }

  obey(signal: AbortSignal, onAbort: () => void): void {
    signal.addEventListener('abort', onAbort, { once: true })
    this.#disobey = () => signal.removeEventListener('abort', onAbort)
  }

  resolve(answer: Body): void {
    this.#disobey?.()
    this.#resolve(answer)
  }

  reject(error: unknown): void {
    this.#disobey?.()
    this.#reject(error)
  }
}

/** Where the outcome of the present leg goes: the answer to one request. */
export interface Leg {
  settle(answer: Answer): void
  fail(error: unknown): void
}

export interface KeptProgress {
  progress: number
  total: number | undefined
  message: string | undefined
  more: Body | undefined
}

/** Notices that came while nobody listened; more are dropped. */
const MAX_NOTICES = 100

export class ParkedCall {
  /** Unique where it waits. */
  readonly id: number
  readonly call: InboundCall
  readonly #parking: Parking
  /** Few, and held for long by many calls: a list takes less than a map. */
  #waiting: Question[] = []
  #state: QuestionsState
  #leg: Leg | undefined
  /** Requests that were made twice, and wait for the same outcome as the leg. */
  #joined: InboundCall[] | undefined
  #outcome: { answer: Answer } | { error: unknown } | undefined
  #pausing = false
  #gathering: { readonly until: number; stop: () => void } | undefined
  #isExhausted = false
  /** Until when the client may come back; never reached while its request waits here. */
  #expiresAt = Number.POSITIVE_INFINITY
  #progress: KeptProgress | undefined
  #notices: { method: string; params: Body | undefined; charge: Charge }[] | undefined
  #unnamed = 0

  constructor(parking: Parking, id: number, call: InboundCall, leg: Leg, start: QuestionsState) {
    this.#parking = parking
    this.id = id
    this.call = call
    this.#leg = leg
    this.#state = start
  }

  get beganAt(): number {
    return this.call.startedAt
  }

  /** True while the client has the questions and no request of its waits here. */
  get waits(): boolean {
    return this.#leg === undefined
  }

  ask(method: string, params: Body | undefined, { key, signal, timeout, maxTimeout }: RequestOptions): Promise<Body> {
    const name = key ?? `question-${++this.#unnamed}`
    return new Promise((resolve, reject) => {
      if (this.call.cancelled) return reject(this.call.cancelReason)
      if (signal?.aborted) return reject(signal.reason)
      const [state, effects] = stepQuestions(this.#state, { type: 'ask', key: name, method, params })
      const refused = effects.find((effect) => effect.type === 'refuseQuestion')
      if (refused?.type === 'refuseQuestion') return reject(new TypeError(refused.reason))
      this.#state = state
      const question = new Question(name, method, resolve, reject)
      this.#waiting.push(question)
      if (signal !== undefined) question.obey(signal, () => this.#withdraw(name, signal.reason))
      // One that may wait as long as the whole call ends with it, and is answered as if the user had turned away.
      const patience = Math.min(patienceOf(timeout), patienceOf(maxTimeout))
      if (patience < this.#parking.timeLeft(this)) {
        question.deadline = this.#parking.now + patience
        this.#parking.wakeAt(question.deadline)
      }
      this.pauseSoon()
    })
  }

  /** The client has come back. Throws when it may not; else the leg is settled when there is something to say. */
  comeBack(sequence: number, request: InboundCall, leg: Leg): void {
    const [state, effects] = stepQuestions(this.#state, {
      type: 'retry',
      sequence,
      responses: request.params['inputResponses'],
    })
    const refused = effects.find((effect) => effect.type === 'refuse')
    if (refused !== undefined || effects.some((effect) => effect.type === 'join')) {
      this.#state = state
      throw new ParleyError('request_state_invalid', {
        message: refused?.type === 'refuse' ? refused.reason : 'This round was answered before',
      })
    }
    this.#expiresAt = Number.POSITIVE_INFINITY
    this.#leg = leg
    this.#joined = undefined
    this.#state = state
    this.#follow(request, leg)
    if (request.spoken !== undefined) this.call.continueAs(request.id, request.spoken)
    for (const effect of effects) this.#carryOut(effect)
    if (this.#outcome !== undefined) return this.#settle()
    this.#tellKept()
    this.pauseSoon()
  }

  /**
   * The client has made the request of the present leg once more: perhaps it does not get the answer to the first any
   * more.
   */
  join(sequence: number, request: InboundCall): void {
    if (this.#leg === undefined || sequence !== this.#state.sequence) return
    this.#joined ??= []
    this.#joined.push(request)
    this.#follow(request, this.#leg)
  }

  /** The handler is through, with or without having waited for its answers. */
  handlerReturned(answer: Answer): void {
    this.#outcome ??= { answer }
    if (this.#leg !== undefined) this.#settle()
  }

  handlerThrew(error: unknown): void {
    this.#outcome ??= { error }
    if (this.#leg !== undefined) this.#settle()
  }

  cancel(reason: string): void {
    const leg = this.#leg
    this.#leg = undefined
    this.call.cancel(reason)
    this.#over()
    // Whoever has joined the leg would wait for ever.
    leg?.fail(new ParleyError('request_cancelled', { message: reason }))
  }

  /** Nobody came back in time: what was asked is answered as if the user had turned away. */
  expire(): void {
    // Before the call is cancelled: its questions are to get the answer of somebody who turned away, not an error.
    this.#do({ type: 'expire' })
    this.cancel('The client did not come back with answers')
  }

  /** The next moment at which something of it is out of time. */
  get deadline(): number {
    let next = this.#expiresAt
    for (const { deadline } of this.#waiting) if (deadline !== undefined && deadline < next) next = deadline
    return next
  }

  /** Gives up what is out of time. */
  tick(now: number): void {
    for (const { key, method, deadline } of [...this.#waiting]) {
      if (deadline !== undefined && deadline <= now)
        this.#withdraw(
          key,
          new ParleyError('request_timeout', { message: `Nobody answered "${key}" (${method}) in time` }),
        )
    }
    if (this.#expiresAt <= now) this.expire()
  }

  keepProgress(progress: KeptProgress): void {
    if (this.#progress === undefined || progress.progress > this.#progress.progress) this.#progress = progress
  }

  keepNotice(method: string, params: Body | undefined): void {
    this.#notices ??= []
    const budget = this.call.budget as ByteBudget
    const cost = costOf(params)
    if (this.#notices.length >= MAX_NOTICES || budget.fullFor(cost) !== undefined) return
    this.#notices.push({ method, params, charge: new Charge(budget, cost) })
  }

  /** Once the handler has had its turn, what is open is shown, unless there is an answer. */
  pauseSoon(): void {
    if (this.#parking.gather > 0) return this.#gather()
    if (this.#pausing) return
    this.#pausing = true
    afterTurns(() => this.#pause())
  }

  /** Each question that comes may be followed by another. */
  #gather(): void {
    const { now, gather, clock } = this.#parking
    this.#gathering ??= { until: now + MOST_GATHERED * gather, stop: () => {} }
    this.#gathering.stop()
    this.#gathering.stop = clock.after(Math.max(0, Math.min(gather, this.#gathering.until - now)), () => {
      this.#gathering = undefined
      this.#pause()
    })
  }

  #pause(): void {
    this.#pausing = false
    if (this.#leg === undefined || this.#outcome !== undefined) return
    this.#withdrawUndeclared()
    this.#do({ type: 'pause' })
  }

  /** The request of this leg may declare less than the one before. */
  #withdrawUndeclared(): void {
    for (const { key, method } of [...this.#waiting]) {
      const missing = undeclared(this.call.caller, method)
      if (missing !== undefined) this.#withdraw(key, missing)
    }
  }

  /** What becomes of a request that waits for the leg concerns the call as long as it is the one to be answered. */
  #follow(request: InboundCall, leg: Leg): void {
    const isAnswered = (): boolean => this.call.key === request.key
    request.onCancel((reason) => {
      if (this.#leg === leg && isAnswered()) this.#legGone(reason)
    })
    request.afterAnswer(() => {
      if (!isAnswered()) return
      this.call.answered = true
      this.call.settle()
    })
  }

  /**
   * The request that was to bring the outcome was given up by its client. Unless it was made twice, nobody waits for
   * the call any more.
   */
  #legGone(reason: string): void {
    let next = this.#joined?.shift()
    while (next?.cancelled || next?.answered) next = this.#joined?.shift()
    if (next?.spoken === undefined) this.cancel(reason)
    else this.call.continueAs(next.id, next.spoken)
  }

  #withdraw(key: string, reason: unknown): void {
    this.#take(key)?.reject(reason)
    this.#do({ type: 'withdraw', key })
  }

  /** What is taken is no longer waited for. */
  #take(key: string): Question | undefined {
    const question = this.#waiting.find((each) => each.key === key)
    if (question !== undefined) this.#waiting = this.#waiting.filter((each) => each !== question)
    return question
  }

  #rejectAll(error: ParleyError): void {
    for (const { key } of [...this.#waiting]) this.#take(key)?.reject(error)
  }

  #do(event: QuestionsEvent): void {
    const [state, effects] = stepQuestions(this.#state, event)
    this.#state = state
    for (const effect of effects) this.#carryOut(effect)
  }

  #carryOut(effect: QuestionsEffect): void {
    switch (effect.type) {
      case 'show':
        return this.#show(effect)
      case 'deliver':
        return this.#take(effect.key)?.resolve(effect.response)
      case 'giveUp':
        return this.#giveUp(effect.key, effect.method)
      case 'exhausted':
        return this.#exhausted()
    }
  }

  #show({ sequence, questions }: Extract<QuestionsEffect, { type: 'show' }>): void {
    const leg = this.#leg as Leg
    this.#leg = undefined
    this.#joined = undefined
    this.call.suspend()
    this.#expiresAt = this.#parking.now + this.#parking.timeLeft(this)
    this.#parking.wakeAt(this.#expiresAt)
    this.#parking.shown(this, sequence, questions).then(
      (body) => leg.settle(body),
      (error) => leg.fail(error),
    )
  }

  /** An unanswered question is never taken for a yes. */
  #giveUp(key: string, method: string): void {
    const waiting = this.#take(key)
    if (method === 'elicitation/create') return waiting?.resolve({ action: 'cancel' })
    const kind = method === 'sampling/createMessage' ? 'user_rejected' : 'internal_error'
    waiting?.reject(new ParleyError(kind, { message: `Nobody answered "${key}" (${method})` }))
  }

  #exhausted(): void {
    const error = new ParleyError('internal_error', { message: 'The call asked its client too many times' })
    this.#rejectAll(error)
    // A handler that asks again whatever happens would do so for ever.
    if (this.#isExhausted) this.handlerThrew(error)
    this.#isExhausted = true
  }

  #settle(): void {
    const [leg, outcome] = [this.#leg as Leg, this.#outcome]
    this.#over()
    if (outcome === undefined) return
    if ('answer' in outcome) leg.settle(outcome.answer)
    else leg.fail(toParleyError(outcome.error))
  }

  #over(): void {
    this.#gathering?.stop()
    this.#takeNotices()
    this.#expiresAt = Number.POSITIVE_INFINITY
    this.#do({ type: 'end' })
    this.#parking.forget(this)
    this.#rejectAll(
      this.call.cancelReason ??
        new ParleyError('request_cancelled', { message: 'The call was over before the question was answered' }),
    )
  }

  /** They are kept no longer. */
  #takeNotices(): readonly { method: string; params: Body | undefined }[] {
    const notices = this.#notices ?? []
    this.#notices = undefined
    for (const { charge } of notices) charge.give()
    return notices
  }

  /** What happened meanwhile is told on the request that is open now. */
  #tellKept(): void {
    const progress = this.#progress
    this.#progress = undefined
    for (const { method, params } of this.#takeNotices()) this.call.notify(method, params)
    if (progress !== undefined) this.call.progress(progress.progress, progress.total, progress.message, progress.more)
  }
}

function patienceOf(timeout: Duration | undefined): number {
  return timeout === undefined ? Number.POSITIVE_INFINITY : milliseconds(timeout)
}
