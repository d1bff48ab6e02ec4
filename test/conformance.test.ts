/** The official suite against the built package; authorization is not there yet. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from './support/files.ts'
import { plainEnvironment } from './support/shell.ts'

const MINUTE = 60_000

/**
 * One scenario wants the client back within a quarter of a second, which a machine that is busy with other tests cannot
 * always give.
 */
const PATIENT = { timeout: 2 * MINUTE, retry: 2 }

interface Verdict {
  passed: boolean
  why: string
}

interface Suite {
  runAgainstClient(version: string, scenario: string, command: string): Promise<Verdict>
  runAgainstServer(version: string, scenarios: readonly string[], url: string): Promise<Verdict[]>
}

/** It has no types, so its name must not be known to the compiler. */
async function suite(path = '../conformance/suite.js'): Promise<Suite> {
  return (await import(path)) as Suite
}

/** What the command showed, whatever it ended with. */
async function conformance(...args: string[]): Promise<string> {
  const options = { cwd: root, env: plainEnvironment(), timeout: 2 * MINUTE }
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['conformance/run.js', ...args],
    options,
  ).catch((error) => error)
  return `${stderr}${stdout}`.trim()
}

const lastLine = (shown: string): string => shown.slice(shown.lastIndexOf('\n') + 1)

beforeAll(() => {
  if (!existsSync(join(root, 'packages/sdk/dist/node.js')))
    throw new Error('The official suite runs on the built package: npm run build')
})

describe.sequential('V1, V4 the official suite', () => {
  it.each([
    { leg: 'server all', scenarios: 40 + 33 + 27 },
    { leg: 'server 2026-07-28 --answer sse --stateless', scenarios: 40 },
    { leg: 'server 2025-11-25 --answer sse', scenarios: 33 },
    { leg: 'server extension', scenarios: 9 + 3 },
    { leg: 'client 2026-07-28', scenarios: 8 },
    { leg: 'client 2025-11-25', scenarios: 5 },
    { leg: 'client 2025-06-18', scenarios: 2 },
    { leg: 'client extension', scenarios: 4 },
  ])('has nothing to object to: $leg', PATIENT, async ({ leg, scenarios }) => {
    const shown = await conformance(...leg.split(' '))
    expect(shown).not.toMatch(/FAILED|warning/)
    expect(lastLine(shown)).toMatch(new RegExp(`^passed ${scenarios} of ${scenarios} scenarios, (\\d+) of \\1 checks$`))
  })

  it('has nothing to object to in servers behind the gateway, of its own era and of the other', PATIENT, async () => {
    const shown = await conformance('gateway', 'all', 'parley')
    expect(shown).not.toMatch(/FAILED/)
    expect(shown).toContain('passed 40 of 40 scenarios')
    expect(shown).toContain('passed 33 of 33 scenarios')
    expect(lastLine(shown)).toBe(`4 legs, ${2 * (40 + 33)} scenarios, 0 failed`)
  })

  it.each([
    ['what fails without being listed', { passed: false, failed: ['a'] }, [], 'FAILED'],
    ['what is listed and fails', { passed: false, failed: ['a'] }, [{ scenario: 's', why: 'w' }], 'impossible'],
    ['what is listed and passes', { passed: true, failed: [] }, [{ scenario: 's', why: 'w' }], 'FAILED'],
    [
      'what fails beside what is listed',
      { passed: false, failed: ['a', 'b'] },
      [{ scenario: 's', why: 'w', checks: ['a'] }],
      'FAILED',
    ],
  ])('is counted honestly behind the gateway: %s', async (_, result, impossible, verdict) => {
    const module = '../conformance/gateway/run.js'
    const { verdictOf } = (await import(module)) as {
      verdictOf(result: object, impossible: object[]): { verdict: string }
    }
    expect(verdictOf({ scenario: 's', why: 'because', ...result }, impossible)).toMatchObject({ verdict })
  })

  it('is counted honestly: a server that is not there passes nothing', { timeout: MINUTE }, async () => {
    const { runAgainstServer } = await suite()
    // Nobody listens at the port of `discard`; of the single checks the suite nevertheless counts dozens as passed.
    const verdicts = await runAgainstServer(
      '2026-07-28',
      ['tools-list', 'server-stateless', 'caching'],
      'http://127.0.0.1:9/mcp',
    )
    expect(verdicts.map(({ passed }) => passed)).toEqual([false, false, false])
  })

  it('is counted honestly: a client that does nothing passes nothing', { timeout: MINUTE }, async () => {
    const { runAgainstClient } = await suite()
    expect(await runAgainstClient('2025-11-25', 'initialize', 'true')).toMatchObject({ passed: false })
  })

  it('says how it is used', async () => {
    expect(await conformance('both', '2025-11-25')).toMatch(/^usage: /)
    expect(await conformance('server', '1999-01-01')).toContain('no server scenarios for 1999-01-01')
  })
})
