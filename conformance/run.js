/** `npm run conformance -- server|client VERSION [--answer auto|json|sse]`: the official suite against Parley, counted honestly. */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startProgram } from '../scripts/program.js'
import { listScenarios, runAgainstClient, runAgainstServer } from './suite.js'

const USAGE = 'usage: npm run conformance -- server|client VERSION [--answer auto|json|sse]'

const fixture = fileURLToPath(new URL('fixture.js', import.meta.url))

/** Authorization is not there yet. */
const isIncluded = (scenario) => !scenario.startsWith('auth/')

const sides = {
  async server(version, scenarios, answer = 'auto') {
    const subject = await startProgram([fixture, 'server', '--answer', answer])
    try {
      const results = await runAgainstServer(version, scenarios, subject.url)
      for (const result of results) show(result)
      return results
    } finally {
      await subject.stop()
    }
  },
  async client(version, scenarios) {
    const results = []
    for (const scenario of scenarios) {
      const result = await runAgainstClient(version, scenario, 'node conformance/client.js')
      show(result)
      results.push(result)
    }
    return results
  },
}

function show({ scenario, passed, succeeded, checks, warnings, why }) {
  console.log(`${passed ? 'passed' : 'FAILED'}  ${scenario.padEnd(44)} ${succeeded} of ${checks}`)
  for (const warning of warnings) console.log(`        warning: ${warning}`)
  if (!passed) console.log(why.replace(/^/gm, '        '))
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { answer: { type: 'string' } } })
    const [side, version, ...rest] = positionals
    if (Object.hasOwn(sides, side ?? '') && version !== undefined && rest.length === 0) return { side, version, answer: values.answer }
  } catch {
    // said below
  }
  console.error(USAGE)
  process.exit(2)
}

const sum = (results, key) => results.reduce((total, result) => total + result[key], 0)

try {
  const { side, version, answer } = readArguments()
  const all = await listScenarios(side, version)
  const scenarios = all.filter(isIncluded)
  const results = await sides[side](version, scenarios, answer)
  if (all.length > scenarios.length) console.log(`left out: ${all.length - scenarios.length} scenarios of authorization`)
  const passed = results.filter((result) => result.passed).length
  console.log(`passed ${passed} of ${results.length} scenarios, ${sum(results, 'succeeded')} of ${sum(results, 'checks')} checks`)
  process.exitCode = results.length > 0 && passed === results.length ? 0 : 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
