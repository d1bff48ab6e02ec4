/** `npm run interop -- regressions [WORDS]`: peers of shapes that break other gateways, each by its name. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from '../../scripts/gateway.js'
import { startProgram } from '../../scripts/program.js'
import { inColumns } from '../columns.js'
import { within } from '../within.js'
import { meetingsOf, SHAPES } from './meetings.js'

/** Only for what hangs: a busy machine takes its time. */
const PATIENCE = 60_000
/** Shapes that are met beside each other. */
const AT_ONCE = 3

const entryOf = ({ args, url }) =>
  url === undefined ? { command: process.execPath, args, lazy: true } : { url, lazy: true }

async function outcomeOf({ meet }) {
  try {
    await within(PATIENCE, meet())
    return 'ok'
  } catch (error) {
    return String(error?.message ?? error)
  }
}

/** Clients of one peer come one after the other: a call must find what the one before it left. */
async function outcomesOf(meetings) {
  const results = []
  const ofShape = async (shape) => {
    for (const [index, meeting] of meetings.entries())
      if (meeting.shape === shape) results[index] = { ...meeting, outcome: await outcomeOf(meeting) }
  }
  const waiting = [...new Set(meetings.map(({ shape }) => shape))]
  const worker = async () => {
    for (let shape = waiting.pop(); shape !== undefined; shape = waiting.pop()) await ofShape(shape)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

function show(results) {
  const rows = [
    ['peer', 'way', 'client', 'outcome'],
    ...results.map(({ shape, way, client, outcome }) => [shape, way, client.title, outcome === 'ok' ? 'ok' : 'FAIL']),
  ]
  for (const line of inColumns(rows)) console.log(line)
  console.log()
  const failed = results.filter(({ outcome }) => outcome !== 'ok')
  for (const { shape, way, client, outcome } of failed)
    console.log(`FAIL  ${shape}, ${way}, ${client.title}: ${outcome}`)
  console.log(`${results.length - failed.length} of ${results.length} regressions hold`)
  return failed.length === 0 ? 0 : 1
}

export async function runRegressions(words) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-regressions-'))
  const programs = []
  let gateway
  try {
    const servers = []
    for (const shape of SHAPES) {
      if (shape.http !== undefined) programs.push(await startProgram(shape.http))
      servers.push({ ...shape, ...(shape.http && { url: programs.at(-1).url }) })
    }
    const mcpServers = Object.fromEntries(servers.map((server) => [server.name, entryOf(server)]))
    gateway = await startGateway({ mcpServers, gateway: { log: 'warning' } }, folder)
    const describe = ({ shape, way, client }) => `${shape} ${way} ${client.title}`.toLowerCase()
    const meetings = meetingsOf(servers, gateway.origin, join(folder, 'frames'))
    const chosen = meetings.filter((meeting) => words.every((word) => describe(meeting).includes(word.toLowerCase())))
    if (chosen.length === 0) {
      console.error(
        [
          'No regression has all of:',
          ...words,
          '\nThere are:',
          ...meetings.map((each) => `\n  ${describe(each)}`),
        ].join(' '),
      )
      return 2
    }
    return show(await outcomesOf(chosen))
  } finally {
    await gateway?.stop()
    for (const program of programs) await program.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
