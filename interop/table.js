/** Shows who got along with whom, and below it what went wrong and what could not be tried. */
import { inColumns } from './columns.js'
import { PROBES } from './contract.js'

const shown = (outcome) => (outcome === 'ok' || outcome === 'n/a' ? outcome : 'FAIL')
const nameOf = ({ client, server }) => `${client} → ${server}`
const peerOf = ({ client, server, role }) => (role === 'server' ? server : client)

/** Gives the number of pairs that failed: in a probe, or because Parley sent what the schemas do not allow. */
export function showTable(meetings) {
  const rows = meetings.map(({ pair, outcomes, frames, flaws }) => [
    nameOf(pair),
    pair.transport,
    pair.version ?? 'refused',
    ...PROBES.map((name) => shown(outcomes[name])),
    flaws.ours.length === 0 ? String(frames) : `${flaws.ours.length} FAIL`,
  ])
  const table = [['client → server', 'over', 'version', ...PROBES, 'frames'], ...rows]
  for (const line of inColumns(table)) console.log(line)
  console.log()
  const failed = meetings.filter((meeting) => !explain(meeting)).length
  for (const reason of limitsOf(meetings.map(({ pair }) => pair))) console.log(`n/a   ${reason}`)
  return failed
}

/** True when there is nothing to explain; what the peer sends wrongly is told, but is not Parley's failure. */
function explain({ pair, outcomes, flaws }) {
  const name = `${nameOf(pair)} over ${pair.transport}`
  const failures = Object.entries(outcomes).filter(([, outcome]) => shown(outcome) === 'FAIL')
  for (const [probe, outcome] of failures) console.log(`FAIL  ${name}, ${probe}: ${outcome}`)
  for (const flaw of new Set(flaws.ours)) console.log(`FAIL  ${name}, a frame of Parley: ${flaw}`)
  for (const flaw of new Set(flaws.theirs)) console.log(`note  ${name}, a frame of the peer: ${flaw}`)
  return failures.length === 0 && flaws.ours.length === 0
}

/** Why something was not tried: once for each peer and reason. */
function limitsOf(pairs) {
  const limits = new Map()
  for (const pair of pairs) {
    for (const [probe, why] of Object.entries(pair.lacks)) {
      const key = `${peerOf(pair)}: ${why}`
      limits.set(key, (limits.get(key) ?? new Set()).add(probe))
    }
  }
  const refused = pairs.some(({ version }) => version === undefined)
    ? ['refused: no version in common, which the side that connects has to say']
    : []
  return [...refused, ...[...limits].map(([reason, probes]) => `${reason} (${[...probes].join(', ')})`)]
}
