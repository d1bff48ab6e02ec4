/** The figures as a page to read. */
import { digits, microseconds, table } from './table.js'

function scenarioTable({ title, bytes, results }) {
  const rows = Object.entries(results).map(([name, { us, low, high, work }]) => [
    name,
    microseconds(us),
    `${digits(low)} – ${digits(high)}`,
    digits(1e6 / us),
    digits(results.floor.us / us),
    microseconds(work),
    digits(results.floor.work / work),
    name === 'floor' ? '' : digits(us / results.parley.us),
    bytes[name] ?? bytes.parley,
  ])
  const head = [
    'implementation',
    'median',
    'range (µs)',
    'per second',
    'share of the floor',
    'work',
    'its share',
    'times parley',
    'bytes',
  ]
  return `### ${title}\n\n${table(head, rows)}`
}

function promiseTable(promises) {
  const rows = promises.map(({ title, promised, p50, p99, times }) => [
    title,
    `${promised} µs`,
    microseconds(p50),
    microseconds(p99),
    `${digits(times)}×`,
  ])
  return table(['what', 'promised', 'p50', 'p99', 'better by (p99)'], rows)
}

function translationTable({ title, bytes, pairs }) {
  const versions = [...new Set(pairs.map(({ from }) => from))]
  const cell = (from, to) => {
    const pair = pairs.find((candidate) => candidate.from === from && candidate.to === to)
    if (pair === undefined) return ''
    return pair.untouched ? 'untouched' : `${digits(pair.p50)} / ${digits(pair.p99)}`
  }
  const rows = versions.map((from) => [from, ...versions.map((to) => cell(from, to))])
  return `### ${title} (${bytes} bytes in the newest version)\n\np50 / p99 in µs, from the version on the left to the one above.\n\n${table(['', ...versions], rows)}`
}

function importTable(imports) {
  const rows = imports.map(({ specifier, ms, whole }) => [
    specifier,
    `${digits(ms)} ms`,
    `${digits(whole)} ms`,
    digits(ms / imports[1].ms),
  ])
  return table(['import', 'median', 'whole process', 'share'], rows)
}

function goalTable(goals) {
  return table(
    ['goal', 'met', 'figure'],
    goals.map(({ goal, met, figure }) => [goal, met ? 'yes' : 'NO', figure]),
  )
}

export function report({ environment, scenarios, promises, translation, imports, goals }) {
  const { command, date, node, processor, load, versions } = environment
  const named = Object.entries(versions).map(([name, version]) => `${name} (${version})`)
  return `# Engine benchmark

\`${command}\`, ${date}, Node ${node}, ${processor}, load average ${load.toFixed(1)} at the start; ${named.join(', ')}.

All implementations run in one process, in turn, in rounds that start with another one each time; the median of the rounds counts. Every message is written to JSON text
and read back. The floor is \`JSON.parse(JSON.stringify(message))\` of Parley's own messages of that operation, and nothing else; a share above 1 means that JSON work was
saved, as with lists that are kept as text. tmcp has no client: its requests are written by hand, which flatters it. The official SDKs need a new server value for each
connection, so theirs is made within "connect". "Work" is processor time in all threads of the process, which other programs on the machine do not change.

## Side by side

${scenarios.map(scenarioTable).join('\n\n')}

## Promised times

${promiseTable(promises)}

## Translation between versions

${translation.map(translationTable).join('\n\n')}

## Import time

${importTable(imports)}

## Goals

${goalTable(goals)}
`
}
