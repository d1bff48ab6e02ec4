/** The goals of the gateway, and whether the figures meet them. */
import { counted, digits } from '../table.js'
import { SHARED_STDIO } from './many-sessions.js'
import { pairs } from './parts.js'
import { fullName, peersIn, YARDSTICK } from './subjects.js'
import { acrossRounds, acrossTrials } from './trials.js'

const TIMES_PEERS = 3
const ADDED_SHARE = 1 / 3
const PROXY_SHARE = 0.6
const TRANSLATION_SHARE = 0.85
const START_MS = 60
const SESSION_KIB = 10
const FEW = 1

/** The name of the one that has the least of a figure. */
const better = (entries, figure) =>
  entries.reduce((least, entry) => (entry[1][figure] < least[1][figure] ? entry : least))[0]

/** How Parley compares to what the better peer can do at best, `compared(whom)`. */
function alsoPared(pared, figure, compared) {
  if (pared.length === 0) return ''
  const whom = better(pared, figure)
  return `, ${compared(whom)} ${fullName(whom)} pared down`
}

/** The time a gateway adds, and how much it lets through where several calls are under way at once. */
function aheadOfPeers(scenario) {
  const { title, inFlight, results, spread } = scenario
  const { peers, pared } = peersIn(results)
  if (results.parley === undefined || peers.length === 0) return []
  const name = better(peers, 'p50')
  const shareOf = (who, whom = name, among = scenario) =>
    acrossTrials(among, (trial) => (trial[who].p50 - trial.direct.p50) / (trial[whom].p50 - trial.direct.p50))
  const share = shareOf('parley')
  const atBest = alsoPared(pared, 'p50', (whom) => `${digits(shareOf('parley', whom))} of`)
  const leastOf = (among) =>
    results[YARDSTICK] === undefined ? '' : `; ${YARDSTICK} ${digits(shareOf(YARDSTICK, name, among))}`
  const overAll =
    spread === undefined ? '' : `; over all processors ${digits(shareOf('parley', name, spread))}${leastOf(spread)}`
  const latency = {
    goal: `stdio → HTTP, ${title}: adds at most 1/3 of what the better peer adds (p50)`,
    met: share <= ADDED_SHARE,
    figure: `${digits(share)} of ${name}${atBest}${leastOf(scenario)}${overAll}`,
  }
  return inFlight === FEW ? [latency] : [throughputGoal(scenario, peers, pared), latency]
}

/** How many times as much as the other the one lets through, or does for the same work. */
const timesOf = (scenario, one, other, figure = 'us') =>
  acrossTrials(scenario, (trial) => trial[other][figure] / trial[one][figure])

function throughputGoal(scenario, peers, pared) {
  const name = better(peers, 'us')
  const times = timesOf(scenario, 'parley', name)
  const atBest = alsoPared(pared, 'us', (whom) => `${digits(timesOf(scenario, 'parley', whom))}×`)
  const goal = `stdio → HTTP, ${scenario.title}: at least ${TIMES_PEERS} times the better peer's throughput`
  return { goal, met: times >= TIMES_PEERS, figure: `${digits(times)}× ${name}${atBest}` }
}

/** The newest client with an old server, as both come. */
function newestClient(scenario) {
  const { title, results } = scenario
  if (results.parley === undefined || results['mcp-proxy'] === undefined) return []
  const times = timesOf(scenario, 'parley', 'mcp-proxy')
  return [
    {
      goal: `2026-07-28 → 2025-11-25 over stdio, default configuration, ${title}: at least ${TIMES_PEERS} times mcp-proxy's throughput`,
      met: times >= TIMES_PEERS,
      figure: `${digits(times)}×; by work ${digits(timesOf(scenario, 'parley', 'mcp-proxy', 'work'))}×`,
    },
  ]
}

/**
 * How much later the client has its answer, without the start of one more Node: any program in between needs that.
 */
function soonStarted({ beyondNode, samples }) {
  return [
    {
      goal: `parley bridge: adds at most ${START_MS} ms (p50) to the start of a server, beside a start of Node`,
      met: beyondNode <= START_MS,
      figure: `${digits(beyondNode)} ms, of ${counted(samples)} starts`,
    },
  ]
}

function besidePlainProxy(scenario) {
  const { title, inFlight, results } = scenario
  if (results.parley === undefined || results['reverse proxy'] === undefined || inFlight === FEW) return []
  const share = timesOf(scenario, 'parley', 'reverse proxy')
  return [
    {
      goal: `HTTP → HTTP, ${title}: at least ${PROXY_SHARE} of a plain reverse proxy's throughput`,
      met: share >= PROXY_SHARE,
      figure: `${digits(share)}; by work ${digits(timesOf(scenario, 'parley', 'reverse proxy', 'work'))}`,
    },
  ]
}

function costOfTranslation(scenario) {
  return pairs
    .filter(({ translated }) => translated)
    .map(({ name, base }) => {
      const shareOf = (figure) =>
        acrossRounds(scenario, name, base, (own, untranslated) => untranslated[figure] / own[figure])
      const share = shareOf('us')
      return {
        goal: `${name}, ${scenario.title}: at least ${TRANSLATION_SHARE} of ${base}`,
        met: share >= TRANSLATION_SHARE,
        figure: `${digits(share)}; by work ${digits(shareOf('work'))}`,
      }
    })
}

function manySessions({ sessions, results }) {
  return Object.entries(results)
    .filter(([name]) => name.startsWith('parley'))
    .flatMap(([name, result]) => [
      allAnswered(sessions, name, result),
      // A session with a server over HTTP has another session behind it.
      ...(name === SHARED_STDIO ? [smallSession(sessions, name, result)] : []),
    ])
}

function allAnswered(sessions, name, { right, calls, bytes }) {
  const figure =
    bytes === undefined
      ? 'not measured'
      : `${counted(right)} of ${counted(calls)}; ${digits(bytes / 1024)} KiB a session`
  return { goal: `${digits(sessions)} sessions at once, ${name}: every answer is right`, met: right === calls, figure }
}

function smallSession(sessions, name, { heap }) {
  const figure = heap === undefined ? 'not measured' : `${digits(heap / 1024)} KiB`
  return {
    goal: `${digits(sessions)} sessions at once, ${name}: at most ${SESSION_KIB} KiB of heap each`,
    met: heap <= SESSION_KIB * 1024,
    figure,
  }
}

export function goalsOf({ stdio = [], newest = [], start, http = [], translation = [], sessions }) {
  return [
    ...stdio.flatMap(aheadOfPeers),
    ...newest.flatMap(newestClient),
    ...(start === undefined ? [] : soonStarted(start)),
    ...http.flatMap(besidePlainProxy),
    ...translation.flatMap(costOfTranslation),
    ...(sessions === undefined ? [] : manySessions(sessions)),
  ]
}
