/** Fields no version knows survive wherever the object around them does. */
import { describe, expect, it } from 'vitest'
import { isVerdict } from '../../src/versions/index.ts'
import { UNKNOWN } from './arbitraries/shape.ts'
import { hold, runs } from './cases.ts'
import { fieldsNamed, isInside } from './paths.ts'
import { pairs, profiles, translate } from './translate.ts'

/**
 * Objects that are removed whole without a report, because the receiver could do nothing with them and the sender cannot miss them.
 * Anything else that disappears has to be reported at a path around it.
 */
const removedWhole: readonly RegExp[] = []

describe.each(pairs)('X2 unknown fields from $from to $to', ({ from, to }) => {
  it.each(profiles)('survive unless what holds them is reported as lost (%s)', (profile) => {
    let followed = 0
    hold(from, (message) => {
      const { outcome, losses } = translate(message, to, { profile })
      if (isVerdict(outcome)) return
      const there = new Set(fieldsNamed(UNKNOWN, outcome).map(({ value }) => value))
      for (const { path, value } of fieldsNamed(UNKNOWN, message.body)) {
        followed++
        if (there.has(value) || losses.some((loss) => isInside(path, loss.path)) || removedWhole.some((pattern) => pattern.test(path))) continue
        expect.fail(`${message.method} ${message.part}: ${path} vanished, reported losses: ${JSON.stringify(losses)}, outcome: ${JSON.stringify(outcome)}`)
      }
    })
    expect(followed, 'the cases hold unknown fields').toBeGreaterThan(runs / 5)
  })
})
