/** The stateless era: calls over HTTP beside peers and a bare floor, the engine beside its own handshake era, and what it takes to ask. */
import { parseArgs } from 'node:util'
import { environment } from './environment.js'
import { conclude } from './outcome.js'
import { compete } from './rounds.js'
import { engineParts } from './stateless/engine.js'
import { goalsOf } from './stateless/goals.js'
import { parkedMemory } from './stateless/parked-memory.js'
import { report } from './stateless/report.js'
import { peers, scenarios } from './stateless/scenarios.js'
import { startServer } from './transports/server-process.js'

/** Rounds within one process are short and many: differences of a few hundredths are looked for, and what disturbs should hit all contenders alike. */
const EFFORT = {
  full: { http: { rounds: 9, seconds: 0.4, warmUp: 1.5 }, engine: { rounds: 301, seconds: 0.02, warmUp: 1 }, parked: { calls: 1000, batches: 5 } },
  quick: { http: { rounds: 3, seconds: 0.15, warmUp: 0.4 }, engine: { rounds: 51, seconds: 0.01, warmUp: 0.3 }, parked: { calls: 1000, batches: 3 } },
}

const say = (text) => process.stderr.write(`${text}\n`)

async function overHttp({ id, title, goal, entries, server: wanted, prepare }, isWanted, effort) {
  const servers = []
  const prepared = []
  try {
    for (const { name, file, suite } of entries.filter(isWanted)) {
      const server = await startServer(file, { ...wanted, suite })
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

/** `--only call,parked` and `--peers parley,tmcp` leave the rest out. */
export async function run(args) {
  const options = { quick: { type: 'boolean' }, check: { type: 'boolean' }, only: { type: 'string' }, peers: { type: 'string' } }
  const { values } = parseArgs({ args, options })
  const effort = values.quick ? EFFORT.quick : EFFORT.full
  const wanted = ({ id }) => values.only === undefined || values.only.split(',').includes(id)
  const named = ({ package: peer, file }) => peer === undefined || values.peers === undefined || values.peers.split(',').includes(file)

  const figures = { environment: environment(['npm run bench -- stateless', ...args].join(' '), peers.filter(named)), scenarios: [], engine: [] }
  for (const scenario of scenarios.filter(wanted)) {
    say(`… ${scenario.title}`)
    figures.scenarios.push(await overHttp(scenario, named, effort.http))
  }
  for (const { id, title, base, goal, measure } of engineParts.filter(wanted)) {
    say(`… ${title}`)
    figures.engine.push({ id, title, base, goal, results: await measure(effort.engine) })
  }
  if (wanted({ id: 'parked' })) {
    say('… memory of parked calls')
    figures.parked = await parkedMemory(effort.parked)
  }
  figures.goals = goalsOf(figures)

  conclude('stateless', figures, report(figures), values)
}
