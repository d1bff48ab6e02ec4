/** Servers over HTTP and stdio, side by side with their peers and with bare floors, each in a process of its own. */
import { parseArgs } from 'node:util'
import { environment } from './environment.js'
import { conclude } from './outcome.js'
import { compete } from './rounds.js'
import { coldStarts } from './transports/cold-start.js'
import { goalsOf } from './transports/goals.js'
import { idleMemory } from './transports/idle-memory.js'
import { report } from './transports/report.js'
import { SLOW_TO_OPEN, scenarios } from './transports/scenarios.js'
import { startServer } from './transports/server-process.js'

const floor = { name: 'floor', file: 'floor' }
const peers = [
  { name: 'parley', file: 'parley', package: 'parley-mcp' },
  { name: 'SDK 1.32', file: 'sdk-1', package: 'sdk-2025-11-25' },
  { name: 'SDK 2.4', file: 'sdk-2', package: '@modelcontextprotocol/server' },
  { name: 'fastmcp', file: 'fastmcp', package: 'fastmcp' },
  { name: 'tmcp', file: 'tmcp', package: 'tmcp' },
]

const EFFORT = {
  full: { rounds: 9, seconds: 0.4, warmUp: 1.5, idle: { sessions: 1000, rounds: 3 }, starts: 15 },
  quick: { rounds: 3, seconds: 0.15, warmUp: 0.4, idle: { sessions: 200, rounds: 1 }, starts: 3 },
}

const say = (text) => process.stderr.write(`${text}\n`)

async function sideBySide(scenario, entries, effort) {
  const servers = []
  const prepared = []
  try {
    for (const { name, file } of entries.filter(({ file }) => !scenario.without?.includes(file))) {
      const isFloor = name === floor.name
      const server = await startServer(file, isFloor ? (scenario.floor ?? scenario.server) : scenario.server)
      servers.push(server)
      const runner = await scenario.prepare(server, isFloor)
      prepared.push({ ...runner, name, work: async () => (await server.costs()).work })
    }
    const results = await compete(prepared, effort)
    return { id: scenario.id, title: scenario.title, goal: scenario.goal, bytes: Object.fromEntries(prepared.map(({ name, bytes }) => [name, bytes])), results }
  } finally {
    for (const { close } of prepared) close()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function eachIdle(entries, effort) {
  const bytes = {}
  for (const { name, file } of entries.filter(({ file }) => !SLOW_TO_OPEN.includes(file))) bytes[name] = await idleMemory(file, effort)
  return bytes
}

/** `--only http-json,idle` and `--peers parley,tmcp` leave the rest out. */
export async function run(args) {
  const options = { quick: { type: 'boolean' }, check: { type: 'boolean' }, only: { type: 'string' }, peers: { type: 'string' } }
  const { values } = parseArgs({ args, options })
  const effort = values.quick ? EFFORT.quick : EFFORT.full
  const wanted = (id) => values.only === undefined || values.only.split(',').includes(id)
  const entries = [floor, ...peers.filter(({ file }) => values.peers === undefined || values.peers.split(',').includes(file))]

  const figures = { environment: environment(['npm run bench -- transports', ...args].join(' '), entries.slice(1)), scenarios: [] }
  for (const scenario of scenarios.filter(({ id }) => wanted(id))) {
    say(`… ${scenario.title}`)
    figures.scenarios.push(await sideBySide(scenario, entries, effort))
  }
  if (wanted('idle')) {
    say('… memory of idle sessions')
    figures.idle = await eachIdle(entries, effort.idle)
  }
  if (wanted('start')) {
    say('… cold start')
    figures.starts = await coldStarts(entries, effort.starts)
  }
  figures.goals = goalsOf(figures)

  conclude('transports', figures, report(figures), values)
}
