/** One call that has asked its client questions and waits for the request that brings the answers. */
import { type ByteBudget, Charge } from '../../collections/index.ts'
import { ParleyError, toParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { type QuestionsEffect, type QuestionsEvent, type QuestionsState, stepQuestions } from '../../versions/index.ts'
import type { Clock } from '../clock.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { Answer } from '../endpoint.ts'
import type { InboundCall, KeptProgress, SuspendedCall } from '../incoming/inbound-call.ts'
import { costOf } from '../memory/budgets.ts'
import type { RequestOptions } from '../request-options.ts'
import { undeclared } from './question.ts'
import { afterTurns } from './turns.ts'

/** Most times that `gather` is waited for before questions are shown. */
const MOST_GATHERED = 10

/** One question that waits for its answer. */
class Question {
  /** When the question times out. */
  deadline: number | undefined
  readonly key: string
  readonly method: string
  #unfollow: (() => void) | undefined
  readonly #resolve: (answer: Body) => void
  readonly #reject: (error: unknown) => void

  constructor(key: string, method: string, resolve: (answer: Body) => void, reject: (error: unknown) => void) {
    this.key = key
    this.method = method
    this.#resolve = resolve
    this.#reject = reject
  }

  follow(signal: AbortSignal, onAbort: () => void): void {
    signal.addEventListener('abort', onAbort, { once: true })
    this.#unfollow = () => signal.removeEventListener('abort', onAbort)
  }

  resolve(answer: Body): void {
    this.#unfollow?.()
    this.#resolve(answer)
  }

  reject(error: unknown): void {
    this.#unfollow?.()
    this.#reject(error)
  }
}

/** Answers the request that is open now. Each request of the client that brings answers begins another round. */
export interface Round {
  settle(answer: Answer): void
  fail(error: unknown): void
}

/** What a parked call needs of the place where it waits. */
export interface ParkingPlace {
  readonly clock: Clock
  readonly now: number
  /** How long to wait for more questions, in milliseconds. */
  readonly gather: number
  timeLeft(call: ParkedCall): number
  wakeAt(moment: number): void
  /** The answer that shows the questions. */
  shown(call: ParkedCall, sequence: number, questions: Readonly<Record<string, unknown>>): Promise<Body>
  forget(call: ParkedCall): void
}

/** Most notifications that are kept while the client has no request open. More are dropped. */
const MAX_NOTIFICATIONS = 100

export class ParkedCall implements SuspendedCall {
  /** Unique within its session. */
  readonly id: number
  readonly call: InboundCall
  readonly #parking: ParkingPlace
  /** A list, because it takes less memory than a map, and calls may wait long. */
  #waiting: Question[] = []
  #state: QuestionsState
  #round: Round | undefined
  /** Repetitions of the open request. They get the same outcome. */
  #joined: InboundCall[] | undefined
  #outcome: { answer: Answer } | { error: unknown } | undefined
  #pausing = false
  #gathering: { readonly until: number; stop: () => void } | undefined
  #isExhausted = false
  /** When the client must be back. Infinite while its request waits here. */
  #expiresAt = Number.POSITIVE_INFINITY
  #progress: KeptProgress | undefined
  #notifications: { method: string; params: Body | undefined; charge: Charge }[] | undefined
  #unnamed = 0

  constructor(parking: ParkingPlace, id: number, call: InboundCall, round: Round, start: QuestionsState) {
    this.#parking = parking
    this.id = id
    this.call = call
    this.#round = round
    this.#state = start
  }

  get beganAt(): number {
    return this.call.startedAt
  }

  get waits(): boolean {
    return this.#round === undefined
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
      if (signal !== undefined) question.follow(signal, () => this.#withdraw(name, signal.reason))
      // Without a deadline of its own the question ends with the call, as if the user had cancelled it.
      const limit = Math.min(timeoutOf(timeout), timeoutOf(maxTimeout))
      if (limit < this.#parking.timeLeft(this)) {
        question.deadline = this.#parking.now + limit
        this.#parking.wakeAt(question.deadline)
      }
      this.pauseSoon()
    })
  }

  /** Continues with the answers of a request. Throws when they are for another round. */
  comeBack(sequence: number, request: InboundCall, round: Round): void {
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
    this.#round = round
    this.#joined = undefined
    this.#state = state
    this.#follow(request, round)
    this.call.continueAs(request)
    for (const effect of effects) this.#carryOut(effect)
    if (this.#outcome !== undefined) return this.#settle()
    this.#tellKept()
    this.pauseSoon()
  }

  /** Adds a repetition of the open request: the client may have lost the first one. */
  join(sequence: number, request: InboundCall): void {
    if (this.#round === undefined || sequence !== this.#state.sequence) return
    this.#joined ??= []
    this.#joined.push(request)
    this.#follow(request, this.#round)
  }

  /** The handler has returned, with or without waiting for its answers. */
  handlerReturned(answer: Answer): void {
    this.#outcome ??= { answer }
    if (this.#round !== undefined) this.#settle()
  }

  handlerThrew(error: unknown): void {
    this.#outcome ??= { error }
    if (this.#round !== undefined) this.#settle()
  }

  cancel(reason: string): void {
    const round = this.#round
    this.#round = undefined
    this.call.cancel(reason)
    this.#over()
    // Repetitions of the request would wait for ever.
    round?.fail(new ParleyError('request_cancelled', { message: reason }))
  }

  /** The client did not come back in time. Its questions are answered as if the user had cancelled them. */
  expire(): void {
    // Before the call is cancelled, so that its questions get the answer `cancel` and not an error.
    this.#do({ type: 'expire' })
    this.cancel('The client did not come back with answers')
  }

  /** The next moment at which a question or the call times out. */
  get deadline(): number {
    let next = this.#expiresAt
    for (const { deadline } of this.#waiting) if (deadline !== undefined && deadline < next) next = deadline
    return next
  }

  /** Gives up what has timed out. */
  tick(now: number): void {
    for (const { key, method, deadline } of [...this.#waiting]) {
      if (deadline !== undefined && deadline <= now)
        this.#withdraw(
          key,
          new ParleyError('request_timeout', { message: `"${key}" (${method}) was not answered in time` }),
        )
    }
    if (this.#expiresAt <= now) this.expire()
  }

  keepProgress(progress: KeptProgress): void {
    if (this.#progress === undefined || progress.progress > this.#progress.progress) this.#progress = progress
  }

  keepNotification(method: string, params: Body | undefined): void {
    this.#notifications ??= []
    const budget = this.call.budget as ByteBudget
    const cost = costOf(params)
    if (this.#notifications.length >= MAX_NOTIFICATIONS || budget.fullFor(cost) !== undefined) return
    this.#notifications.push({ method, params, charge: new Charge(budget, cost) })
  }

  /** Shows the open questions after the handler has had its turns, unless there is an answer. */
  pauseSoon(): void {
    if (this.#parking.gather > 0) return this.#gather()
    if (this.#pausing) return
    this.#pausing = true
    afterTurns(() => this.#pause())
  }

  /** Waits for more questions. */
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
    if (this.#round === undefined || this.#outcome !== undefined) return
    this.#withdrawUndeclared()
    this.#do({ type: 'pause' })
  }

  /** This request may declare fewer capabilities than the one before. */
  #withdrawUndeclared(): void {
    for (const { key, method } of [...this.#waiting]) {
      const missing = undeclared(this.call.caller, method)
      if (missing !== undefined) this.#withdraw(key, missing)
    }
  }

  /** Cancels or ends the call with the request, as long as the call is answered on it. */
  #follow(request: InboundCall, round: Round): void {
    const isAnswered = (): boolean => this.call.key === request.key
    request.onCancel((reason) => {
      if (this.#round === round && isAnswered()) this.#requestGone(reason)
    })
    request.afterAnswer(() => {
      if (!isAnswered()) return
      this.call.answered = true
      this.call.settle()
    })
  }

  /** The client has given up the open request. The call goes on if the client has made the request twice. */
  #requestGone(reason: string): void {
    let next = this.#joined?.shift()
    while (next?.cancelled || next?.answered) next = this.#joined?.shift()
    if (next === undefined) this.cancel(reason)
    else this.call.continueAs(next)
  }

  #withdraw(key: string, reason: unknown): void {
    this.#take(key)?.reject(reason)
    this.#do({ type: 'withdraw', key })
  }

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
    const round = this.#round as Round
    this.#round = undefined
    this.#joined = undefined
    this.call.suspend()
    this.#expiresAt = this.#parking.now + this.#parking.timeLeft(this)
    this.#parking.wakeAt(this.#expiresAt)
    this.#parking.shown(this, sequence, questions).then(
      (body) => round.settle(body),
      (error) => round.fail(error),
    )
  }

  /** An unanswered question is never taken for a yes. */
  #giveUp(key: string, method: string): void {
    const waiting = this.#take(key)
    if (method === 'elicitation/create') return waiting?.resolve({ action: 'cancel' })
    const kind = method === 'sampling/createMessage' ? 'user_rejected' : 'internal_error'
    waiting?.reject(new ParleyError(kind, { message: `"${key}" (${method}) was not answered` }))
  }

  #exhausted(): void {
    const error = new ParleyError('internal_error', { message: 'The call asked its client too many times' })
    this.#rejectAll(error)
    // The handler may ask again after each error, without end.
    if (this.#isExhausted) this.handlerThrew(error)
    this.#isExhausted = true
  }

  #settle(): void {
    const [round, outcome] = [this.#round as Round, this.#outcome]
    this.#over()
    if (outcome === undefined) return
    if ('answer' in outcome) round.settle(outcome.answer)
    else round.fail(toParleyError(outcome.error))
  }

  #over(): void {
    this.#gathering?.stop()
    this.#takeNotifications()
    this.#expiresAt = Number.POSITIVE_INFINITY
    this.#do({ type: 'end' })
    this.#parking.forget(this)
    this.#rejectAll(
      this.call.cancelReason ??
        new ParleyError('request_cancelled', { message: 'The call was over before the question was answered' }),
    )
  }

  #takeNotifications(): readonly { method: string; params: Body | undefined }[] {
    const notifications = this.#notifications ?? []
    this.#notifications = undefined
    for (const { charge } of notifications) charge.give()
    return notifications
  }

  /** Sends what was kept, on the request that is open now. */
  #tellKept(): void {
    const progress = this.#progress
    this.#progress = undefined
    for (const { method, params } of this.#takeNotifications()) this.call.notify(method, params)
    if (progress !== undefined) this.call.progress(progress.progress, progress.total, progress.message, progress.more)
  }
}

function timeoutOf(timeout: Duration | undefined): number {
  return timeout === undefined ? Number.POSITIVE_INFINITY : milliseconds(timeout)
}
