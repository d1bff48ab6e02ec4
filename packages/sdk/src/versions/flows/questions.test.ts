import { describe, expect, it } from 'vitest'
import {
  beginQuestions,
  type QuestionsEffect,
  type QuestionsEvent,
  type QuestionsState,
  stepQuestions,
} from './questions.ts'

/** Takes events one after the other; gives the last state and the effects of the last event. */
function after(
  events: readonly QuestionsEvent[],
  state: QuestionsState = beginQuestions({ maxRounds: 3 }),
): readonly [QuestionsState, readonly QuestionsEffect[]] {
  return events.reduce<readonly [QuestionsState, readonly QuestionsEffect[]]>(
    ([current], event) => stepQuestions(current, event),
    [state, []],
  )
}

const ask = (key: string, method = 'elicitation/create'): QuestionsEvent => ({
  type: 'ask',
  key,
  method,
  params: { message: key },
})
const pause: QuestionsEvent = { type: 'pause' }
const retry = (sequence: number, responses: unknown): QuestionsEvent => ({ type: 'retry', sequence, responses })
const withdraw = (key: string): QuestionsEvent => ({ type: 'withdraw', key })
const shown = (...keys: string[]) =>
  Object.fromEntries(keys.map((key) => [key, { method: 'elicitation/create', params: { message: key } }]))

const yes = { action: 'accept', content: { name: 'Ann' } }
const round = [ask('a'), ask('b'), pause]

