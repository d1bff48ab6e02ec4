/** G: `parley audit` says whether a file is as the gateway wrote it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diskWith } from '../audit/audit.fixtures.ts'
import { parley } from './cli.fixtures.ts'

let folder: string
let text: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-audit-command-'))
  text = (await diskWith(3)).bytes.toString()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fileWith(content: string): Promise<string> {
  const file = join(folder, 'audit.jsonl')
  await writeFile(file, content)
  return file
}

describe('G parley audit', () => {
  it('unbroken: how many, from when to when, and the last hash; exit code 0', async () => {
    const hash = JSON.parse(text.trim().split('\n').at(-1) as string).hash
    const file = await fileWith(text)
    const { code, out, err } = await parley(['audit', file])
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(
      `4 receipts\n  from       2026-01-01T00:00:00.000Z\n  to         2026-01-01T00:00:00.000Z\n  last hash  ${hash}\nunbroken\n`,
    )
    const json = await parley(['audit', file, '--hash', hash, '--json'])
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      0,
      { unbroken: true, receipts: 4, lost: 0, torn: 0, hash },
    ])
  })

  it('broken: the first line that is wrong, and why; exit code 1', async () => {
    const file = await fileWith(text.replace('tool-1', 'tool-7'))
    const { code, out } = await parley(['audit', file])
    expect(code).toBe(1)
    expect(out).toMatch(/^1 receipt before the break\n[\s\S]*broken: line 2 was changed: .*\n$/)
    const json = await parley(['audit', file, '--json'])
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { unbroken: false, wrong: { line: 2 } }])
    const cut = await parley(['audit', await fileWith(text), '--hash', `sha256-${'0'.repeat(64)}`])
    expect([cut.code, cut.out]).toEqual([1, expect.stringContaining('lines at its end were removed')])
  })

  it('a file that is not there is an error', async () => {
    const { code, out, err } = await parley(['audit', join(folder, 'missing')])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/error: .*missing cannot be read \(ENOENT\)/)
  })
})
