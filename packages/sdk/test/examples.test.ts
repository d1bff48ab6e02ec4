/** The examples run against the built package, end by themselves and show what they promise. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eraOf, versions } from '../src/index.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const root = at('../../..')

beforeAll(() => {
  if (!existsSync(at('../dist/node.js'))) throw new Error('The examples run on the built package: npm run build')
})

describe('examples/every-version.js', () => {
  let shown = ''

  beforeAll(async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [at('../../../examples/every-version.js')], {
      timeout: 20_000,
    })
    expect(stderr).toBe('')
    shown = stdout
  })

  /** What is shown of one version. */
  const part = (version: string): string =>
    shown.split(/\n(?=\d{4}-\d\d-\d\d\n─)/).find((each) => each.startsWith(version)) ?? ''

  it.each(versions)('V1 has a conversation in %s', (version) => {
    expect(part(version)).toMatch(eraOf(version) === 'handshake' ? `agreed on ${version}` : /negotiation +none: /)
    expect(part(version)).toContain('→ tools/call #3 {"name":"forecast","arguments":{"city":"Oslo"}}')
    expect(part(version)).toContain('{"high":16,"low":3}')
  })

  it('X2 names what was lost by its rule, and nothing where nothing was', () => {
    expect(part('2024-11-05')).toMatch(/A-04 tools\/call content\[1\]/)
    expect(part('2025-03-26')).toMatch(/B-06 tools\/call content\[2\]/)
    expect(part('2025-03-26')).not.toContain('A-04')
    expect(part('2025-06-18')).toContain('C-15')
    for (const version of ['2025-11-25', '2026-07-28']) expect(part(version)).toMatch(/lost +nothing/)
  })

  it('F6 asks the user where the version can, and refuses clearly where it cannot', () => {
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28'])
      expect(part(version)).toContain('Deployed to production, north and south')
    for (const version of ['2024-11-05', '2025-03-26'])
      expect(part(version)).toMatch(/deploy +refused: .*"elicitation\.form"/)
  })

  it('D-20 shows a question inside a result where servers ask nothing by themselves', () => {
    expect(part('2025-11-25')).toContain('← elicitation/create #s1')
    expect(part('2026-07-28')).toMatch(/← result #5 \{"resultType":"input_required","inputRequests":\{"confirm"/)
    expect(part('2026-07-28')).toMatch(/→ tools\/call #6 .*"inputResponses":\{"confirm"/)
  })

  it('writes no colours into a pipe, and no long lines', () => {
    expect(shown).not.toContain('\u001b[')
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
  })
})

/** What a program shows, and the code it ends with. */
async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 20_000 })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}

describe('examples/notes-server.js and examples/client.js', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-notes-'))
  const file = join(folder, 'notes.json')
  let server: ChildProcess
  let shown = ''

  beforeAll(async () => {
    server = spawn(process.execPath, ['examples/notes-server.js', '--http', '--port', '0', '--file', file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    server.stdout?.setEncoding('utf8')
    while (!shown.includes('Ctrl-C'))
      shown += (await once(server.stdout as NonNullable<typeof server.stdout>, 'data'))[0]
  })
  afterAll(() => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  /** The commands that are offered to try, without what a shell would take away. */
  const offered = (program: string): string[][] =>
    [...shown.replaceAll('\\\n', '').matchAll(new RegExp(`^  ${program} (.*)$`, 'gm'))].map(([, line = '']) =>
      [...line.matchAll(/'([^']*)'|(\S+)/g)].map((word) => word[1] ?? word[2] ?? ''),
    )

  it('T offers commands that do what they promise', async () => {
    const [explore = [], add = [], find = []] = offered('node')
    expect((await run(...explore)).stdout).toMatch(/^Notes 1\.0\.0, protocol 2026-07-28\n\ntools\n {2}add_note/)
    expect((await run(...add)).stdout).toContain('"title":"Milk"')
    expect(JSON.parse((await run(...find)).stdout).notes).toEqual([
      { id: '1', title: 'Milk', text: 'Two bottles', tags: ['shopping'] },
    ])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(1)
  })

  it('T offers a request that any HTTP client can make', async () => {
    const [words = []] = offered('curl')
    const headers = words.flatMap((word, index) =>
      word === '-H' ? [(words[index + 1] as string).split(': ') as [string, string]] : [],
    )
    const answer = await fetch(words[1] as string, { method: 'POST', headers, body: words.at(-1) as string })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('mcp-session-id')).toBeTruthy()
    expect(((await answer.json()) as { result: { serverInfo: unknown } }).result.serverInfo).toMatchObject({
      name: 'notes',
    })
  })

  it('T serves over standard input and output as well', async () => {
    const { code, stdout, stderr } = await run('examples/client.js', '--', process.execPath, 'examples/notes-server.js')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('remove_note')
    expect(stdout).toContain('notes://note/{id}')
  })

  it.each([
    ['a tool that is not there', ['nothing'], /nothing/],
    ['arguments that are no JSON', ['add_note', '{oops'], /not JSON/],
    ['arguments that do not fit', ['add_note', '{"title":1}'], /title/],
  ])('says in one line what is wrong with %s', async (_, words, message) => {
    const [[program = '', url = ''] = []] = offered('node')
    const { code, stderr } = await run(program, url, ...words)
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\n {4}at /)
  })

  it('shows how it is used when it is used otherwise', async () => {
    expect(await run('examples/client.js')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^usage: /) })
    expect(await run('examples/notes-server.js', '--file', root)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/holds no notes/),
    })
  })

  it('L8 ends well on Ctrl-C', async () => {
    const ended = once(server, 'exit')
    server.kill('SIGINT')
    expect(await ended).toEqual([0, null])
  })
})
