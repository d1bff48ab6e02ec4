/** `npm run interop [-- few] [WORDS]`: Parley and published clients and servers, in all pairs, in a few, or in those whose description has the words. */
import { PROBES } from './contract.js'
import { fewPairs, pairs } from './pairs.js'
import { Recording } from './record.js'
import { haveSchemas } from './schemas.js'
import { showTable } from './table.js'

const PATIENCE = 15_000

/** `ok`, `n/a` or what went wrong. */
async function tried(probe, subject, pair) {
  let timer
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happened for ${PATIENCE / 1000} s`)), PATIENCE)
  })
  try {
    await Promise.race([probe(subject, pair), tooLate])
    return 'ok'
  } catch (error) {
    return String(error?.message ?? error)
  } finally {
    clearTimeout(timer)
  }
}

async function meet(pair) {
  const recording = new Recording()
  const outcomes = {}
  const { subject, close } = await pair.meet(recording).catch((error) => ({ close: () => {}, subject: error }))
  for (const name of PROBES) {
    if (pair.lacks.includes(name)) outcomes[name] = 'n/a'
    else outcomes[name] = subject instanceof Error ? `no connection: ${subject.message}` : await tried(pair.probes[name], subject, pair)
  }
  try {
    await close()
  } catch (error) {
    outcomes.close = `closing failed: ${error.message}`
  }
  const agreed = recording.versions.join(' and ') || 'nothing'
  if (outcomes.initialize === 'ok' && agreed !== pair.version) outcomes.initialize = `agreed on ${agreed} instead of ${pair.version}`
  return { pair, outcomes, frames: recording.count, flaws: recording.flaws() }
}

const [first, ...rest] = process.argv.slice(2)
const isFew = first === 'few'
const words = isFew || first === undefined ? rest : [first, ...rest]
const describe = ({ peer, role, transport, version }) => `${peer} ${role} ${transport} ${version}`.toLowerCase()
const chosen = (isFew ? fewPairs : pairs).filter((pair) => words.every((word) => describe(pair).includes(word.toLowerCase())))
if (chosen.length === 0) {
  console.error(`No pair has all of: ${words.join(', ')}\nThere are:\n${pairs.map((pair) => `  ${describe(pair)}`).join('\n')}`)
  process.exit(2)
}

const meetings = []
for (const pair of chosen) meetings.push(await meet(pair))

const failed = showTable(meetings)
console.log(
  haveSchemas ? 'every frame was held against the official schemas' : 'official schemas: not at hand (PARLEY_SPEC_SCHEMAS names the folder that has them)',
)
const good = meetings.length - failed
console.log(`${good} of ${meetings.length} pairs get along, ${meetings.reduce((total, { frames }) => total + frames, 0)} frames`)
process.exitCode = failed === 0 ? 0 : 1
