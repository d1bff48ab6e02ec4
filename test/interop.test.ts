/** Parley and published clients and servers: each of them once; `npm run interop` has all pairs. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from './support/files.ts'
import { plainEnvironment } from './support/shell.ts'

const MINUTE = 60_000
const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
const INITIALIZED = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'

interface Recording {
  add(session: number, from: 'ours' | 'theirs', frame: string): void
  flaws(): { ours: string[]; theirs: string[] }
}

async function interop(...args: string[]): Promise<{ code: number; shown: string }> {
  const options = { cwd: root, env: plainEnvironment(), timeout: 3 * MINUTE }
  const { code = 0, stdout, stderr } = await promisify(execFile)(process.execPath, ['interop/run.js', ...args], options).catch((error) => error)
  return { code, shown: `${stderr}${stdout}`.trim() }
}

beforeAll(() => {
  if (!existsSync(join(root, 'packages/sdk/dist/node.js'))) throw new Error('The peers meet the built package: npm run build')
})

describe('V1 published clients and servers', () => {
  it('get along with Parley, over standard input and output, Streamable HTTP and HTTP+SSE', { timeout: 3 * MINUTE }, async () => {
    const { code, shown } = await interop('few')
    expect(shown).not.toContain('FAIL')
    expect(shown).toMatch(/^12 of 12 pairs get along, \d{3,} frames$/m)
    for (const transport of ['stdio', 'http', 'sse']) expect(shown).toMatch(new RegExp(`Parley +${transport} `))
    expect(code).toBe(0)
  })

  it('are listed when none has the words', { timeout: MINUTE }, async () => {
    expect(await interop('nobody')).toMatchObject({ code: 2, shown: expect.stringContaining('server-everything server http') })
  })
})

describe.runIf(process.env['PARLEY_SPEC_SCHEMAS'])('the recording of a meeting', async () => {
  const module = '../interop/record.js'
  const { Recording } = (await import(module)) as { Recording: new () => Recording }

  function flawsOf(...frames: [from: 'ours' | 'theirs', frame: string][]) {
    const recording = new Recording()
    for (const [from, frame] of [['ours', INITIALIZE] as const, ['theirs', INITIALIZED] as const, ...frames]) recording.add(1, from, frame)
    return recording.flaws()
  }

  it('has nothing to say about what is right', () => {
    const flaws = flawsOf(['ours', '{"jsonrpc":"2.0","id":2,"method":"ping"}'], ['theirs', '{"jsonrpc":"2.0","id":2,"result":{}}'])
    expect(flaws).toEqual({ ours: [], theirs: [] })
  })

  it.each([
    ['a request without its parameters', '{"jsonrpc":"2.0","id":2,"method":"tools/call"}', /CallToolRequest/],
    ['a message without its version', '{"id":2,"method":"ping"}', /JSONRPCRequest/],
    ['a method of another version', '{"jsonrpc":"2.0","id":2,"method":"server/discover"}', /no such method/],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":7,"result":{}}', /nothing that was asked/],
  ])('finds %s', (_, frame, flaw) => {
    expect(flawsOf(['ours', frame])).toEqual({ ours: [expect.stringMatching(flaw)], theirs: [] })
  })

  it('finds a result that is not what was asked for, and who sent it', () => {
    const flaws = flawsOf(['ours', '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'], ['theirs', '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":1}]}}'])
    expect(flaws).toEqual({ ours: [], theirs: [expect.stringContaining('ListToolsResult')] })
  })
})
