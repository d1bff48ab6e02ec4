/**
 * Trials: the same measurement with new processes. How fast a process runs depends partly on luck at its start, so each
 * part is measured in several trials.
 */
import { median } from '../rounds.js'

/**
 * `measure()` starts its own programs and returns scenarios. They are merged scenario by scenario; `trials` holds the
 * results of each trial.
 */
export async function eachTrial(count, progress, measure) {
  const trials = []
  for (let trial = 1; trial <= count; trial++) {
    progress(`… trial ${trial} of ${count}`)
    trials.push(await measure())
  }
  return trials[0].map((scenario, at) =>
    merged(
      trials.map((scenarios) => scenarios[at]),
      scenario,
    ),
  )
}

function merged(scenarios, first) {
  const results = Object.fromEntries(
    Object.keys(first.results).map((name) => [name, medians(scenarios.map(({ results: all }) => all[name]))]),
  )
  return { ...first, results, trials: scenarios.map(({ results: all }) => all) }
}

/**
 * The median over all trials of `compare(results)`. The load of the machine changes between trials; the subjects of one
 * trial share it.
 */
export const acrossTrials = ({ trials }, compare) => median(trials.map(compare))

/**
 * The median over all rounds of `compare(sample of one, sample of the other)`. Samples of one round follow each other
 * at once, so changes in the speed of the machine hit both alike.
 */
export const acrossRounds = ({ trials }, one, other, compare) =>
  median(
    trials.flatMap((trial) => trial[one].samples.map((sample, round) => compare(sample, trial[other].samples[round]))),
  )

/** The median of each figure, and the ends of the range. */
function medians(results) {
  const of = (figure) => results.map((result) => result[figure])
  const p50 = results[0].p50 === undefined ? {} : { p50: median(of('p50')) }
  return {
    us: median(of('us')),
    low: Math.min(...of('low')),
    high: Math.max(...of('high')),
    work: median(of('work')),
    ...p50,
    bytes: results[0].bytes,
  }
}
