/** A form asked in an older vocabulary is answered there, and the answer fits the form as it was meant. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../../src/jsonrpc/index.ts'
import { isVerdict } from '../../src/versions/index.ts'
import { answers, formParams } from './arbitraries/elicitation.ts'
import { V06, V11, V26 } from './arbitraries/shape.ts'
import { type Case, deepFreeze, runs, seed } from './cases.ts'
import { judge } from './oracle.ts'
import { profiles, translate, translateBody } from './translate.ts'

const engine = new Ajv2020({ strict: false, validateFormats: false })

/** A question of one version, as a client of 2025-06-18 sees it, and an answer to what it sees. */
const dialogue = (
  version: typeof V11,
  profile: (typeof profiles)[number],
): fc.Arbitrary<{ question: Case; seen: Body; content: Body }> =>
  formParams(version)
    .map(
      (body): Case =>
        deepFreeze({
          version,
          method: 'elicitation/create',
          part: 'params',
          body: JSON.parse(JSON.stringify(body)) as Body,
          around: {},
        }),
    )
    .chain((question) => {
      const { outcome } = translate(question, V06, { profile })
      if (isVerdict(outcome)) throw new Error('a form was refused')
      const seen = outcome as Body
      return answers(seen).map((content) => ({ question, seen, content }))
    })

describe.each([V11, V26])('F6 forms of %s shown to a client of 2025-06-18', (version) => {
  it.each(profiles)('are valid there, and their answers fit the original form (%s)', (profile) => {
    let accepted = 0
    fc.assert(
      fc.property(dialogue(version, profile), ({ question, seen, content }) => {
        expect(judge(V06, 'elicitation/create', 'params', seen)).toBeUndefined()
        const answer: Case = {
          ...question,
          version: V06,
          part: 'result',
          body: { action: 'accept', content },
          request: question.body as Body,
        }
        const { outcome, losses } = translateBody(answer, answer.body, V06, version, { profile })
        expect(judge(version, 'elicitation/create', 'result', outcome)).toBeUndefined()
        const { action, content: understood } = outcome as Body
        if (action !== 'accept') {
          // Too few or too many of several: a number of booleans cannot forbid it.
          expect(action).toBe('cancel')
          expect(losses.map(({ rule }) => rule)).toContain('C-15')
          return
        }
        accepted++
        const fits = engine.validate(question.body?.['requestedSchema'] as object, understood)
        expect(fits, engine.errorsText()).toBe(true)
      }),
      { seed, numRuns: Math.ceil(runs / 4) },
    )
    expect(accepted).toBeGreaterThan(runs / 10)
  })
})
