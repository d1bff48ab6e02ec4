/** What the doctor says of servers that are there, but are not spoken to as they want to be. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpServing, serveHttp } from 'parley-mcp/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parley, plain } from '../../cli.fixtures.ts'
import { weatherServer } from '../../weather.fixtures.ts'
import { blockOf } from '../report/report-text.ts'
import { SubjectReport } from '../report/subject-report.ts'
import { longerThan } from './fixes.ts'

let serving: HttpServing
let folder: string
beforeAll(async () => {
  serving = await serveHttp(weatherServer(), { port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'parley-doctor-'))
})
afterAll(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

describe('parley doctor on a server with another transport', () => {
  it('names it, for an address', async () => {
    const { code, out } = await parley(['doctor', '--timeout', '500ms', '--transport', 'sse', serving.url])
    expect(out).toContain('→ it speaks streamable-http: leave out --transport sse\n')
    expect(code).toBe(1)
  })

  it('names it, for a server of a configuration', async () => {
    const file = join(folder, 'parley.json')
    await writeFile(
      file,
      JSON.stringify({ mcpServers: { far: { type: 'sse', url: serving.url, initialiseTimeout: '500ms' } } }),
    )
    const { out } = await parley(['doctor', '--config', file, '--server', 'far'])
    expect(out).toContain('→ it speaks streamable-http: remove "type" or "transport": "sse" from its configuration\n')
  })
})

describe('parley doctor and time', () => {
  it.each([
    [400, '1m'],
    [20_000, '1m'],
    [60_000, '2m'],
    [61_000, '3m'],
  ])('never suggests one that is not longer than %i ms', (ms, longer) => {
    expect(longerThan(ms)).toBe(longer)
  })

  it('suggests a longer one than it has waited', async () => {
    const { out } = await parley(['doctor', '--timeout', '300ms', ...plain('--mute')])
    expect(out).toContain('--timeout 2m')
  })

  it('tells whoever waits what for', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let isOver = false
    const waiting = parley(['doctor', '--timeout', '1h', ...plain('--mute')], {
      tty: true,
      env: { NO_COLOR: '1' },
      onStderr: (_, { interrupt }) => interrupt(),
    })
    const waited = waiting.finally(() => {
      isOver = true
    })
    while (!isOver) {
      vi.advanceTimersByTime(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await waited).err).toMatch(
      /^waiting for .*plain-server\.js --mute, for 3600\.0 s at most; Ctrl-C cancels\n/,
    )
  })
})

describe('parley doctor on a program that is no server', () => {
  it('says that it sends everything back, and nothing of what was sent', async () => {
    const { out } = await parley(['doctor', '--', 'cat'])
    expect(out).toContain('problem  speaks: "cat" echoes its input; is it an MCP server?\n')
    expect(out).not.toContain('initialize')
  })

  it('quotes its last words with all their lines', () => {
    const report = new SubjectReport('a')
    report.problem('starts', 'its last words:\nError: x\n\n    at y', 'mend it')
    const plainly = (text: string) => text
    const colours = { bold: plainly, red: plainly, yellow: plainly, green: plainly, cyan: plainly, dim: plainly }
    expect(blockOf(report, colours)).toContain('           | Error: x\n           |\n           |     at y\n')
  })
})
