/** The figures of the gateway as a page to read. */
import { counted, digits, microseconds, table } from '../table.js'
import { pairs } from './parts.js'
import { peersIn } from './subjects.js'

const orNothing = (value, write) => (value === undefined || Number.isNaN(value) ? '' : write(value))

/** `base(name)`: which of the results one is held against. */
function resultTable({ title, results }, base, baseTitle) {
  const rows = Object.entries(results).map(([name, { us, low, high, work, p50, bytes }]) => [
    name,
    digits(1e6 / us),
    `${digits(1e6 / high)} – ${digits(1e6 / low)}`,
    orNothing(results[base(name)], ({ us: baseUs }) => digits(baseUs / us)),
    orNothing(p50, microseconds),
    orNothing(
      p50 === undefined || results.direct?.p50 === undefined ? undefined : p50 - results.direct.p50,
      microseconds,
    ),
    microseconds(work),
    bytes,
  ])
  return `### ${title}\n\n${table(['', 'per second', 'range', baseTitle, 'p50', 'added', 'work', 'bytes'], rows)}`
}

const timesBetterPeer = (scenario) => {
  const { peers } = peersIn(scenario.results)
  const [better] = peers.sort(([, a], [, b]) => a.us - b.us)[0] ?? []
  return resultTable(scenario, () => better, `times ${better ?? 'a peer'}`)
}

/** One call at a time on one processor, and over all of them. */
const withSpread = ({ spread, ...scenario }) => (spread === undefined ? [scenario] : [scenario, spread])

const shareOfProxy = (scenario) => resultTable(scenario, () => 'reverse proxy', 'share of the proxy')

const shareOfBase = (scenario) =>
  resultTable(scenario, (name) => pairs.find((pair) => pair.name === name)?.base, 'share of the same version')

function sessionTable({ sessions, results }) {
  const rows = Object.entries(results).map(([name, { right, calls, opening, bytes, heap, wrong }]) => [
    name,
    `${counted(right)} of ${counted(calls)}`,
    orNothing(opening, (ms) => `${digits(ms)} ms`),
    orNothing(heap, (held) => `${digits(held / 1024)} KiB`),
    orNothing(bytes, (held) => `${digits(held / 1024)} KiB`),
    wrong ?? '',
  ])
  return `### ${digits(sessions)} sessions at once\n\n${table(['', 'right answers', 'opening one', 'heap of each', 'memory of each', 'went wrong first'], rows)}`
}

const START_NAMES = {
  node: 'Node, an empty program',
  server: 'the server alone',
  bridge: 'the server behind parley bridge',
}

function startTable({ results, added, beyondNode }) {
  const rows = Object.entries(results).map(([name, { ms, low, high }]) => [
    START_NAMES[name],
    `${digits(ms)} ms`,
    `${digits(low)} – ${digits(high)} ms`,
  ])
  return `${table(['', 'p50', 'range'], rows)}\n\nThe bridge adds ${digits(added)} ms (p50), which is ${digits(beyondNode)} ms more than a start of Node.`
}

function goalTable(goals) {
  return table(
    ['goal', 'met', 'figure'],
    goals.map(({ goal, met, figure }) => [goal, met ? 'yes' : 'NO', figure]),
  )
}

const section = (title, tables) => (tables.length === 0 ? '' : `## ${title}\n\n${tables.join('\n\n')}\n\n`)

export function report({ environment, stdio = [], newest = [], start, http = [], translation = [], sessions, goals }) {
  const { command, date, node, processor, load, versions } = environment
  const named = Object.entries(versions).map(([name, version]) => `${name} (${version})`)
  return `# Gateway benchmark

\`${command}\`, ${date}, Node ${node}, ${processor}, load average ${load.toFixed(1)} at the start; ${named.join(', ')}.

Every gateway is a process of its own, and so is every server behind one: the same small program without any library for all. The load comes from the bench by hand-written HTTP
over connections that are kept alive: one client with one session, and so many calls under way at once. The status and length of every answer are checked, and the content of
the first. Subjects take turns, in rounds that start with another one each time. The median of the rounds counts.

How fast a process runs depends partly on luck at its start. So each part is measured in several trials, each with new processes: four for one call at a time over stdio, ten for
translation, three elsewhere. All subjects are warmed up with every load before anything is measured. Tables show the medians of each subject. Goals compare subjects within one
trial (for translation within one round), and take the median of that, since the machine may be busier in another trial.

"Direct" is the server without a gateway, over the pipes of its process or over HTTP. "Added" is how much longer than that the middle call (p50) takes. "Work" is processor time of
the gateway's process, or of the server's process where there is no gateway. The "bare relay" is what \`node:http\` and a pipe cost by themselves: a few lines that check, limit and
supervise nothing.

One call at a time over stdio is measured twice: with the bench, all gateways and all servers on one processor, and with them spread over all processors by the kernel. In the
first case, the added time is what the programs compute; goals are about that. In the second case, most of it is the time to wake a program on another processor. No gateway can
change that time, and it depends on where each program happens to run.

All run with their defaults, supergateway with sessions (\`--stateful\`; without them it starts a process for each request): goals are about these. "Pared down" is what the
peers can do at best, without what Parley does as well: mcp-proxy with Streamable HTTP alone, without its store of events and for the handshake era only (\`--server stream
--no-eventStore --no-modern\`), supergateway without its log (\`--logLevel none\`).

What translation costs is held against the same client with a server of its own version. All servers send the same there: tools with titles, annotations and here and there
an output schema, and small results with structured content, which later versions have added; so there is something to translate. One gateway serves all pairs of versions, since of one process all have the same luck.
A client of 2026-07-28 has no session, and a server of 2025-11-25 has nothing else. It is measured with the shortest configuration there is: the command of the
server, and nothing about sessions.

The start of the bridge is measured from the start of the process to the answer to \`initialize\`, which waits in the pipe from the beginning. Starts of Node alone, of the server alone and
of the server behind the bridge take turns. The goal is about the bridge less the server alone, less Node alone, all of one round: what remains is what the bridge itself takes.

Where many sessions are open, their clients declare no capabilities, since only such clients can share a server over stdio. The heap of a session is what it holds:
what the gateway's heap has grown by, after collections. The memory of a session is what its process has grown by (\`VmRSS\`), with what the load itself leaves behind in the process.

${section('A server over stdio, served over HTTP', stdio.flatMap(withSpread).map(timesBetterPeer))}${section(
  'A client of 2026-07-28 and a server of 2025-11-25 over stdio, in the default configuration',
  newest.map(timesBetterPeer),
)}${section('The start of parley bridge', start === undefined ? [] : [startTable(start)])}${section(
  'A server over HTTP, served over HTTP in the same version',
  http.map(shareOfProxy),
)}${section('Translation: version of the client → version of the server, HTTP on both sides', translation.map(shareOfBase))}${section(
  'Many sessions',
  sessions === undefined ? [] : [sessionTable(sessions)],
)}## Goals

${goalTable(goals)}
`
}
