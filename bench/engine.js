/** The engine side by side with its peers, all in this process and all with real JSON on the way; then the engine's own figures. */
import { parseArgs } from 'node:util'
import { environment } from './environment.js'
import { measurePromises } from './figures/promises.js'
import { measureTranslation } from './figures/translation.js'
import { goalsOf } from './goals.js'
import { measureImports } from './import-time.js'
import { conclude } from './outcome.js'
import { parley } from './peers/parley.js'
import { sdk1 } from './peers/sdk-1.js'
import { sdk2 } from './peers/sdk-2.js'
import { tmcp } from './peers/tmcp.js'
import { report } from './report.js'
import { compete } from './rounds.js'
import { contenders, scenarios } from './scenarios.js'

const peers = [parley, sdk1, sdk2, tmcp]

const EFFORT = {
  full: { rounds: 15, seconds: 0.4, samples: 20_000, imports: 15 },
  quick: { rounds: 5, seconds: 0.1, samples: 2000, imports: 3 },
}

const say = (text) => process.stderr.write(`${text}\n`)

async function sideBySide(effort) {
  const measured = []
  for (const scenario of scenarios) {
    say(`… ${scenario.title}`)
    const prepared = await contenders(scenario, peers, parley)
    const results = await compete(prepared.entries, effort)
    await prepared.close()
    measured.push({ id: scenario.id, title: scenario.title, bytes: prepared.bytes, results })
  }
  return measured
}

export async function run(args) {
  const { values } = parseArgs({ args, options: { quick: { type: 'boolean' }, check: { type: 'boolean' } } })
  const effort = values.quick ? EFFORT.quick : EFFORT.full
  const figures = { environment: environment(['npm run bench -- engine', ...args].join(' '), peers), scenarios: await sideBySide(effort) }
  say('… promised times')
  figures.promises = await measurePromises(effort.samples)
  say('… translation between versions')
  figures.translation = measureTranslation(effort.samples)
  say('… import time')
  figures.imports = measureImports(['parley-mcp/server', '@modelcontextprotocol/server'], effort.imports)
  figures.goals = goalsOf(figures)

  conclude('engine', figures, report(figures), values)
}