describe('a call asks its client', () => {
  it('D-06 shows every question that is open when the asker pauses, in one round', () => {
    const [state, effects] = after(round)
    expect(effects).toEqual([{ type: 'show', sequence: 1, questions: shown('a', 'b') }])
    expect(state).toMatchObject({ sequence: 1, stage: 'parked' })
  })

  it('shows no params where there are none, and any key as it is', () => {
    const [, effects] = after([{ type: 'ask', key: '__proto__', method: 'roots/list', params: undefined }, pause])
    expect(JSON.stringify(effects)).toBe(
      '[{"type":"show","sequence":1,"questions":{"__proto__":{"method":"roots/list"}}}]',
    )
  })

  it('has nothing to show without questions, nor twice', () => {
    expect(after([pause])[1]).toEqual([])
    expect(after([...round, pause])[1]).toEqual([])
  })

  it('D-20 delivers all answers and goes on', () => {
    const [state, effects] = after([...round, retry(1, { a: yes, b: { action: 'decline' } })])
    expect(effects).toEqual([
      { type: 'deliver', key: 'a', response: yes },
      { type: 'deliver', key: 'b', response: { action: 'decline' } },
    ])
    expect(state).toMatchObject({ sequence: 1, stage: 'running', open: new Map() })
    expect(after([pause], state)[1]).toEqual([])
  })

  it('part of the answers is delivered, the rest shown again with what is new', () => {
    const [state, effects] = after([...round, retry(1, { b: yes })])
    expect(effects).toEqual([{ type: 'deliver', key: 'b', response: yes }])
    expect(after([ask('c'), pause], state)[1]).toEqual([{ type: 'show', sequence: 2, questions: shown('a', 'c') }])
  })

  it.each([[undefined], [null], [[yes]], ['a'], [{}], [{ z: yes, toString: yes }]])(
    '%j answers nothing, and is no error',
    (responses) => {
      const [state, effects] = after([...round, retry(1, responses)])
      expect(effects).toEqual([])
      expect(after([pause], state)[1]).toEqual([{ type: 'show', sequence: 2, questions: shown('a', 'b') }])
    },
  )

  it('inherited names are no answers', () => {
    expect(after([ask('constructor'), ask('toString'), pause, retry(1, {})])[1]).toEqual([])
  })

  it('an answer that cannot be used is asked for again once, then refused by its key', () => {
    const bad = { a: { action: 'perhaps' }, b: yes }
    const [first, effects] = after([...round, retry(1, bad)])
    expect(effects).toEqual([{ type: 'deliver', key: 'b', response: yes }])
    const [second, again] = after([pause], first)
    expect(again).toEqual([{ type: 'show', sequence: 2, questions: shown('a') }])
    const [third, refusal] = after([retry(2, { a: 'yes' })], second)
    expect(refusal).toEqual([
      { type: 'refuse', reason: 'inputResponses["a"] is again no answer to elicitation/create' },
    ])
    expect(third).toEqual(second)
    expect(after([retry(2, { a: yes })], third)[1]).toEqual([{ type: 'deliver', key: 'a', response: yes }])
  })

  it('a refused retry delivers nothing, whatever else it brings', () => {
    const asked = after([ask('b'), ask('a'), pause, retry(1, { a: 1 }), pause])[0]
    const [state, effects] = after([retry(2, { b: yes, a: 1 })], asked)
    expect(effects.map(({ type }) => type)).toEqual(['refuse'])
    expect(state).toEqual(asked)
  })

  it('the same round twice joins the open round, an older or unknown one is refused', () => {
    const [state] = after([...round, retry(1, { a: yes })])
    expect(after([retry(1, { b: yes })], state)).toEqual([state, [{ type: 'join', sequence: 1 }]])
    const next = after([pause], state)[0]
    for (const sequence of [1, 0, 3, -1, Number.NaN, 1.5])
      expect(after([retry(sequence, { b: yes })], next)[1]).toMatchObject([{ type: 'refuse' }])
    expect(after([retry(0, {})])[1]).toMatchObject([{ type: 'refuse' }])
  })

  it('a question that was taken back is not shown, and its answer ignored', () => {
    expect(after([ask('a'), ask('b'), withdraw('a'), pause])[1]).toEqual([
      { type: 'show', sequence: 1, questions: shown('b') },
    ])
    expect(after([...round, withdraw('a'), retry(1, { a: yes, b: yes })])[1]).toEqual([
      { type: 'deliver', key: 'b', response: yes },
    ])
    expect(after([...round, withdraw('a'), withdraw('b'), retry(1, {})])[0]).toMatchObject({
      stage: 'running',
      sequence: 1,
    })
    expect(after([...round, withdraw('z')])).toEqual([after(round)[0], []])
  })

  it('what was asked while the client thought is shown in the next round, not answered by guessing', () => {
    const [state, effects] = after([...round, ask('c'), retry(1, { a: yes, b: yes, c: yes })])
    expect(effects.map((effect) => 'key' in effect && effect.key)).toEqual(['a', 'b'])
    expect(after([pause], state)[1]).toEqual([{ type: 'show', sequence: 2, questions: shown('c') }])
  })

  it('a key is used once in a call, also after its question is over', () => {
    const refusal = [
      {
        type: 'refuseQuestion',
        key: 'a',
        reason: 'The key "a" was used before in this call: give every question its own',
      },
    ]
    for (const events of [round, [ask('a'), withdraw('a')], [...round, retry(1, { a: yes })]]) {
      const [state] = after(events)
      expect(after([ask('a')], state)).toEqual([state, refusal])
    }
  })

  it('has a limit of questions', () => {
    const [state] = after([ask('a'), ask('b')], beginQuestions({ maxRounds: 1, maxQuestions: 2 }))
    expect(after([ask('c')], state)).toEqual([
      state,
      [{ type: 'refuseQuestion', key: 'c', reason: 'The call has asked 2 questions: no more are allowed' }],
    ])
  })

  it('after the last round everything that is open is given up, and the asker goes on', () => {
    const last = after([ask('a'), pause, retry(1, {}), ask('b', 'roots/list'), pause], beginQuestions({ maxRounds: 1 }))
    expect(last[1]).toEqual([
      { type: 'exhausted' },
      { type: 'giveUp', key: 'a', method: 'elicitation/create' },
      { type: 'giveUp', key: 'b', method: 'roots/list' },
    ])
    expect(last[0]).toMatchObject({ stage: 'running', sequence: 1, open: new Map() })
    expect(after([ask('c'), pause], last[0])[1]).toMatchObject([{ type: 'exhausted' }, { type: 'giveUp', key: 'c' }])
  })

  it('when time is over every open question is given up', () => {
    const [state, effects] = after([...round, ask('c', 'sampling/createMessage'), { type: 'expire' }])
    expect(effects).toEqual([
      { type: 'giveUp', key: 'a', method: 'elicitation/create' },
      { type: 'giveUp', key: 'b', method: 'elicitation/create' },
      { type: 'giveUp', key: 'c', method: 'sampling/createMessage' },
    ])
    expect(state).toMatchObject({ stage: 'over', open: new Map() })
  })

  it('nothing happens after the end', () => {
    const [state, effects] = after([...round, { type: 'end' }])
    expect([state.stage, effects]).toEqual(['over', []])
    for (const event of [pause, withdraw('a'), { type: 'expire' }, { type: 'end' }] as const)
      expect(after([event], state)).toEqual([state, []])
    expect(after([retry(1, { a: yes })], state)).toEqual([
      state,
      [{ type: 'refuse', reason: 'The call is over; make the request anew' }],
    ])
    expect(after([ask('c')], state)).toEqual([
      state,
      [{ type: 'refuseQuestion', key: 'c', reason: 'The call is over: nothing can be asked any more' }],
    ])
  })
})
