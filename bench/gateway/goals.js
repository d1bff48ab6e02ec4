/** What the figures of the gateway are held against. */
import { counted, digits } from '../table.js'
import { acrossCasts } from './casts.js'
import { pairs } from './parts.js'

const TIMES_PEERS = 3
const ADDED_SHARE = 1 / 3
const PROXY_SHARE = 0.6
const TRANSLATION_SHARE = 0.85
const FEW = 1
/** What others are held against, and nobody would run. */
const YARDSTICK = 'bare relay'

const best = (entries, value) => entries.reduce((least, entry) => (value(entry) < value(least) ? entry : least))

/** The time a gateway adds, and how much it lets through where several calls are under way at once. */
function aheadOfPeers(scenario) {
  const { title, inFlight, results } = scenario
  const { direct, parley, [YARDSTICK]: bare, ...others } = results
  const peers = Object.entries(others)
  if (parley === undefined || peers.length === 0) return []
  const [name] = best(peers, ([, { p50 }]) => p50)
  const shareOf = (who) => acrossCasts(scenario, (cast) => (cast[who].p50 - cast.direct.p50) / (cast[name].p50 - cast.direct.p50))
  const share = shareOf('parley')
  const least = bare === undefined ? '' : `; ${YARDSTICK} ${digits(shareOf(YARDSTICK))}`
  const latency = {
    goal: `stdio → HTTP, ${title}: adds at most 1/3 of what the better peer adds (p50)`,
    met: share <= ADDED_SHARE,
    figure: `${digits(share)} of ${name}${least}`,
  }
  return inFlight === FEW ? [latency] : [throughputGoal(scenario, peers), latency]
}

/** How many times as much as the other the one lets through, or does for the same work. */
const timesOf = (scenario, one, other, figure = 'us') => acrossCasts(scenario, (cast) => cast[other][figure] / cast[one][figure])

function throughputGoal(scenario, peers) {
  const [name] = best(peers, ([, { us }]) => us)
  const times = timesOf(scenario, 'parley', name)
  const goal = `stdio → HTTP, ${scenario.title}: at least ${TIMES_PEERS} times the better peer's throughput`
  return { goal, met: times >= TIMES_PEERS, figure: `${digits(times)}× ${name}` }
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
      const share = timesOf(scenario, name, base)
      return {
        goal: `${name}, ${scenario.title}: at least ${TRANSLATION_SHARE} of ${base}`,
        met: share >= TRANSLATION_SHARE,
        figure: `${digits(share)}; by work ${digits(timesOf(scenario, name, base, 'work'))}`,
      }
    })
}

function allAnswered({ sessions, results }) {
  return Object.entries(results)
    .filter(([name]) => name.startsWith('parley'))
    .map(([name, { right, calls, bytes }]) => ({
      goal: `${digits(sessions)} sessions at once, ${name}: every answer is right`,
      met: right === calls,
      figure: bytes === undefined ? 'it did not come to that' : `${counted(right)} of ${counted(calls)}; ${digits(bytes / 1024)} KiB a session`,
    }))
}

export function goalsOf({ stdio = [], http = [], translation = [], sessions }) {
  return [
    ...stdio.flatMap(aheadOfPeers),
    ...http.flatMap(besidePlainProxy),
    ...translation.flatMap(costOfTranslation),
    ...(sessions === undefined ? [] : allAnswered(sessions)),
  ]
}
