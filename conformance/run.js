/** `npm run conformance -- server|client VERSION`: the official suite against Parley, counted honestly. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startFixture } from './fixture.js'
import { listScenarios, runScenario } from './suite.js'

/** Runs every scenario of a side and version; `onResult` hears of each as it ends. */
export async function conform(side, version, onResult = () => {}) {
  const fixture = side === 'server' ? await startFixture() : undefined
  const target = fixture?.url ?? `${process.execPath} ${join(dirname(fileURLToPath(import.meta.url)), 'client.js')}`
  const results = []
  try {
    // Authorization is not there yet.
    for (const scenario of (await listScenarios(side, version)).filter((name) => !name.startsWith('auth/'))) {
      const result = await runScenario(side, version, scenario, target)
      results.push(result)
      onResult(result)
    }
  } finally {
    await fixture?.stop()
  }
  return results
}

const sum = (results, key) => results.reduce((total, result) => total + result[key], 0)

export function summary(results) {
  const passed = results.filter((result) => result.passed).length
  return `passed ${passed} of ${results.length} scenarios, ${sum(results, 'succeeded')} of ${sum(results, 'checks')} checks`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [side, version] = process.argv.slice(2)
  if ((side !== 'server' && side !== 'client') || version === undefined) {
    console.error('usage: npm run conformance -- server|client VERSION')
    process.exit(2)
  }
  const results = await conform(side, version, ({ scenario, passed, succeeded, checks, warnings, why }) => {
    console.log(`${passed ? 'passed' : 'FAILED'}  ${scenario.padEnd(44)} ${succeeded} of ${checks}`)
    for (const warning of warnings) console.log(`        warning: ${warning}`)
    if (!passed) console.log(`        ${why}`)
  })
  console.log(summary(results))
  process.exitCode = results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1
}
