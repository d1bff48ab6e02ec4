/** The figures of the stateless era as a page to read. */
import { scenarioTable } from '../scenario-table.js'
import { digits, microseconds, table } from '../table.js'

function engineTable({ title, base, results }) {
  const rows = Object.entries(results).map(([name, { us, low, high, work }]) => [
    name,
    microseconds(us),
    `${digits(low)} – ${digits(high)}`,
    digits(results[base].us / us),
    microseconds(work),
    digits(results[base].work / work),
  ])
  return `### ${title}\n\n${table(['', 'median', 'range (µs)', `share of "${base}"`, 'work', 'its share'], rows)}`
}

function parkedTable({ calls, ...parked }) {
  const rows = Object.entries(parked).map(([link, bytes]) => [link, digits(bytes / 1024)])
  return `### memory of a call that waits for an answer, ${digits(calls)} at a time\n\n${table(['over', 'KiB each'], rows)}`
}

function goalTable(goals) {
  return table(
    ['goal', 'met', 'figure'],
    goals.map(({ goal, met, figure }) => [goal, met ? 'yes' : 'NO', figure]),
  )
}

export function report({ environment, scenarios, engine, parked, goals }) {
  const { command, date, node, processor, load, versions } = environment
  const named = Object.entries(versions).map(([name, version]) => `${name} (${version})`)
  const tables = [
    ...scenarios.map(scenarioTable),
    ...engine.map(engineTable),
    ...(parked === undefined ? [] : [parkedTable(parked)]),
  ]
  return `# Benchmark of the stateless era

\`${command}\`, ${date}, Node ${node}, ${processor}, load average ${load.toFixed(1)} at the start; ${named.join(', ')}.

Over HTTP each server is a process of its own, with the same tool and the same schema; the load comes from the bench over connections that are kept alive, by hand-written HTTP.
Contenders take turns, in rounds that start with another one each time; the median of the rounds counts. The floor is a server without any library: \`node:http\`,
\`JSON.parse\` of the body, a look at the method, the tool, \`JSON.stringify\`; it reads no header, checks nothing and keeps nothing, and its answers say all that the
version demands. All servers run with their defaults: Parley and the official SDK answer as JSON, tmcp with event streams only. The official SDK makes a server value
for each request, as it is meant to. "Work" is processor time of the server's process, or of this one where there is no other.

Calls that ask are made twice: the first time they are answered with a question and a state, the second time they bring both back. The floor seals and keeps nothing. "park" suspends
the handler meanwhile, "replay" (\`stateless: true\`) runs it again. These rates are for information.

What being able to ask costs those who do not: three copies of the engine answer the same call of a tool whose handler never touches its context. "cannot ask" has the context and the
parking of calls exchanged for ones that hold the request and can do nothing with it; "can ask" is the engine as it is; "can ask, by replay" is the same with \`stateless: true\`.

Parked calls are measured in a process with nothing else to do, after collections, as the growth by a further batch; the calls of earlier batches stay parked.

## Figures

${tables.join('\n\n')}

## Goals

${goalTable(goals)}
`
}
