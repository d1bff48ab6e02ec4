/** Two builds of Parley that were measured in one run: each figure of this checkout beside that of the other. */
import { BESIDE } from './checkout.js'
import { median } from './rounds.js'
import { digits, table } from './table.js'

/** A figure may be this much worse before `--check` fails. */
const LEAST = 0.95

/** `share`: above 1 means that this checkout is better, whether more or less of the figure is better. */
const row = (title, own, other, share) => ({ title, own, other, share, met: share >= LEAST })

/** Names of results that both checkouts have. */
const namesIn = (results) => Object.keys(results).filter((name) => results[`${name}${BESIDE}`] !== undefined)

const titleOf = (title, name, names) => (names.length === 1 ? title : `${title}, ${name}`)

/**
 * Rates and work of scenarios. Rounds of both checkouts follow each other at once, so each round is compared with its
 * neighbour, and the median of these quotients counts: a machine that becomes slower then hits both alike.
 */
export function compareScenarios(scenarios) {
  return scenarios.flatMap(({ title, results, trials = [results] }) => {
    const names = namesIn(results)
    return names.flatMap((name) => {
      const other = `${name}${BESIDE}`
      const shareOf = (figure) =>
        median(
          trials.flatMap((trial) =>
            trial[name].samples.map((sample, round) => trial[other].samples[round][figure] / sample[figure]),
          ),
        )
      const subject = titleOf(title, name, names)
      const rate = ({ us }) => `${digits(1e6 / us)} per second`
      const work = ({ work }) => `${digits(work)} µs`
      return [
        row(subject, rate(results[name]), rate(results[other]), shareOf('us')),
        row(`${subject}: work`, work(results[name]), work(results[other]), shareOf('work')),
      ]
    })
  })
}

/** One value for each name, where less is better: times and memory. `write(value)` gives it with its unit. */
export function compareValues(title, values, write) {
  const names = namesIn(values)
  return names.map((name) => {
    const [own, other] = [values[name], values[`${name}${BESIDE}`]]
    return row(titleOf(title, name, names), write(own), write(other), other / own)
  })
}

/** Prints the comparison; with `check` a figure that is worse than 0.95 of the other gives the exit code 1. */
export function concludeBeside(rows, { beside, check }) {
  const cells = rows.map(({ title, own, other, share, met }) => [title, own, other, digits(share), met ? 'yes' : 'NO'])
  console.log(`Beside ${beside}. A share above 1 means that this checkout is better.\n`)
  console.log(table(['figure', 'this checkout', 'beside', 'share', `at least ${LEAST}`], cells))
  if (check && rows.some(({ met }) => !met)) process.exitCode = 1
}
