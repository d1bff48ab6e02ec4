/**
 * `npm run interop [-- few] [WORDS]`: Parley and published clients and servers, in all pairs, in a few, or in those
 * whose description has the words. `npm run interop -- gateway …`: published clients and servers among themselves,
 * through the gateway. `npm run interop -- regressions …`: peers of shapes that break other gateways. `npm run interop
 * -- published …`: servers of the npm registry, directly and through Parley.
 */
import { PROBES } from './contract.js'
import { fewPairs, pairs } from './pairs.js'
import { Recording } from './record.js'
import { haveSchemas } from './schemas.js'
import { showTable } from './table.js'
import { within } from './within.js'

const PATIENCE = 15_000
const AT_ONCE = 3

/** `ok`, `n/a` or what went wrong. */
async function tried(probe, subject, pair) {
  try {
    await within(PATIENCE, probe(subject, pair))
    return 'ok'
  } catch (error) {
    return String(error?.message ?? error)
  }
}

async function meet(pair) {
  const recording = new Recording()
  const outcomes = {}
  const { subject, close } = await pair.meet(recording).catch((error) => ({ close: () => {}, subject: error }))
  for (const name of PROBES) outcomes[name] = await outcomeOf(name, subject, pair)
  try {
    await close()
  } catch (error) {
    outcomes.close = `closing failed: ${error.message}`
  }
  const spoken = recording.versions.join(' and ') || 'nothing'
  if (outcomes.initialize === 'ok' && spoken !== (pair.version ?? 'nothing'))
    outcomes.initialize = `they spoke ${spoken} instead of ${pair.version ?? 'nothing'}`
  if (outcomes.together === 'ok' && isStateless(pair) && recording.mostQuestions < 2)
    outcomes.together = 'the questions did not come together'
  return { pair, outcomes, recording }
}

const isStateless = ({ version }) => version === '2026-07-28'

async function outcomeOf(name, subject, pair) {
  if (subject instanceof Error) return name === 'initialize' ? `no connection: ${subject.message}` : 'n/a'
  // That they did not find a common version is what was to be seen.
  if (pair.version === undefined) return name === 'initialize' ? 'ok' : 'n/a'
  return name in pair.lacks ? 'n/a' : await tried(pair.probes[name], subject, pair)
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'gateway') {
  const { runThroughGateway } = await import('./gateway/run.js')
  process.exit(await runThroughGateway(rest))
}
if (first === 'regressions') {
  const { runRegressions } = await import('./regressions/run.js')
  process.exit(await runRegressions(rest))
}
if (first === 'published') {
  const { runPublished } = await import('./published/run.js')
  process.exit(await runPublished(rest))
}
const isFew = first === 'few'
const words = isFew || first === undefined ? rest : [first, ...rest]
const describe = ({ client, server, role, transport, version = 'refused' }) =>
  `${client} → ${server} ${role} ${transport} ${version}`.toLowerCase()
const chosen = (isFew ? fewPairs : pairs).filter((pair) =>
  words.every((word) => describe(pair).includes(word.toLowerCase())),
)
if (chosen.length === 0) {
  console.error(
    `No pair has all of: ${words.join(', ')}\nThere are:\n${pairs.map((pair) => `  ${describe(pair)}`).join('\n')}`,
  )
  process.exit(2)
}

// Most of a meeting is waiting for programs to start.
const meetings = []
const waiting = [...chosen.entries()]
async function meetNext() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) meetings[next[0]] = await meet(next[1])
}
await Promise.all(Array.from({ length: AT_ONCE }, meetNext))

// Only now: it takes time that others would have to wait in the middle of their meetings.
const failed = showTable(
  meetings.map(({ recording, ...meeting }) => ({ ...meeting, frames: recording.count, flaws: recording.flaws() })),
)
console.log(
  haveSchemas
    ? 'every frame was held against the official schemas'
    : 'official schemas: not at hand (PARLEY_SPEC_SCHEMAS names the folder that has them)',
)
const good = meetings.length - failed
console.log(
  `${good} of ${meetings.length} pairs get along, ${meetings.reduce((total, { recording }) => total + recording.count, 0)} frames`,
)
process.exitCode = failed === 0 ? 0 : 1
