/** The figures of the transports as a page to read. */
import { scenarioTable } from '../scenario-table.js'
import { digits, table } from '../table.js'

function idleTable(idle) {
  const rows = Object.entries(idle).map(([name, bytes]) => [name, digits(bytes / 1024), digits(bytes / idle.floor)])
  return `### memory of an idle session over HTTP\n\n${table(['server', 'KiB', 'times the floor'], rows)}`
}

function startTable(starts) {
  const { floor } = starts
  const rows = Object.entries(starts).map(([name, { ms, low, high, work }]) => [
    name,
    `${digits(ms)} ms`,
    `${digits(low)} – ${digits(high)}`,
    digits(ms / floor.ms),
    `${digits(work)} ms`,
    digits(work / floor.work),
  ])
  const head = ['server', 'median', 'range (ms)', 'times the floor', 'work', 'times its work']
  return `### cold start over stdio: from the start of the process to the answer to initialize\n\n${table(head, rows)}`
}

function goalTable(goals) {
  return table(
    ['goal', 'met', 'figure'],
    goals.map(({ goal, met, figure }) => [goal, met ? 'yes' : 'NO', figure]),
  )
}

export function report({ environment, scenarios, idle, starts, goals }) {
  const { command, date, node, processor, load, versions } = environment
  const named = Object.entries(versions).map(([name, version]) => `${name} (${version})`)
  const tables = [
    ...scenarios.map(scenarioTable),
    ...(idle === undefined ? [] : [idleTable(idle)]),
    ...(starts === undefined ? [] : [startTable(starts)]),
  ]
  return `# Transport benchmark

\`${command}\`, ${date}, Node ${node}, ${processor}, load average ${load.toFixed(1)} at the start; ${named.join(', ')}.

Each server is a process of its own, with the same tool and the same schema; the load comes from the bench by hand-written HTTP and newline frames, so that the server is what
is measured. Servers take turns, in rounds that start with another one each time; the median of the rounds counts. The floor is a server without any library: \`node:http\` or
a pipe, \`JSON.parse\`, the tool, \`JSON.stringify\`; it checks nothing and keeps next to nothing. A share above 1 means that work was saved, as with lists that are kept as
bytes. Event streams are held against the floor's answer as JSON. "Work" is processor time of the server's process, which other programs on the machine hardly change.
tmcp answers with event streams only, also where it lists tools and opens sessions. Cold starts are measured with one tool that takes no arguments, so that nobody loads a schema library for it.

## Side by side

${tables.join('\n\n')}

## Goals

${goalTable(goals)}
`
}
