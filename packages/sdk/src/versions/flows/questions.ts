/**
 * One call that asks its client, round by round: which questions are open, what is shown, and what comes of the answers
 * (D-06, D-20).
 */
import type { Body } from '../../jsonrpc/index.ts'
import { isAnswer, type Question, quoted, responseTo } from './question-shapes.ts'

export interface OpenQuestion extends Question {
  /** Answers so far that could not be used. */
  readonly malformed: number
  /** The client has seen it. What it says to questions it cannot know is ignored. */
  readonly shown: boolean
}

export interface QuestionsLimits {
  readonly maxRounds: number
  /** Most questions of one call, those that are over included. Default 1000. */
  readonly maxQuestions?: number
}

export interface QuestionsState {
  /** Rounds shown so far. */
  readonly sequence: number
  /** `running`: the asker works, and a request of the client waits for it. `parked`: it is the client's turn. */
  readonly stage: 'running' | 'parked' | 'over'
  readonly open: ReadonlyMap<string, OpenQuestion>
  /** Every key that was ever used. */
  readonly asked: readonly string[]
  readonly limits: Required<QuestionsLimits>
}

export type QuestionsEvent =
  | { readonly type: 'ask'; readonly key: string; readonly method: string; readonly params: Body | undefined }
  /** The asker can say no more for now. */
  | { readonly type: 'pause' }
  /** The client came back; `sequence` is the round it has seen, `responses` whatever it sent. */
  | { readonly type: 'retry'; readonly sequence: number; readonly responses: unknown }
  /** The asker no longer wants to know. */
  | { readonly type: 'withdraw'; readonly key: string }
  /** The client took too long. */
  | { readonly type: 'expire' }
  /** The handler has returned. Open questions are dropped. */
  | { readonly type: 'end' }

export type QuestionsEffect =
  | {
      readonly type: 'show'
      readonly sequence: number
      readonly questions: Readonly<Record<string, { method: string; params?: Body }>>
    }
  | { readonly type: 'deliver'; readonly key: string; readonly response: Body }
  /** The answers of this round were taken before: the request is to get the outcome of the open round. */
  | { readonly type: 'join'; readonly sequence: number }
  /** The retry is an error (-32602). */
  | { readonly type: 'refuse'; readonly reason: string }
  /** The question stays without an answer. Each method has its own form of that, but never a yes. */
  | { readonly type: 'giveUp'; readonly key: string; readonly method: string }
  /** No further round is allowed; `giveUp` follows for every question that is open. */
  | { readonly type: 'exhausted' }
  /** The question is not taken. `key` may be that of an earlier question, which is not touched. */
  | { readonly type: 'refuseQuestion'; readonly key: string; readonly reason: string }

export type QuestionsStep = readonly [state: QuestionsState, effects: readonly QuestionsEffect[]]

const MAX_QUESTIONS = 1000
/** An answer that cannot be used is asked for again so often. */
const MAX_MALFORMED = 1
const NOTHING: ReadonlyMap<string, OpenQuestion> = new Map()

export function beginQuestions({ maxRounds, maxQuestions = MAX_QUESTIONS }: QuestionsLimits): QuestionsState {
  return { sequence: 0, stage: 'running', open: NOTHING, asked: [], limits: { maxRounds, maxQuestions } }
}

export function stepQuestions(state: QuestionsState, event: QuestionsEvent): QuestionsStep {
  switch (event.type) {
    case 'ask':
      return ask(state, event)
    case 'pause':
      return pause(state)
    case 'retry':
      return retry(state, event)
    case 'withdraw':
      return state.open.has(event.key) ? [{ ...state, open: without(state.open, event.key) }, []] : [state, []]
    case 'expire':
      return [over(state), givenUp(state)]
    case 'end':
      return [over(state), []]
  }
}

function ask(state: QuestionsState, { key, method, params }: Extract<QuestionsEvent, { type: 'ask' }>): QuestionsStep {
  const reason = objection(state, key)
  if (reason !== undefined) return [state, [{ type: 'refuseQuestion', key, reason }]]
  const open = new Map(state.open).set(key, { method, params, malformed: 0, shown: false })
  return [{ ...state, open, asked: [...state.asked, key] }, []]
}

function objection({ stage, asked, limits }: QuestionsState, key: string): string | undefined {
  if (stage === 'over') return 'The call is over: nothing can be asked any more'
  if (asked.includes(key)) return `The key ${quoted(key)} was used before in this call: give every question its own`
  return asked.length >= limits.maxQuestions
    ? `The call has asked ${limits.maxQuestions} questions: no more are allowed`
    : undefined
}

function pause(state: QuestionsState): QuestionsStep {
  if (state.stage !== 'running' || state.open.size === 0) return [state, []]
  if (state.sequence >= state.limits.maxRounds)
    return [{ ...state, open: NOTHING }, [{ type: 'exhausted' }, ...givenUp(state)]]
  const sequence = state.sequence + 1
  const open = new Map([...state.open].map(([key, question]) => [key, { ...question, shown: true }]))
  const questions = Object.fromEntries(
    [...open].map(([key, { method, params }]) => [key, params === undefined ? { method } : { method, params }]),
  )
  return [{ ...state, sequence, stage: 'parked', open }, [{ type: 'show', sequence, questions }]]
}

function retry(
  state: QuestionsState,
  { sequence, responses }: Extract<QuestionsEvent, { type: 'retry' }>,
): QuestionsStep {
  if (state.stage === 'over') return refused(state, 'The call is over; make the request anew')
  if (sequence !== state.sequence || sequence === 0)
    return refused(state, 'These are not the questions the call waits for; answer the newest')
  if (state.stage === 'running') return [state, [{ type: 'join', sequence }]]
  const open = new Map(state.open)
  const effects: QuestionsEffect[] = []
  for (const [key, question] of state.open) {
    const response = question.shown ? responseTo(responses, key) : undefined
    if (response === undefined) continue
    if (isAnswer(question.method, response)) {
      open.delete(key)
      effects.push({ type: 'deliver', key, response })
    } else if (question.malformed >= MAX_MALFORMED) {
      return refused(state, `inputResponses[${quoted(key)}] is again no answer to ${question.method}`)
    } else open.set(key, { ...question, malformed: question.malformed + 1 })
  }
  return [{ ...state, stage: 'running', open }, effects]
}

function refused(state: QuestionsState, reason: string): QuestionsStep {
  return [state, [{ type: 'refuse', reason }]]
}

function over(state: QuestionsState): QuestionsState {
  return { ...state, stage: 'over', open: NOTHING }
}

function givenUp({ open }: QuestionsState): QuestionsEffect[] {
  return [...open].map(([key, { method }]) => ({ type: 'giveUp', key, method }))
}

function without(open: ReadonlyMap<string, OpenQuestion>, key: string): ReadonlyMap<string, OpenQuestion> {
  const rest = new Map(open)
  rest.delete(key)
  return rest
}
