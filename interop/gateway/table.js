/** Shows what became of every pair, and below it what went wrong and what was not as in the server's own version. */
import { PROBES } from './expectations.js'

/** There was no connection, which is said once. */
export const NOT_TRIED = 'not tried'

const SHORT = { ok: 'ok', degraded: 'degr', refused: 'refd', 'n/a': 'n/a', fail: 'FAIL' }

const nameOf = ({ client, server }) => `${client} → ${server}`

/** Lines, from results as they are written to a file. */
export function tableOf(results) {
  const rows = results.map(({ outcomes, frames, flaws, ...pair }) => [
    nameOf(pair),
    pair.over,
    ...PROBES.map((name) => SHORT[outcomes[name].verdict]),
    flaws.ours.length === 0 ? String(frames) : `${flaws.ours.length} FAIL`,
  ])
  const table = [['client → server', 'over', ...PROBES, 'frames'], ...rows]
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ')
  return table.map((row) => line(row).trimEnd())
}

/** What a reader of the table wants to know next. */
export function notesOn(results) {
  const failures = results.flatMap(({ outcomes, flaws, ...pair }) => {
    const name = `${nameOf(pair)} over ${pair.over}`
    const probes = Object.entries(outcomes).filter(([, { verdict, why }]) => verdict === 'fail' && why !== NOT_TRIED)
    return [
      ...probes.map(([probe, { why }]) => `FAIL  ${name}, ${probe}: ${why}`),
      ...flaws.ours.map((flaw) => `FAIL  ${name}, a frame of the gateway: ${flaw}`),
    ]
  })
  const theirs = new Set(
    results.flatMap(({ flaws, client, server }) =>
      flaws.theirs.map(({ side, flaw }) => `note  ${side === 'client' ? client : server}, a frame of its own: ${flaw}`),
    ),
  )
  return [...failures, ...theirs]
}

/** Frames that nobody looked at are not called valid. */
export function summaryOf(results, areFramesChecked) {
  const verdicts = results.flatMap(({ outcomes }) => Object.values(outcomes).map(({ verdict }) => verdict))
  const count = (wanted) => verdicts.filter((verdict) => verdict === wanted).length
  const frames = results.reduce((total, result) => total + result.frames - result.flaws.ours.length, 0)
  return `${results.length} pairs, ${count('ok')} probes ok, ${count('degraded')} degraded, ${count('refused')} refused, ${count('fail')} failed, ${frames} frames ${areFramesChecked ? 'valid' : 'recorded'}`
}
