/** The official suite against the built package; authorization is not there yet. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from './support/files.ts'
import { plainEnvironment } from './support/shell.ts'

const MINUTE = 60_000

/** One scenario wants the client back within a quarter of a second, which a machine that is busy with other tests cannot always give. */
const PATIENT = { timeout: 2 * MINUTE, retry: 2 }

interface Verdict {
  passed: boolean
  why: string
}

type RunAgainstClient = (version: string, scenario: string, command: string) => Promise<Verdict>

/** What the command showed, whatever it ended with. */
async function conformance(...args: string[]): Promise<string> {
  const options = { cwd: root, env: plainEnvironment(), timeout: 2 * MINUTE }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['conformance/run.js', ...args], options).catch((error) => error)
  return `${stderr}${stdout}`.trim()
}

const lastLine = (shown: string): string => shown.slice(shown.lastIndexOf('\n') + 1)

beforeAll(() => {
  if (!existsSync(join(root, 'packages/sdk/dist/node.js'))) throw new Error('The official suite runs on the built package: npm run build')
})

describe.sequential('V1, V4 the official suite', () => {
  it.each([
    { side: 'server', version: 'all', answer: 'auto', scenarios: 40 + 33 + 27 },
    { side: 'server', version: 'all', answer: 'sse', scenarios: 40 + 33 + 27 },
    { side: 'server', version: 'extension', answer: 'auto', scenarios: 9 + 3 },
    { side: 'client', version: '2026-07-28', answer: 'auto', scenarios: 8 },
    { side: 'client', version: '2025-11-25', answer: 'auto', scenarios: 5 },
    { side: 'client', version: '2025-06-18', answer: 'auto', scenarios: 2 },
    { side: 'client', version: 'extension', answer: 'auto', scenarios: 4 },
  ])('has nothing to object to in the $side of $version, answers: $answer', PATIENT, async ({ side, version, answer, scenarios }) => {
    const shown = await conformance(side, version, '--answer', answer)
    expect(shown).not.toMatch(/FAILED|warning/)
    expect(lastLine(shown)).toMatch(new RegExp(`^passed ${scenarios} of ${scenarios} scenarios, (\\d+) of \\1 checks$`))
  })

  it('is counted honestly: a client that does nothing passes nothing', { timeout: MINUTE }, async () => {
    const suite = '../conformance/suite.js'
    const { runAgainstClient } = (await import(suite)) as { runAgainstClient: RunAgainstClient }
    expect(await runAgainstClient('2025-11-25', 'initialize', 'true')).toMatchObject({ passed: false })
  })

  it('says how it is used', async () => {
    expect(await conformance('both', '2025-11-25')).toMatch(/^usage: /)
    expect(await conformance('server', '1999-01-01')).toContain('no server scenarios for 1999-01-01')
  })
})
