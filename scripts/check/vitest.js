/** The test runner as a check: its command, and what it wrote down about the tests it ran. */
import { readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

const FOLDER = '.cache'
const COVERAGE = 'coverage/coverage-summary.json'
const LINES_OF_A_FAILURE = 6
const CHARACTERS_OF_A_FAILURE = 1000

/** `command` is how the runner is started; each check has a report of its own, because several run at once. */
export function testCheck(name, command, further = {}) {
  const report = join(FOLDER, `${name.replaceAll(/\W+/g, '-')}.json`)
  return {
    name,
    command: `${command} --reporter=default --reporter=json --outputFile.json=${report}`,
    prepare: () => rmSync(report, { force: true }),
    count: () => countTests(report),
    ...further,
  }
}

/** What the test runner wrote down; nothing when it did not get that far. */
function countTests(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    // A file that does not even load has no tests to count.
    const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
    const failures = [
      ...broken.map(({ name, message }) => failure(name, '', message)),
      ...testResults.flatMap(failuresIn),
    ]
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

/**
 * What is wrong when no line was measured: of no lines at all, any share is covered, and the thresholds would let that
 * pass.
 */
export function nothingMeasured() {
  try {
    if (JSON.parse(readFileSync(COVERAGE, 'utf8')).total.lines.total > 0) return undefined
  } catch {}
  return 'No line was measured: see `coverage` in vitest.config.ts'
}
