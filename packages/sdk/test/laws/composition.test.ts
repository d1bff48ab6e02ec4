/** One long way is the same as two short ones, and no way at all is no work. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'

import { isVerdict, type Loss, plan, versions } from '../../src/versions/index.ts'
import { entries, hold } from './cases.ts'
import { downward, profiles, translate, translateBody, upward, verdictOf } from './translate.ts'

const between = (low: string, high: string) => versions.filter((version) => version > low && version < high)

const triples = [
  ...upward.flatMap(({ from, to }) => between(from, to).map((via) => ({ from, via, to }))),
  ...downward.flatMap(({ from, to }) => between(to, from).map((via) => ({ from, via, to }))),
]

const setOf = (losses: readonly Loss[]): string[] =>
  losses.map(({ rule, path, severity }) => `${rule} ${severity} ${path}`).sort()

describe.each(triples)('X1 from $from over $via to $to', ({ from, via, to }) => {
  it.each(profiles)('is the same as straight (%s)', (profile) => {
    hold(from, (message) => {
      const straight = translate(message, to, { profile })
      const first = translate(message, via, { profile })
      // Stopped half way is stopped: by whichever of several reasons is met first.
      if (isVerdict(first.outcome)) {
        expect(verdictOf(straight.outcome)).toBe(first.outcome.verdict)
        return
      }
      const second = translateBody(message, first.outcome, via, to, { profile })
      if (isVerdict(second.outcome)) {
        expect(verdictOf(straight.outcome)).toBe(second.outcome.verdict)
        return
      }
      if (!isDeepStrictEqual(second.outcome, straight.outcome)) expect(second.outcome).toEqual(straight.outcome)
      const [apart, together] = [setOf([...first.losses, ...second.losses]), setOf(straight.losses)]
      if (!isDeepStrictEqual(apart, together)) expect(apart).toEqual(together)
    })
  })
})

describe.each(versions)('X1 from %s to itself', (version) => {
  it('there is no plan, so messages pass untouched', () => {
    for (const { method, part } of entries(version)) {
      for (const profile of profiles) {
        for (const scope of ['message', 'body'] as const)
          expect(plan(version, version, method, part, { profile, scope })).toBeUndefined()
      }
    }
  })
})
