/** The same with other processes: how well one of them runs is partly luck of its start, so each part is measured with several casts. */
import { median } from '../rounds.js'

/** `measure()` starts its own programs and gives scenarios; theirs are put together, scenario by scenario, and what each cast had is kept as `casts`. */
export async function eachCast(count, say, measure) {
  const casts = []
  for (let cast = 1; cast <= count; cast++) {
    say(`… cast ${cast} of ${count}`)
    casts.push(await measure())
  }
  return casts[0].map((scenario, at) =>
    together(
      casts.map((scenarios) => scenarios[at]),
      scenario,
    ),
  )
}

function together(scenarios, first) {
  const results = Object.fromEntries(Object.keys(first.results).map((name) => [name, middle(scenarios.map(({ results: all }) => all[name]))]))
  return { ...first, results, casts: scenarios.map(({ results: all }) => all) }
}

/** How subjects of the same cast compare, `compare(results)`: how busy the machine is changes from cast to cast, and of one cast they all have the same. */
export const acrossCasts = ({ casts }, compare) => median(casts.map(compare))

/**
 * The same for turns of the same round, `compare(sample of one, sample of the other)`: they follow each other at once, and the machine is not as fast now as
 * a second ago.
 */
export const acrossRounds = ({ casts }, one, other, compare) =>
  median(casts.flatMap((cast) => cast[one].samples.map((sample, round) => compare(sample, cast[other].samples[round]))))

/** The middle one of each figure; of the range, its ends. */
function middle(results) {
  const of = (figure) => results.map((result) => result[figure])
  const p50 = results[0].p50 === undefined ? {} : { p50: median(of('p50')) }
  return { us: median(of('us')), low: Math.min(...of('low')), high: Math.max(...of('high')), work: median(of('work')), ...p50, bytes: results[0].bytes }
}
