/** There and back: what an older version wrote comes back as it was. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isVerdict } from '../../src/versions/index.ts'
import { hold, runs } from './cases.ts'
import { emptyMeta, essence, unreportedUp } from './indifference.ts'
import { profiles, translate, translateBody, upward } from './translate.ts'

/** Reported, because a reader in between sees something else, and yet undone on the way back. */
const undone = new Set(['D-5A'])

const scopes = ['message', 'body'] as const

describe.each(upward)('X1 from $from to $to and back', ({ from, to }) => {
  it.each(profiles.flatMap((profile) => scopes.map((scope) => ({ profile, scope }))))(
    'gives the same $scope ($profile)',
    ({ profile, scope }) => {
      const compared = hold(from, (message) => {
        const up = translate(message, to, { profile, scope })
        // A verdict ends the journey; a declared loss has its own law.
        if (isVerdict(up.outcome) || up.losses.some(({ rule }) => !undone.has(rule))) return false
        const down = translateBody(message, up.outcome, to, from, { profile, scope })
        if (down.losses.length > 0) expect(down.losses).toEqual([])
        if (isDeepStrictEqual(down.outcome, message.body)) return true
        const [before, after] = [message.body, down.outcome].map((body) =>
          essence(body, message, unreportedUp, profile, emptyMeta),
        )
        if (!isDeepStrictEqual(after, before)) expect(after).toEqual(before)
        return true
      })
      expect(compared, 'most messages make the journey').toBeGreaterThan(runs * 0.6)
    },
  )
})
