/** Shows who got along with whom, and below it what went wrong. */
import { PROBES } from './contract.js'

const shown = (outcome) => (outcome === 'ok' || outcome === 'n/a' ? outcome : 'FAIL')

/** Gives the number of pairs that failed: in a probe, or because Parley sent what the schemas do not allow. */
export function showTable(meetings) {
  const rows = meetings.map(({ pair, outcomes, frames, flaws }) => [
    pair.role === 'server' ? `Parley → ${pair.peer}` : `${pair.peer} → Parley`,
    pair.transport,
    pair.version,
    ...PROBES.map((name) => shown(outcomes[name])),
    flaws.ours.length === 0 ? String(frames) : `${flaws.ours.length} FAIL`,
  ])
  const table = [['client → server', 'over', 'version', ...PROBES, 'frames'], ...rows]
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
  console.log()
  return meetings.filter((meeting, index) => !explain(meeting, rows[index].slice(0, 2).join(' over '))).length
}

/** True when there is nothing to explain; what the peer sends wrongly is told, but is not Parley's failure. */
function explain({ outcomes, flaws }, name) {
  const failures = Object.entries(outcomes).filter(([, outcome]) => shown(outcome) === 'FAIL')
  for (const [probe, outcome] of failures) console.log(`FAIL  ${name}, ${probe}: ${outcome}`)
  for (const flaw of new Set(flaws.ours)) console.log(`FAIL  ${name}, a frame of Parley: ${flaw}`)
  for (const flaw of new Set(flaws.theirs)) console.log(`note  ${name}, a frame of the peer: ${flaw}`)
  return failures.length === 0 && flaws.ours.length === 0
}
