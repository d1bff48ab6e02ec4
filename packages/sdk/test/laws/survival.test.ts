/** Fields no version knows survive wherever the object around them does. */
import { describe, expect, it } from 'vitest'
import { isVerdict, type Loss } from '../../src/versions/index.ts'
import { UNKNOWN } from './arbitraries/shape.ts'
import { hold, runs } from './cases.ts'
import { removedWhole } from './indifference.ts'
import { fieldsNamed, isInside } from './paths.ts'
import { pairs, profiles, translate } from './translate.ts'

const withoutIndexes = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]')

/** Once an element has been removed or split, later losses count the list as it then is. */
function isReported(path: string, losses: readonly Loss[]): boolean {
  const shifted = losses.some((loss) => loss.path.endsWith(']'))
  return losses.some((loss) =>
    shifted ? isInside(withoutIndexes(path), withoutIndexes(loss.path)) : isInside(path, loss.path),
  )
}

describe.each(pairs)('X2 unknown fields from $from to $to', ({ from, to }) => {
  it.each(profiles)('survive unless what holds them is reported as lost (%s)', (profile) => {
    let followed = 0
    hold(from, (message) => {
      const { outcome, losses } = translate(message, to, { profile })
      if (isVerdict(outcome)) return
      const there = new Set(fieldsNamed(UNKNOWN, outcome).map(({ value }) => value))
      for (const { path, value } of fieldsNamed(UNKNOWN, message.body)) {
        followed++
        if (there.has(value) || isReported(path, losses)) continue
        const place = `${message.method} ${message.part} ${withoutIndexes(path)}`
        if (removedWhole.some(({ at }) => at.test(place))) continue
        expect.fail(
          `${place} vanished, reported losses: ${JSON.stringify(losses)}, outcome: ${JSON.stringify(outcome)}`,
        )
      }
    })
    expect(followed, 'the cases hold unknown fields').toBeGreaterThan(runs / 5)
  })
})
