/** What the figures of the stateless era are held against. */
import { digits } from '../table.js'

const PARKED_KIB = 4

function shareOfFloor({ title, goal, results: { floor, parley } }) {
  const share = floor.us / parley.us
  return {
    goal: `${title}: at least ${goal} of the floor`,
    met: share >= goal,
    figure: `${digits(share)}; by work ${digits(floor.work / parley.work)}`,
  }
}

function aheadOfPeers({ title, results: { floor, parley, ...others } }) {
  const [next] = Object.entries(others).sort(([, a], [, b]) => a.us - b.us)
  if (next === undefined) return []
  const [name, { us }] = next
  return [
    { goal: `${title}: faster than every peer`, met: parley.us < us, figure: `${digits(us / parley.us)}× ${name}` },
  ]
}

/** Every other contender is held against the base. */
function shareOfBase({ title, base, goal, results }) {
  return Object.entries(results)
    .filter(([name]) => name !== base)
    .map(([name, { us, work }]) => {
      const share = results[base].us / us
      return {
        goal: `${title}, ${name}: at least ${goal} of "${base}"`,
        met: share >= goal,
        figure: `${digits(share)}; by work ${digits(results[base].work / work)}`,
      }
    })
}

function heldFor({ calls, ...parked }) {
  return Object.entries(parked).map(([link, bytes]) => ({
    goal: `memory of each of ${digits(calls)} parked calls over ${link}: at most ${PARKED_KIB} KiB`,
    met: bytes <= PARKED_KIB * 1024,
    figure: `${digits(bytes / 1024)} KiB`,
  }))
}

export function goalsOf({ scenarios, engine, parked }) {
  const compared = scenarios.filter(({ goal, results }) => goal !== undefined && results.parley !== undefined)
  return [
    ...compared.map(shareOfFloor),
    ...compared.flatMap(aheadOfPeers),
    ...engine.filter(({ goal }) => goal !== undefined).flatMap(shareOfBase),
    ...(parked === undefined ? [] : heldFor(parked)),
  ]
}
