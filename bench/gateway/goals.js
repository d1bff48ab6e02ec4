/** What the figures of the gateway are held against. */
import { counted, digits } from '../table.js'
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
function aheadOfPeers({ title, inFlight, results: { direct, parley, [YARDSTICK]: bare, ...others } }) {
  const peers = Object.entries(others)
  if (parley === undefined || peers.length === 0) return []
  const added = ({ p50 }) => p50 - direct.p50
  const [name, peer] = best(peers, ([, result]) => added(result))
  const share = added(parley) / added(peer)
  const least = bare === undefined ? '' : `; ${YARDSTICK} ${digits(added(bare) / added(peer))}`
  const latency = {
    goal: `stdio → HTTP, ${title}: adds at most 1/3 of what the better peer adds (p50)`,
    met: share <= ADDED_SHARE,
    figure: `${digits(share)} of ${name}${least}`,
  }
  return inFlight === FEW ? [latency] : [throughputGoal(title, parley, peers), latency]
}

function throughputGoal(title, parley, peers) {
  const [name, { us }] = best(peers, ([, result]) => result.us)
  const times = us / parley.us
  const goal = `stdio → HTTP, ${title}: at least ${TIMES_PEERS} times the better peer's throughput`
  return { goal, met: times >= TIMES_PEERS, figure: `${digits(times)}× ${name}` }
}

function besidePlainProxy({ title, inFlight, results: { parley, 'reverse proxy': plain } }) {
  if (parley === undefined || plain === undefined || inFlight === FEW) return []
  const share = plain.us / parley.us
  return [
    {
      goal: `HTTP → HTTP, ${title}: at least ${PROXY_SHARE} of a plain reverse proxy's throughput`,
      met: share >= PROXY_SHARE,
      figure: `${digits(share)}; by work ${digits(plain.work / parley.work)}`,
    },
  ]
}

function costOfTranslation({ title, results }) {
  return pairs
    .filter(({ translated }) => translated)
    .map(({ name, base }) => {
      const share = results[base].us / results[name].us
      return {
        goal: `${name}, ${title}: at least ${TRANSLATION_SHARE} of ${base}`,
        met: share >= TRANSLATION_SHARE,
        figure: `${digits(share)}; by work ${digits(results[base].work / results[name].work)}`,
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
