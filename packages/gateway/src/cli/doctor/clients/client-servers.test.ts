/** The doctor without arguments, on the configurations of MCP clients. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parley, plainServer } from '../../cli.fixtures.ts'
import type { Check } from '../report/subject-report.ts'
import { clientFiles } from './client-files.ts'

let home: string
let folder: string
const before = process.cwd()

beforeEach(async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'parley-clients-')))
  ;[home, folder] = [join(root, 'home'), join(root, 'project')]
  await mkdir(home)
  await mkdir(folder)
  process.chdir(folder)
})
afterEach(async () => {
  process.chdir(before)
  await rm(dirname(home), { recursive: true })
})

/** Where a client looks here. `nth`: 0 for the user's file. */
function fileOf(client: string, nth = 0): string {
  const files = clientFiles({ home, folder, platform: process.platform, env: {} }).filter(
    (file) => file.client === client,
  )
  return (files[nth] as { path: string }).path
}

async function written(client: string, nth: number, content: unknown): Promise<void> {
  const path = fileOf(client, nth)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
}

const server = (...habits: string[]) => ({ command: process.execPath, args: [plainServer, ...habits] })

async function doctor(): Promise<{ code: number; subjects: string[]; checks: Check[] }> {
  const { code, out } = await parley(['doctor', '--json'], { env: { HOME: home } })
  const { checks } = JSON.parse(out) as { checks: Check[] }
  return { code, checks, subjects: [...new Set(checks.map(({ subject }) => subject))] }
}

describe('parley doctor without arguments', () => {
  it('looks at the servers of every client', async () => {
    await written('Claude Desktop', 0, { mcpServers: { 'My notes': server() }, globalShortcut: 'x' })
    await written('Cursor', 0, { mcpServers: { 'My notes': server() } })
    await written('Cursor', 1, { mcpServers: { near: server('--junk') } })
    await written(
      'VS Code',
      1,
      `{ // with comments\n "servers": { "editor": ${JSON.stringify({ type: 'stdio', ...server() })}, } }`,
    )
    await written('Windsurf', 0, { mcpServers: { far: { serverUrl: 'http://127.0.0.1:1/mcp' } } })
    await written('Claude Code', 0, {
      numStartups: 7,
      mcpServers: {},
      projects: { [folder]: { mcpServers: { mine: server() } } },
    })
    await written('Claude Code', 1, { mcpServers: { off: { ...server('--crash'), disabled: true } } })
    const { code, subjects, checks } = await doctor()
    expect(code).toBe(1)
    expect(subjects.filter((subject) => subject.includes(folder) || subject.includes(home))).toHaveLength(7)
    const servers = [
      'My notes (Claude Desktop, Cursor)',
      'near (Cursor)',
      'editor (VS Code)',
      'far (Windsurf)',
      'mine (Claude Code)',
    ]
    expect(subjects.slice(-5)).toEqual(servers)
    const problems = checks.filter(({ status }) => status === 'problem')
    expect(problems.map(({ subject, check }) => `${subject}: ${check}`)).toEqual(['far (Windsurf): port'])
    expect(checks).toContainEqual(
      expect.objectContaining({ subject: 'near (Cursor)', check: 'output', status: 'warning' }),
    )
  })

  it('tells of a file that cannot be read, and of an entry that means nothing, beside the others', async () => {
    await written('Claude Desktop', 0, '{ "mcpServers": {\n "a": { "command" "x" } } }')
    await written('Cursor', 0, { mcpServers: { odd: { comand: 'x' }, good: server() } })
    const { code, checks } = await doctor()
    expect(code).toBe(1)
    const problems = checks
      .filter(({ status }) => status === 'problem')
      .map(({ subject, detail }) => `${subject.split(':')[0]} ${detail}`)
    expect(problems[0]).toBe('Claude Desktop line 2: ColonExpected')
    expect(problems.slice(1).every((each) => each.startsWith('Cursor odd'))).toBe(true)
    expect(checks).toContainEqual(
      expect.objectContaining({ subject: 'good (Cursor)', check: 'lists tools', status: 'ok' }),
    )
  })

  it('says which files it has looked for when there is none', async () => {
    const { code, out, err } = await parley(['doctor'], { env: { HOME: home } })
    expect([code, out]).toEqual([2, ''])
    for (const client of ['Claude Desktop', 'Cursor', 'VS Code', 'Windsurf', 'Claude Code'])
      expect(err).toContain(`  ${client}: ${fileOf(client)}\n`)
    expect(err).toContain(fileOf('VS Code', 1))
  })

  it('prefers the configuration of this folder', async () => {
    await written('Cursor', 0, { mcpServers: { far: server('--crash') } })
    await writeFile(join(folder, 'parley.json'), JSON.stringify({ mcpServers: {}, gateway: { port: 0 } }))
    expect(await doctor()).toMatchObject({ code: 0, subjects: ['this machine', 'parley.json'] })
  })
})

describe('the files of clients', () => {
  const pathsOn = (platform: NodeJS.Platform, env: Record<string, string> = {}): string[] =>
    clientFiles({
      home: platform === 'win32' ? 'C:\\Users\\a' : '/home/a',
      folder: platform === 'win32' ? 'D:\\p' : '/p',
      platform,
      env,
    }).map(({ path }) => path)

  it.each([
    [
      'darwin',
      '/home/a/Library/Application Support/Claude/claude_desktop_config.json',
      '/home/a/Library/Application Support/Code/User/mcp.json',
    ],
    ['linux', '/home/a/.config/Claude/claude_desktop_config.json', '/home/a/.config/Code/User/mcp.json'],
    [
      'win32',
      'C:\\Users\\a\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'C:\\Users\\a\\AppData\\Roaming\\Code\\User\\mcp.json',
    ],
  ] as const)('are where they are on %s', (platform, desktop, editor) => {
    expect(pathsOn(platform)).toEqual(expect.arrayContaining([desktop, editor]))
  })

  it('follow the settings folder of the environment', () => {
    expect(pathsOn('win32', { APPDATA: 'E:\\Roaming' })).toContain('E:\\Roaming\\Code\\User\\mcp.json')
    expect(pathsOn('linux', { XDG_CONFIG_HOME: '/etc/x' })).toContain('/etc/x/Claude/claude_desktop_config.json')
  })
})
