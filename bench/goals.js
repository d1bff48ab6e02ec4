/** What the figures are held against. */
import { digits } from './table.js'

const BETTER_BY = 10
const IMPORT_SHARE = 1 / 4

function aheadOfPeers({ title, results }) {
  const { floor, parley, ...others } = results
  const [next, best] = Object.entries(others).sort(([, a], [, b]) => a.us - b.us)[0]
  return {
    goal: `${title}: faster than every peer`,
    met: parley.us < best.us,
    figure: `${digits(best.us / parley.us)}× ${next}, ${digits(floor.us / parley.us)} of the floor`,
  }
}

/** Shares of the floor that were aimed at, by the beginning of a scenario's title. */
const AIMS = [
  ['tools/call', 0.65],
  ['tools/list', 1],
]

function nearTheFloor({ title, results: { floor, parley } }) {
  const [, aim] = AIMS.find(([beginning]) => title.startsWith(beginning)) ?? []
  if (aim === undefined) return []
  const share = floor.us / parley.us
  return [{ goal: `${title}: at least ${aim} of the floor`, met: share >= aim, figure: digits(share) }]
}

function kept({ title, promised, p99, times }) {
  return {
    goal: `${title}: ${BETTER_BY}× better than ${promised} µs`,
    met: times >= BETTER_BY,
    figure: `p99 ${digits(p99)} µs, ${digits(times)}×`,
  }
}

function translated({ title, promised, aim, pairs }) {
  const [slowest] = [...pairs].sort((a, b) => b.p99 - a.p99)
  const limit = aim ?? promised
  return {
    goal: `${title}: p99 below ${limit} µs for every pair of versions`,
    met: slowest.p99 < limit,
    figure: `slowest ${slowest.from} → ${slowest.to}: p99 ${digits(slowest.p99)} µs`,
  }
}

function quickToImport([own, peer]) {
  const share = own.ms / peer.ms
  return {
    goal: `import of ${own.specifier}: at most ${IMPORT_SHARE} of ${peer.specifier}`,
    met: share <= IMPORT_SHARE,
    figure: digits(share),
  }
}

export function goalsOf({ scenarios, promises, translation, imports }) {
  return [
    ...scenarios.map(aheadOfPeers),
    ...scenarios.flatMap(nearTheFloor),
    ...promises.map(kept),
    ...translation.map(translated),
    quickToImport(imports),
  ]
}
