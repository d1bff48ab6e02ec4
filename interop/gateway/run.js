/**
 * `npm run interop -- gateway [few|direct] [WORDS] [--json FILE]`: published clients and published servers, which meet
 * through the gateway; in all pairs, every two versions once (`few`), or, to see whether the probes are right, those of
 * one version with nothing between them (`direct`).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startGateway } from '../../scripts/gateway.js'
import { haveSchemas } from '../schemas.js'
import { configOf } from './arrangement.js'
import { meet, prepare } from './meeting.js'
import { fewPairs, pairs } from './peers.js'
import { notesOn, summaryOf, tableOf } from './table.js'

/** Most of a meeting is waiting. */
const AT_ONCE = 5
const over = ({ upstream, downstream }) => `${downstream} ${upstream}`
const describe = (pair) =>
  `${pair.client.title} ${pair.client.version} → ${pair.server.title} ${pair.server.version} ${over(pair)}`.toLowerCase()

async function each(items, work) {
  const waiting = [...items]
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** One gateway for all pairs that share a server's program and transport. */
async function meetThroughOne(group, directly) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-gateway-'))
  let gateway
  try {
    const prepared = await Promise.all(group.map((pair) => prepare(pair, folder)))
    if (!directly)
      gateway = await startGateway(
        configOf(Object.fromEntries(prepared.map(({ pair, entry }) => [pair.name, entry]))),
        folder,
      )
    const meetings = []
    await each(prepared, async (one) => (meetings[prepared.indexOf(one)] = await meet(one, gateway)))
    return meetings.map(resultOf)
  } finally {
    await gateway?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * What is kept of a meeting. Whether frames are valid is found out only now, because it takes time others would have to
 * wait.
 */
function resultOf({ pair, outcomes, recordings }) {
  const flaws = { ours: [], theirs: [] }
  for (const [side, recording] of Object.entries(recordings)) {
    const found = recording.flaws()
    flaws.ours.push(...found.ours.map((flaw) => `to the ${side}: ${flaw}`))
    flaws.theirs.push(...[...new Set(found.theirs)].map((flaw) => ({ side, flaw })))
  }
  const { client, server } = pair
  return {
    client: client.title,
    clientVersion: client.version,
    server: server.title,
    serverVersion: server.version,
    over: over(pair),
    outcomes,
    frames: recordings.client.count + recordings.server.count,
    flaws,
  }
}

export async function runThroughGateway(args) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'string' } } })
  const [manner] = positionals
  const directly = manner === 'direct'
  const words = directly || manner === 'few' ? positionals.slice(1) : positionals
  const candidates = directly
    ? pairs.filter(
        ({ client, server, upstream, downstream }) => client.version === server.version && upstream === downstream,
      )
    : manner === 'few'
      ? fewPairs
      : pairs
  const chosen = candidates.filter((pair) => words.every((word) => describe(pair).includes(word.toLowerCase())))
  if (chosen.length === 0) {
    console.error(
      `No pair has all of: ${words.join(', ')}\nThere are:\n${candidates.map((pair) => `  ${describe(pair)}`).join('\n')}`,
    )
    return 2
  }
  const groups = groupBy(chosen, groupOf)
  const results = []
  for (const group of groups.values()) results.push(...(await meetThroughOne(group, directly)))
  for (const line of [...tableOf(results), '', ...notesOn(results)]) console.log(line)
  console.log(
    haveSchemas
      ? 'every frame was held against the official schema of its receiver'
      : 'official schemas: not at hand (PARLEY_SPEC_SCHEMAS names the folder that has them)',
  )
  console.log(summaryOf(results, haveSchemas))
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, undefined, 2)}\n`)
  return results.every(
    ({ outcomes, flaws }) =>
      flaws.ours.length === 0 && Object.values(outcomes).every(({ verdict }) => verdict !== 'fail'),
  )
    ? 0
    : 1
}

const groupOf = ({ server, upstream }) => `${server.title} ${upstream}`

function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
