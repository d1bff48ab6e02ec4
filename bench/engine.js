/**
 * The engine side by side with its peers, all in this process and all with real JSON on the way; then the engine's own
 * figures.
 */
import { compareScenarios, compareValues, concludeBeside } from './beside.js'
import { entryOf } from './checkout.js'
import { environment } from './environment.js'
import { enginePartsOf } from './figures/engine-parts.js'
import { measurePromises } from './figures/promises.js'
import { measureTranslation } from './figures/translation.js'
import { goalsOf } from './goals.js'
import { measureImports } from './import-time.js'
import { readOptions } from './options.js'
import { conclude } from './outcome.js'
import { parleyOf } from './peers/parley.js'
import { sdk1 } from './peers/sdk-1.js'
import { sdk2 } from './peers/sdk-2.js'
import { tmcp } from './peers/tmcp.js'
import { report } from './report.js'
import { compete } from './rounds.js'
import { contenders, scenarios } from './scenarios.js'
import { digits, microseconds } from './table.js'

const EFFORT = {
  full: { rounds: 15, seconds: 0.4, samples: 20_000, imports: 15 },
  quick: { rounds: 5, seconds: 0.1, samples: 2000, imports: 3 },
}

const progress = (text) => process.stderr.write(`${text}\n`)

/** The first of `peers` is the one whose messages are the floor. */
async function sideBySide(peers, effort) {
  const measured = []
  for (const scenario of scenarios) {
    progress(`… ${scenario.title}`)
    const prepared = await contenders(scenario, peers, peers[0])
    const results = await compete(prepared.entries, effort)
    await prepared.close()
    measured.push({ id: scenario.id, title: scenario.title, bytes: prepared.bytes, results })
  }
  return measured
}

/** What is measured of each engine alone: one entry of each list for each of `engines`. */
async function ownFigures(engines, effort) {
  progress('… promised times')
  const promises = await measurePromises(engines, effort.samples)
  progress('… translation between versions')
  return { promises, translation: measureTranslation(engines, effort.samples) }
}

async function besideOther(options, effort) {
  const { checkouts } = options
  const peers = await Promise.all(checkouts.map(parleyOf))
  const rows = compareScenarios(await sideBySide(peers, effort))
  const engines = await Promise.all(checkouts.map(({ root }) => enginePartsOf(root)))
  const { promises, translation } = await ownFigures(engines, effort)
  const byName = (name, values) => Object.fromEntries(checkouts.map(({ nameOf }, at) => [nameOf(name), values[at]]))
  for (const [at, { title }] of promises[0].entries()) {
    const p50 = promises.map((measured) => measured[at].p50)
    rows.push(...compareValues(`${title}: p50`, byName('parley', p50), microseconds))
  }
  for (const [at, { title }] of translation[0].entries()) {
    const sums = translation.map((measured) => measured[at].pairs.reduce((sum, { p50 }) => sum + p50, 0))
    rows.push(...compareValues(`translation of ${title}: sum of all pairs, p50`, byName('parley', sums), microseconds))
  }
  progress('… import time')
  const entries = checkouts.map(({ root }) => entryOf(root, 'server'))
  const imports = measureImports(entries, effort.imports).map(({ ms }) => ms)
  rows.push(...compareValues('import of parley-mcp/server', byName('parley', imports), (ms) => `${digits(ms)} ms`))
  concludeBeside(rows, options)
}

export async function run(args) {
  const options = readOptions(args)
  const effort = options.quick ? EFFORT.quick : EFFORT.full
  if (options.beside !== undefined) return await besideOther(options, effort)
  const [own] = options.checkouts
  const peers = [await parleyOf(own), sdk1, sdk2, tmcp]
  const figures = {
    environment: environment(['npm run bench -- engine', ...args].join(' '), peers),
    scenarios: await sideBySide(peers, effort),
  }
  const {
    promises: [promises],
    translation: [translation],
  } = await ownFigures([await enginePartsOf(own.root)], effort)
  Object.assign(figures, { promises, translation })
  progress('… import time')
  figures.imports = measureImports(['parley-mcp/server', '@modelcontextprotocol/server'], effort.imports)
  figures.goals = goalsOf(figures)

  conclude('engine', figures, report(figures), options)
}
