/**
 * `npm run interop -- published [WORDS] [--json FILE]`: servers of the npm registry, in exact versions. Published
 * clients of three versions look at each directly and through Parley. A difference that no rule explains is a failure.
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startGateway } from '../../scripts/gateway.js'
import { CLIENTS } from './clients.js'
import { besides, differences, sizeOf } from './compare.js'
import { install } from './install.js'
import { meetAtAggregate, meetAtOwnAddress, meetBehindBridge, meetDirectly } from './meet.js'
import { ruleFor } from './rules.js'
import { Sandbox } from './sandbox.js'
import { notesOn, summaryOf, tableOf } from './table.js'

/** Servers behind one gateway. */
const GROUP = 8
const AT_ONCE = 3
const KEPT = 1_000_000

const { before, servers: SERVERS } = JSON.parse(readFileSync(new URL('servers.json', import.meta.url), 'utf8'))

async function each(items, work) {
  const waiting = [...items]
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** The server with what clients see of it directly, or with the reason why it is not tried. */
async function prepare(server, sandbox) {
  try {
    const file = await install(server, before)
    const start = () => sandbox.commandFor(file, server.args)
    return { server, start, ...(await meetDirectly(server, start)) }
  } catch (error) {
    return { server, notTried: sandbox.settled(error.message.split('\n')[0]) }
  }
}

/** What was found in one way: unexplained differences, rules for the others, and how many values were compared. */
function judge({ direct, varying, name }, client, way, seen, log, sandbox) {
  if (seen instanceof Error)
    return {
      client: client.title,
      way,
      compared: 0,
      rules: [],
      unexplained: [{ path: '', direct: 'a connection', seen: seen.message }],
    }
  const expected = JSON.parse(sandbox.settled(JSON.stringify(direct[client.version])))
  const { said = '', ...rest } = JSON.parse(sandbox.settled(JSON.stringify(seen)))
  const found = besides(differences(expected, rest), varying)
  const at = { client: client.version, way, name, log: `${log}${said}`, expected }
  const ruled = found.map((difference) => ({ difference, rule: ruleFor(difference, at) }))
  return {
    client: client.title,
    way,
    compared: sizeOf(expected),
    rules: ruled.flatMap(({ rule }) => (rule === undefined ? [] : [rule.id])),
    unexplained: ruled.filter(({ rule }) => rule === undefined).map(({ difference }) => difference),
  }
}

const orError = (promise) => promise.catch((error) => error)

/** All ways through Parley, for servers that share a gateway. */
async function meetGroup(group, sandbox) {
  const named = group.map((prepared, index) => ({ ...prepared, name: `s${index + 1}` }))
  const folder = sandbox.newHome()
  const mcpServers = Object.fromEntries(named.map(({ name, start }) => [name, start()]))
  const env = { PATH: process.env.PATH, HOME: folder }
  const gateway = await startGateway({ mcpServers, gateway: { log: 'info' } }, folder, { env, kept: KEPT })
  const results = new Map(
    named.map(({ name, server, tools, plan }) => [name, { server, tools, calls: plan.calls.length, ways: [] }]),
  )
  const add = (prepared, ...rest) =>
    results.get(prepared.name).ways.push(judge(prepared, ...rest, gateway.said(), sandbox))
  try {
    await each(named, async (prepared) => {
      for (const client of CLIENTS) {
        add(
          prepared,
          client,
          'own',
          await orError(meetAtOwnAddress(client, gateway.origin, prepared.name, prepared.plan)),
        )
        add(prepared, client, 'bridge', await orError(meetBehindBridge(client, prepared.start(), prepared.plan)))
      }
    })
    for (const client of CLIENTS) {
      const seen = await orError(meetAtAggregate(client, gateway.origin, named))
      for (const prepared of named) add(prepared, client, 'all', seen instanceof Error ? seen : seen[prepared.name])
    }
  } finally {
    await gateway.stop()
  }
  return [...results.values()]
}

export async function runPublished(args) {
  const { values, positionals: words } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'string' } },
  })
  const chosen = SERVERS.filter(({ name }) => words.every((word) => name.includes(word)))
  if (chosen.length === 0) {
    console.error(
      ['No server has all of:', ...words, '\nThere are:', ...SERVERS.map(({ name }) => `\n  ${name}`)].join(' '),
    )
    return 2
  }
  const began = Date.now()
  const sandbox = new Sandbox()
  const results = []
  const absent = []
  const left = { direct: [], parley: [] }
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      sandbox.close()
      process.exit(1)
    })
  try {
    for (let from = 0; from < chosen.length; from += GROUP) {
      const prepared = []
      const part = chosen.slice(from, from + GROUP)
      await each(part, async (server) => (prepared[part.indexOf(server)] = await prepare(server, sandbox)))
      absent.push(...prepared.filter(({ notTried }) => notTried !== undefined))
      left.direct.push(...(await sandbox.endLeftovers()))
      const present = prepared.filter(({ notTried }) => notTried === undefined)
      if (present.length > 0) results.push(...(await meetGroup(present, sandbox)))
      left.parley.push(...(await sandbox.endLeftovers()))
      process.stderr.write(
        `${from + part.length} of ${chosen.length} servers, ${Math.round((Date.now() - began) / 1000)} s\n`,
      )
    }
  } finally {
    sandbox.close()
  }
  for (const line of [...tableOf(results), '', ...notesOn(results, absent, left)]) console.log(line)
  console.log(`servers ran ${sandbox.what}`)
  console.log(summaryOf(results, absent, left))
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ results, absent, left }, undefined, 2)}\n`)
  return left.parley.length === 0 &&
    results.every(({ ways }) => ways.every(({ unexplained }) => unexplained.length === 0))
    ? 0
    : 1
}
