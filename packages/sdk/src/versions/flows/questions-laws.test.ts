import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beginQuestions,
  type QuestionsEffect,
  type QuestionsEvent,
  type QuestionsState,
  stepQuestions,
} from './questions.ts'

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', '__proto__']
const key = fc.constantFrom(...KEYS)
const method = fc.constantFrom('elicitation/create', 'sampling/createMessage', 'roots/list')
/** Answers every method. */
const answer = { action: 'accept', role: 'assistant', model: 'm', content: {}, roots: [] }
const response = fc.oneof(
  { weight: 8, arbitrary: fc.constant<unknown>(answer) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({ roots: [] }, {}, null, 7) },
)
const responses = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(...KEYS.map((name) => fc.option(fc.tuple(fc.constant(name), response))))
      .map((said) => Object.fromEntries(said.filter((entry) => entry !== null))),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
)

/** `behind`: how many rounds ago the token was given that the client brings. */
type Move = Exclude<QuestionsEvent, { type: 'retry' }> | { type: 'retry'; behind: number; responses: unknown }

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({ type: fc.constant('ask' as const), key, method, params: fc.constant(undefined) }),
  },
  { weight: 16, arbitrary: fc.constant({ type: 'pause' as const }) },
  {
    weight: 16,
    arbitrary: fc.record({
      type: fc.constant('retry' as const),
      behind: fc.constantFrom(0, 0, 0, 0, 1, -1),
      responses,
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('withdraw' as const), key }) },
  { weight: 1, arbitrary: fc.constantFrom({ type: 'expire' as const }, { type: 'end' as const }) },
)

interface Moment {
  readonly before: QuestionsState
  readonly event: QuestionsEvent
  readonly state: QuestionsState
  readonly effects: readonly QuestionsEffect[]
}

function play(moves: readonly Move[], maxRounds: number): Moment[] {
  let state = beginQuestions({ maxRounds, maxQuestions: 6 })
  return moves.map((chosen) => {
    const before = frozen(state)
    const event: QuestionsEvent =
      chosen.type === 'retry'
        ? { type: 'retry', sequence: state.sequence - chosen.behind, responses: chosen.responses }
        : chosen
    const [next, effects] = stepQuestions(before, event)
    state = next
    return { before, event, state, effects }
  })
}

/** A reducer that changed what it was given would be found out here. */
function frozen(state: QuestionsState): QuestionsState {
  const sealed = <T extends Map<string, unknown> | Set<string>>(collection: T): T =>
    Object.assign(collection, { set: forbidden, add: forbidden, delete: forbidden, clear: forbidden })
  return Object.freeze({ ...state, open: sealed(new Map(state.open)), asked: Object.freeze([...state.asked]) })
}

function forbidden(): never {
  throw new Error('a state was changed')
}

function always(law: (moments: readonly Moment[], maxRounds: number) => void): void {
  const game = fc.tuple(fc.array(move, { minLength: 20, maxLength: 40 }), fc.integer({ min: 1, max: 6 }))
  fc.assert(
    fc.property(game, ([moves, maxRounds]) => law(play(moves, maxRounds), maxRounds)),
    { numRuns: 500 },
  )
}

const keysOf = (effects: readonly QuestionsEffect[], ...types: readonly QuestionsEffect['type'][]): string[] =>
  effects.flatMap((effect) => (types.includes(effect.type) && 'key' in effect ? [effect.key] : []))

describe('however a call goes', () => {
  it('no key is delivered twice, and none that was not shown', () => {
    let delivered = 0
    always((moments) => {
      const keys = moments.flatMap(({ effects }) => keysOf(effects, 'deliver'))
      expect(keys).toEqual([...new Set(keys)])
      const shown = new Set<string>()
      for (const { effects } of moments) {
        for (const effect of effects)
          if (effect.type === 'show') for (const name of Object.keys(effect.questions)) shown.add(name)
        for (const name of keysOf(effects, 'deliver')) expect(shown).toContain(name)
      }
      delivered += keys.length
    })
    expect(delivered).toBeGreaterThan(300)
  })

  it('exactly the open questions are shown, and only when the asker pauses', () => {
    always((moments) => {
      for (const { before, event, state, effects } of moments) {
        for (const effect of effects) {
          if (effect.type !== 'show') continue
          expect([event.type, before.stage, state.stage, effect.sequence]).toEqual([
            'pause',
            'running',
            'parked',
            state.sequence,
          ])
          expect(Object.keys(effect.questions).sort()).toEqual([...before.open.keys()].sort())
        }
      }
    })
  })

  it('rounds are counted one by one, up to the limit', () => {
    always((moments, maxRounds) => {
      for (const { before, state, effects } of moments) {
        expect(state.sequence - before.sequence).toBe(effects.filter(({ type }) => type === 'show').length)
        expect(state.sequence).toBeLessThanOrEqual(maxRounds)
      }
    })
  })

  it('what is over stays over, and only refuses', () => {
    let late = 0
    always((moments) => {
      for (const { before, state, effects } of moments.filter((moment) => moment.before.stage === 'over')) {
        late += effects.length
        expect(state).toEqual(before)
        for (const { type } of effects) expect(['refuse', 'refuseQuestion']).toContain(type)
      }
    })
    expect(late).toBeGreaterThan(300)
  })

  it('a refusal changes nothing', () => {
    always((moments) => {
      for (const { before, state, effects } of moments) {
        if (!effects.some(({ type }) => ['refuse', 'refuseQuestion', 'join'].includes(type))) continue
        expect(effects).toHaveLength(1)
        expect(state).toEqual(before)
      }
    })
  })

  it('every question that is taken ends exactly once: delivered, taken back, given up or with the call', () => {
    always((moments) => {
      const open = new Set<string>()
      for (const { before, event, state, effects } of moments) {
        if (event.type === 'ask' && effects.length === 0) open.add(event.key)
        for (const name of keysOf(effects, 'deliver', 'giveUp')) expect(open.delete(name)).toBe(true)
        if (event.type === 'withdraw') open.delete(event.key)
        if (event.type === 'end' && before.stage !== 'over') open.clear()
        expect([...state.open.keys()].sort()).toEqual([...open].sort())
      }
    })
  })

  it('a client that answers everything brings every call to its end', () => {
    const asks = fc.array(fc.uniqueArray(key, { minLength: 1, maxLength: 3 }), { maxLength: 4 })
    fc.assert(
      fc.property(asks, (rounds) => {
        let state = beginQuestions({ maxRounds: 4 })
        for (const [at, keys] of rounds.entries()) {
          for (const name of keys)
            state = stepQuestions(state, {
              type: 'ask',
              key: `${at} ${name}`,
              method: 'roots/list',
              params: undefined,
            })[0]
          const [parked, [show]] = stepQuestions(state, { type: 'pause' })
          const questions = show?.type === 'show' ? Object.keys(show.questions) : []
          const answers = Object.fromEntries(questions.map((name) => [name, { roots: [] }]))
          const [running, effects] = stepQuestions(parked, {
            type: 'retry',
            sequence: parked.sequence,
            responses: answers,
          })
          expect(keysOf(effects, 'deliver')).toEqual(keys.map((name) => `${at} ${name}`))
          expect(running).toMatchObject({ stage: 'running', sequence: at + 1, open: new Map() })
          state = running
        }
      }),
    )
  })
})
