/** The examples run against the built package, end by themselves and show what they promise. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { handshakeVersions } from '../src/index.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

describe('examples/every-version.js', () => {
  let shown = ''

  beforeAll(async () => {
    if (!existsSync(at('../dist/testing.js'))) throw new Error('The examples run on the built package: npm run build')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [at('../../../examples/every-version.js')], { timeout: 20_000 })
    expect(stderr).toBe('')
    shown = stdout
  })

  /** What is shown of one version. */
  const part = (version: string): string => shown.split(/\n(?=\d{4}-\d\d-\d\d\n─)/).find((each) => each.startsWith(version)) ?? ''

  it.each(handshakeVersions)('V1 has a conversation in %s', (version) => {
    expect(part(version)).toContain(`agreed on ${version}`)
    expect(part(version)).toContain('→ tools/call #3 {"name":"forecast","arguments":{"city":"Oslo"}}')
    expect(part(version)).toContain('{"high":16,"low":3}')
  })

  it('X2 names what was lost by its rule, and nothing where nothing was', () => {
    expect(part('2024-11-05')).toMatch(/A-04 tools\/call content\[1\]/)
    expect(part('2025-03-26')).toMatch(/B-06 tools\/call content\[2\]/)
    expect(part('2025-03-26')).not.toContain('A-04')
    expect(part('2025-06-18')).toContain('C-15')
    expect(part('2025-11-25')).toMatch(/lost +nothing/)
  })

  it('F6 asks the user where the version can, and refuses clearly where it cannot', () => {
    for (const version of ['2025-06-18', '2025-11-25']) expect(part(version)).toContain('Deployed to production, north and south')
    for (const version of ['2024-11-05', '2025-03-26']) expect(part(version)).toMatch(/deploy +refused: .*"elicitation\.form"/)
  })

  it('says honestly what is not there yet, and writes no colours into a pipe', () => {
    expect(part('2026-07-28')).toMatch(/not part\s+of this build/)
    expect(shown).not.toContain('\u001b[')
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
  })
})
