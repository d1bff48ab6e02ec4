/**
 * The official suite against servers behind the gateway: servers of the suite's own era, where everything has to pass,
 * and of the other, where everything has to that is possible. Nothing is said about sessions in the configuration: the
 * suite is anonymous, so that in the stateless era every call has a session of its own with the server, as is the
 * default (8.2).
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startGateway } from '../../scripts/gateway.js'
import { startProgram } from '../../scripts/program.js'
import { listScenarios, runAgainstServer } from '../suite.js'
import { IMPOSSIBLE } from './impossible.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Servers that speak one era only. */
const SUBJECTS = {
  parley: (era) => [at('../fixture.js'), 'server', '--era', era],
  official: (era) => [at('../official/server.js'), era],
}

const SUITES = { handshake: '2025-11-25', stateless: '2026-07-28' }
const OTHER = { handshake: 'stateless', stateless: 'handshake' }
const MEETINGS = { same: (era) => [era], across: (era) => [OTHER[era]], all: (era) => [era, OTHER[era]] }

/** Which server is tried with which version of the suite. */
function legsOf(meeting, subjects) {
  return subjects.flatMap((subject) =>
    Object.keys(SUITES).flatMap((client) =>
      MEETINGS[meeting](client).map((server) => ({
        subject,
        server,
        version: SUITES[client],
        isAcross: client !== server,
      })),
    ),
  )
}

/** What a result is worth where something is impossible: `passed`, `impossible` as was known, or `FAILED`. */
export function verdictOf({ scenario, passed, failed, why }, impossible) {
  const known = impossible.find((entry) => entry.scenario === scenario)
  if (known === undefined) return { verdict: passed ? 'passed' : 'FAILED', why }
  if (passed) return { verdict: 'FAILED', why: `passes, although it is listed as impossible: ${known.why}` }
  const isKnown = known.checks === undefined || failed.every((id) => known.checks.includes(id))
  return isKnown ? { verdict: 'impossible', why: known.why } : { verdict: 'FAILED', why }
}

async function runLeg({ subject, server, version, isAcross }, origin) {
  console.log(`${version} → ${subject}, ${server} era only`)
  const impossible = (isAcross ? IMPOSSIBLE[version] : []).filter(
    (entry) => entry.subject === undefined || entry.subject === subject,
  )
  const results = await runAgainstServer(
    version,
    await listScenarios('server', version),
    `${origin}/servers/${subject}-${server}/mcp`,
  )
  const verdicts = results.map((result) => ({ ...result, ...verdictOf(result, impossible) }))
  for (const { scenario, verdict, succeeded, checks, warnings, why } of verdicts) {
    console.log(`${verdict.padEnd(10)}  ${scenario.padEnd(44)} ${succeeded} of ${checks}`)
    for (const warning of verdict === 'impossible' ? [] : warnings) console.log(`            warning: ${warning}`)
    if (verdict !== 'passed') console.log(why.replace(/^/gm, '            '))
  }
  const count = (wanted) => verdicts.filter(({ verdict }) => verdict === wanted).length
  console.log(
    `passed ${count('passed')} of ${verdicts.length} scenarios, ${count('impossible')} impossible, ${count('FAILED')} failed\n`,
  )
  return verdicts
}

/** Gives the exit code, or undefined when it is not understood. */
export async function runThroughGateway([meeting = 'all', ...subjects]) {
  if (!Object.hasOwn(MEETINGS, meeting) || !subjects.every((subject) => Object.hasOwn(SUBJECTS, subject)))
    return undefined
  const legs = legsOf(meeting, subjects.length === 0 ? Object.keys(SUBJECTS) : subjects)
  const folder = await mkdtemp(join(tmpdir(), 'parley-conformance-'))
  const running = []
  try {
    const servers = {}
    for (const name of new Set(legs.map(({ subject, server }) => `${subject}-${server}`))) {
      const [subject, era] = name.split('-')
      const program = await startProgram(SUBJECTS[subject](era))
      running.unshift(program)
      servers[name] = { url: program.url, transport: 'streamable-http' }
    }
    const gateway = await startGateway({ mcpServers: servers, gateway: { log: 'warning' } }, folder)
    running.unshift(gateway)
    const verdicts = []
    for (const leg of legs) verdicts.push(...(await runLeg(leg, gateway.origin)))
    const failed = verdicts.filter(({ verdict }) => verdict === 'FAILED').length
    console.log(`${legs.length} legs, ${verdicts.length} scenarios, ${failed} failed`)
    return failed === 0 ? 0 : 1
  } finally {
    for (const { stop } of running) await stop()
    await rm(folder, { recursive: true, force: true })
  }
}
