/**
 * The stateless era: calls over HTTP beside peers and a bare floor, the engine beside its own handshake era, and what
 * it takes to ask.
 */
import { compareScenarios, compareValues, concludeBeside } from './beside.js'
import { environment } from './environment.js'
import { readOptions } from './options.js'
import { conclude } from './outcome.js'
import { compete } from './rounds.js'
import { engineParts } from './stateless/engine.js'
import { goalsOf } from './stateless/goals.js'
import { parkedMemory } from './stateless/parked-memory.js'
import { report } from './stateless/report.js'
import { peers, scenarios } from './stateless/scenarios.js'
import { digits } from './table.js'
import { startServer } from './transports/server-process.js'

/**
 * Rounds within one process are short and many: differences of a few hundredths are looked for, and what disturbs
 * should hit all contenders alike.
 */
const EFFORT = {
  full: {
    http: { rounds: 9, seconds: 0.4, warmUp: 1.5 },
    engine: { rounds: 301, seconds: 0.02, warmUp: 1 },
    parked: { calls: 1000, batches: 5 },
  },
  quick: {
    http: { rounds: 3, seconds: 0.15, warmUp: 0.4 },
    engine: { rounds: 51, seconds: 0.01, warmUp: 0.3 },
    parked: { calls: 1000, batches: 3 },
  },
}

const progress = (text) => process.stderr.write(`${text}\n`)

async function overHttp({ id, title, goal, server: wanted, prepare }, entries, effort) {
  const servers = []
  const prepared = []
  try {
    for (const { name, file, suite, root } of entries) {
      const server = await startServer(file, { ...wanted, suite, root })
      servers.push(server)
      prepared.push({ ...(await prepare(server)), name, work: async () => (await server.costs()).work })
    }
    const results = await compete(prepared, effort)
    return { id, title, goal, bytes: Object.fromEntries(prepared.map(({ name, bytes }) => [name, bytes])), results }
  } finally {
    for (const { close } of prepared) close()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** `entriesOf(scenario)`: the servers that are measured. */
async function measure({ isPart, checkouts }, effort, entriesOf, parts) {
  const figures = { scenarios: [], engine: [] }
  for (const scenario of scenarios.filter(({ id }) => isPart(id))) {
    progress(`… ${scenario.title}`)
    figures.scenarios.push(await overHttp(scenario, entriesOf(scenario), effort.http))
  }
  for (const { id, title, base, goal, measure } of parts.filter(({ id }) => isPart(id))) {
    progress(`… ${title}`)
    figures.engine.push({ id, title, base, goal, results: await measure(effort.engine, checkouts) })
  }
  return figures
}

const PARKED = 'memory of parked calls'

/** The part that loads another copy of the engine says nothing about another checkout. */
async function besideOther(options, effort) {
  const { checkouts, isPart } = options
  const entriesOf = ({ entries }) =>
    entries
      .filter(({ isParley }) => isParley)
      .flatMap((entry) => checkouts.map(({ root, nameOf }) => ({ ...entry, name: nameOf(entry.name), root })))
  const parts = engineParts.filter(({ id }) => id !== 'ability')
  const { scenarios, engine } = await measure(options, effort, entriesOf, parts)
  const rows = compareScenarios([...scenarios, ...engine])
  if (isPart('parked')) {
    progress(`… ${PARKED}`)
    const held = {}
    for (const checkout of checkouts) {
      const { calls, ...parked } = await parkedMemory(checkout, effort.parked)
      for (const [link, bytes] of Object.entries(parked)) held[checkout.nameOf(link)] = bytes
    }
    rows.push(...compareValues(PARKED, held, (bytes) => `${digits(bytes / 1024)} KiB`))
  }
  concludeBeside(rows, options)
}

export async function run(args) {
  const options = readOptions(args)
  const effort = options.quick ? EFFORT.quick : EFFORT.full
  if (options.beside !== undefined) return await besideOther(options, effort)
  const isWanted = ({ package: peer, file }) => peer === undefined || options.isPeer(file)
  const figures = {
    environment: environment(['npm run bench -- stateless', ...args].join(' '), peers.filter(isWanted)),
    ...(await measure(options, effort, ({ entries }) => entries.filter(isWanted), engineParts)),
  }
  if (options.isPart('parked')) {
    progress(`… ${PARKED}`)
    figures.parked = await parkedMemory(options.checkouts[0], effort.parked)
  }
  figures.goals = goalsOf(figures)

  conclude('stateless', figures, report(figures), options)
}
