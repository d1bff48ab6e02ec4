/**
 * `npm test`: every check of the repository, two at a time, and one closing line `N passed, N failed`.
 * `npm test -- --also-on path/to/node` runs the tests on that Node as well, but for those that would only repeat
 * themselves.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runAll } from './check/run.js'
import { nothingMeasured, testCheck } from './check/vitest.js'

const SHOWN_FAILURES = 10

/** Tests also wait for processes and timers: beside one check there is room for another. */
const AT_ONCE = 2

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const { values } = parseArgs({ options: { 'also-on': { type: 'string', multiple: true, default: [] } } })

/** What is about other programs, documents or the text of the sources: it covers no line of them. */
const UNMEASURED = [
  'test/conformance.test.ts',
  'test/interop.test.ts',
  'test/documents.test.ts',
  'test/footprint.test.ts',
  'test/hygiene.test.ts',
  'test/installed.test.ts',
  'test/installed-command.test.ts',
  'test/layers.test.ts',
  'packages/sdk/test/type-cost.test.ts',
]
/** What says the same on every Node. */
const ONCE = [...UNMEASURED, 'packages/sdk/test/laws/**']

const without = (paths) => paths.map((path) => `--exclude "${path}"`).join(' ')

/** What takes long begins early. */
const checks = [
  testCheck('tests and coverage', `${scripts.coverage} ${without(UNMEASURED)}`, { objection: nothingMeasured }),
  ...values['also-on'].map((node) =>
    testCheck(`tests on ${node}`, `"${node}" node_modules/vitest/vitest.mjs run ${without(ONCE)}`),
  ),
  testCheck('tests of documents and other programs', `vitest run ${UNMEASURED.join(' ')}`),
  { name: 'typecheck', command: scripts.typecheck },
  { name: 'package', command: scripts.package },
  { name: 'lint', command: scripts.lint },
]

mkdirSync('.cache', { recursive: true })

// All others stand on what is built: they would only repeat that it is not.
const done = await runAll([{ name: 'build', command: scripts.build }], 1)
if (done[0].ok) done.push(...(await runAll(checks, AT_ONCE)))

console.log()
for (const { name, ok, seconds, passed, failed, failures } of done) {
  const tests = failures === undefined ? '' : `, ${passed + failed} tests`
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s${tests})`)
  for (const failure of failures?.slice(0, SHOWN_FAILURES) ?? []) console.log(`  ${failure}`)
  if (failures?.length > SHOWN_FAILURES) console.log(`  and ${failures.length - SHOWN_FAILURES} more`)
}
const sum = (key) => done.reduce((total, outcome) => total + outcome[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = done.every(({ ok }) => ok) ? 0 : 1
