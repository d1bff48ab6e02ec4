/** Only declared losses happen, and each is reported. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isVerdict, type Loss, path } from '../../src/versions/index.ts'
import { type Case, hold, runs } from './cases.ts'
import { emptyFields, essence, unreportedDown } from './indifference.ts'
import { downward, pairs, profiles, translate, translateBody } from './translate.ts'

const severities = new Set(['i', 'w', 'E'])

function isDeclared(loss: Loss, message: Case, rules: ReadonlySet<string>): boolean {
  return rules.has(loss.rule) && severities.has(loss.severity) && loss.method === message.method && loss.detail !== ''
}

describe.each(pairs)('X2 losses from $from to $to', ({ from, to }) => {
  const rules = new Set(path(from, to).flatMap(({ changes }) => changes.flatMap((change) => change.rules)))

  it.each(profiles)('name a rule on the way (%s)', (profile) => {
    hold(from, (message) => {
      for (const loss of translate(message, to, { profile }).losses) {
        if (!isDeclared(loss, message, rules)) expect.fail(`undeclared: ${JSON.stringify(loss)}`)
      }
    })
  })
})

describe.each(downward)('X2 from $from down to $to', ({ from, to }) => {
  it.each(profiles)('what is reported as unharmed can be translated back to what it was (%s)', (profile) => {
    const compared = hold(from, (message) => {
      const down = translate(message, to, { profile })
      if (isVerdict(down.outcome) || down.losses.length > 0) return false
      const up = translateBody(message, down.outcome, to, from, { profile })
      if (isVerdict(up.outcome)) return expect.fail(`translating back gave ${JSON.stringify(up.outcome)}`)
      // What the way back reports, such as a context the client never declared, is not the loss of the way there.
      if (up.losses.length > 0) return false
      const [before, after] = [message.body, up.outcome].map((body) =>
        essence(body, message, unreportedDown, profile, emptyFields),
      )
      if (!isDeepStrictEqual(after, before)) expect(after).toEqual(before)
      return true
    })
    expect(compared, 'many messages are unharmed').toBeGreaterThan(runs * 0.3)
  })
})
