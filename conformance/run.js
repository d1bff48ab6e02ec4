/**
 * `npm run conformance -- server|client VERSION` or `-- gateway`: the official suite against Parley, counted honestly.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startProgram } from '../scripts/program.js'
import { runThroughGateway } from './gateway/run.js'
import { EXTENSION, listScenarios, runAgainstClient, runAgainstServer } from './suite.js'

const USAGE = `usage: npm run conformance -- server VERSION|all|${EXTENSION} [--answer auto|json|sse] [--stateless]
       npm run conformance -- client VERSION|${EXTENSION}
       npm run conformance -- gateway [same|across|all] [parley] [official]`

const fixture = fileURLToPath(new URL('fixture.js', import.meta.url))

/** What `all` stands for: one server program has to please all of them. */
const SERVER_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18']

/** What is not run, and why. */
const LEFT_OUT = [
  { why: 'authorization is not there yet', has: (scenario) => scenario.startsWith('auth/') },
  { why: 'the suite always skips it', has: (scenario) => scenario === 'tasks-status-notifications' },
]

const sides = {
  async server(versions, { answer, stateless }) {
    const subject = await startProgram([fixture, 'server', '--answer', answer, ...(stateless ? ['--stateless'] : [])])
    try {
      return await legs('server', versions, async (version, scenarios) => {
        const results = await runAgainstServer(version, scenarios, subject.url)
        for (const result of results) show(result)
        return results
      })
    } finally {
      await subject.stop()
    }
  },
  client(versions) {
    return legs('client', versions, async (version, scenarios) => {
      const results = []
      for (const scenario of scenarios) {
        const result = await runAgainstClient(version, scenario, 'node conformance/client.js')
        show(result)
        results.push(result)
      }
      return results
    })
  },
}

/** Runs the suite once for each version. */
async function legs(side, versions, run) {
  const results = []
  for (const version of versions) {
    const all = await listScenarios(side, version)
    const leg = await run(
      version,
      all.filter((scenario) => !LEFT_OUT.some(({ has }) => has(scenario))),
    )
    for (const { why, has } of LEFT_OUT) {
      const missing = all.filter(has)
      if (missing.length > 0)
        console.log(`left out because ${why}: ${missing.length === 1 ? missing : `${missing.length} scenarios`}`)
    }
    if (versions.length > 1) console.log(`${version}: ${total(leg)}\n`)
    results.push(...leg)
  }
  return results
}

function show({ scenario, passed, succeeded, checks, warnings, why }) {
  console.log(`${passed ? 'passed' : 'FAILED'}  ${scenario.padEnd(44)} ${succeeded} of ${checks}`)
  for (const warning of warnings) console.log(`        warning: ${warning}`)
  if (!passed) console.log(why.replace(/^/gm, '        '))
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { answer: { type: 'string', default: 'auto' }, stateless: { type: 'boolean', default: false } },
    })
    const [side, version, ...rest] = positionals
    if (side === 'gateway') return { side, choice: positionals.slice(1) }
    const versions = side === 'server' && version === 'all' ? SERVER_VERSIONS : [version]
    if (Object.hasOwn(sides, side ?? '') && version !== undefined && rest.length === 0)
      return { side, versions, values }
  } catch {
    // said below
  }
  return explainUsage()
}

function explainUsage() {
  console.error(USAGE)
  process.exit(2)
}

function total(results) {
  const sum = (key) => results.reduce((so, result) => so + result[key], 0)
  return `passed ${results.filter(({ passed }) => passed).length} of ${results.length} scenarios, ${sum('succeeded')} of ${sum('checks')} checks`
}

try {
  const { side, versions, values, choice } = readArguments()
  if (side === 'gateway') {
    process.exitCode = (await runThroughGateway(choice)) ?? explainUsage()
  } else {
    const results = await sides[side](versions, values)
    console.log(total(results))
    process.exitCode = results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
