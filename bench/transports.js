/** Servers over HTTP and stdio, side by side with their peers and with bare floors, each in a process of its own. */
import { compareScenarios, compareValues, concludeBeside } from './beside.js'
import { environment } from './environment.js'
import { readOptions } from './options.js'
import { conclude } from './outcome.js'
import { compete } from './rounds.js'
import { digits } from './table.js'
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

const progress = (text) => process.stderr.write(`${text}\n`)

async function sideBySide(scenario, entries, effort) {
  const servers = []
  const prepared = []
  try {
    for (const { name, file, root } of entries.filter(({ file }) => !scenario.without?.includes(file))) {
      const isFloor = name === floor.name
      const wanted = isFloor ? (scenario.floor ?? scenario.server) : scenario.server
      const server = await startServer(file, { ...wanted, root })
      servers.push(server)
      const runner = await scenario.prepare(server, isFloor)
      prepared.push({ ...runner, name, work: async () => (await server.costs()).work })
    }
    const results = await compete(prepared, effort)
    return {
      id: scenario.id,
      title: scenario.title,
      goal: scenario.goal,
      bytes: Object.fromEntries(prepared.map(({ name, bytes }) => [name, bytes])),
      results,
    }
  } finally {
    for (const { close } of prepared) close()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function eachIdle(entries, effort) {
  const bytes = {}
  for (const entry of entries.filter(({ file }) => !SLOW_TO_OPEN.includes(file)))
    bytes[entry.name] = await idleMemory(entry, effort)
  return bytes
}

async function measure(entries, { isPart }, effort) {
  const figures = { scenarios: [] }
  for (const scenario of scenarios.filter(({ id }) => isPart(id))) {
    progress(`… ${scenario.title}`)
    figures.scenarios.push(await sideBySide(scenario, entries, effort))
  }
  if (isPart('idle')) {
    progress('… memory of idle sessions')
    figures.idle = await eachIdle(entries, effort.idle)
  }
  if (isPart('start')) {
    progress('… cold start')
    figures.starts = await coldStarts(entries, effort.starts)
  }
  return figures
}

async function besideOther(options, effort) {
  const entries = options.checkouts.map(({ root, nameOf }) => ({ name: nameOf('parley'), file: 'parley', root }))
  const { scenarios, idle = {}, starts = {} } = await measure(entries, options, effort)
  const times = Object.fromEntries(Object.entries(starts).map(([name, { ms }]) => [name, ms]))
  const rows = [
    ...compareScenarios(scenarios),
    ...compareValues('memory of an idle session', idle, (bytes) => `${digits(bytes / 1024)} KiB`),
    ...compareValues('cold start over stdio', times, (ms) => `${digits(ms)} ms`),
  ]
  concludeBeside(rows, options)
}

export async function run(args) {
  const options = readOptions(args)
  const effort = options.quick ? EFFORT.quick : EFFORT.full
  if (options.beside !== undefined) return await besideOther(options, effort)
  const wanted = peers.filter(({ file }) => options.isPeer(file))
  const figures = {
    environment: environment(['npm run bench -- transports', ...args].join(' '), wanted),
    ...(await measure([floor, ...wanted], options, effort)),
  }
  figures.goals = goalsOf(figures)

  conclude('transports', figures, report(figures), options)
}
