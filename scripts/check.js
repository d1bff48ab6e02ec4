/**
 * `npm test`: every check of the repository in order, and one closing line `N passed, N failed`.
 * `npm test -- --also-on path/to/node` runs the tests on that Node as well, but for those that would only repeat themselves.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const REPORT = '.cache/vitest.json'
const COVERAGE = 'coverage/coverage-summary.json'
const LINES_OF_A_FAILURE = 6
const CHARACTERS_OF_A_FAILURE = 1000
const SHOWN_FAILURES = 10

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const { values } = parseArgs({ options: { 'also-on': { type: 'string', multiple: true, default: [] } } })
const REPORTERS = `--reporter=default --reporter=json --outputFile.json=${REPORT}`

/** What says the same on every Node, or is about other programs: once is enough. */
const ONCE = [
  'test/conformance.test.ts',
  'test/interop.test.ts',
  'test/declarations.test.ts',
  'test/footprint.test.ts',
  'test/readme.test.ts',
  'packages/sdk/test/type-cost.test.ts',
  'packages/sdk/test/laws/**',
]
const WITHOUT = ONCE.map((path) => `--exclude "${path}"`).join(' ')

/** A check that others stand on is `vital`: when it fails, the rest would only repeat it. */
const checks = [
  { name: 'build', command: scripts.build, vital: true },
  { name: 'lint', command: scripts.lint },
  { name: 'typecheck', command: scripts.typecheck },
  { name: 'tests and coverage', command: `${scripts.coverage} ${REPORTERS}`, count: countTests, holds: linesWereMeasured },
  ...values['also-on'].map((node) => ({
    name: `tests on ${node}`,
    command: `"${node}" node_modules/vitest/vitest.mjs run ${WITHOUT} ${REPORTERS}`,
    count: countTests,
  })),
  { name: 'package', command: scripts.package },
]

/** What the test runner wrote down; nothing when it did not get that far. */
function countTests() {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(REPORT, 'utf8'))
    // A file that does not even load has no tests to count.
    const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
    const failures = [...broken.map(({ name, message }) => failure(name, '', message)), ...testResults.flatMap(failuresIn)]
    return { passed: numPassedTests, failed: numFailedTests + broken.length, failures }
  } catch {
    return { passed: 0, failed: 0 }
  }
}

function failuresIn({ name, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  return failed.map(({ fullName, failureMessages }) => failure(name, fullName, failureMessages.join('\n')))
}

/** Where it failed and the beginning of why: what a reader of only the last lines of a log needs. */
function failure(path, test, message) {
  const why = message.split('\n').slice(0, LINES_OF_A_FAILURE).join('\n')
  return `${relative('.', path)} ${test}\n${why.slice(0, CHARACTERS_OF_A_FAILURE)}`.replaceAll('\n', '\n    ')
}

/** Of no lines at all, any share is covered: the thresholds would let that pass. */
function linesWereMeasured() {
  try {
    if (JSON.parse(readFileSync(COVERAGE, 'utf8')).total.lines.total > 0) return true
  } catch {}
  console.error('No line was measured: see `coverage` in vitest.config.ts')
  return false
}

// As npm does for its scripts, but without starting npm for each.
const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}` }

function run(check) {
  console.log(`\n── ${check.name}`)
  rmSync(REPORT, { force: true })
  const started = Date.now()
  const { status, error } = spawnSync(check.command, { shell: true, stdio: 'inherit', env })
  if (error !== undefined) console.error(error.message)
  const ok = status === 0 && (check.holds?.() ?? true)
  const counted = check.count?.() ?? { passed: ok ? 1 : 0, failed: 0 }
  // A check can fail without a failing test: a type error, or coverage below its threshold.
  if (!ok && counted.failed === 0) counted.failed = 1
  return { name: check.name, ok, seconds: (Date.now() - started) / 1000, ...counted }
}

mkdirSync('.cache', { recursive: true })

const done = []
for (const check of checks) {
  const outcome = run(check)
  done.push(outcome)
  if (!outcome.ok && check.vital) break
}

console.log()
for (const { name, ok, seconds, failures = [] } of done) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`)
  for (const failure of failures.slice(0, SHOWN_FAILURES)) console.log(`  ${failure}`)
  if (failures.length > SHOWN_FAILURES) console.log(`  and ${failures.length - SHOWN_FAILURES} more`)
}
const sum = (key) => done.reduce((total, outcome) => total + outcome[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = done.every(({ ok }) => ok) ? 0 : 1
