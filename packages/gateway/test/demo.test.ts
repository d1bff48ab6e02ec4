/** `npm start` as a newcomer meets it: two servers of different eras, and printed commands that work as they are. */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { versions } from 'parley-mcp'
import { connect } from 'parley-mcp/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allGone, MARK, mark } from '../../sdk/test/wire/processes.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/** The program behind `npm start`. */
const [, script = ''] = (manifestOf('.').scripts.start as string).split(/^node /)
const command = join('packages/gateway', manifestOf('packages/gateway').bin.parley)

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

interface Recipe {
  readonly command: string
  readonly args: readonly string[]
}

/** One line of configuration each. */
const recipes = [
  ...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/```json\n(\{ "(?:mcpServers|servers)".*)\n```/g),
].map(([, line = '']): [string, Recipe] => {
  const [[client = '', servers = {}] = []] = Object.entries(JSON.parse(line) as Record<string, Record<string, Recipe>>)
  const [[name = '', recipe] = []] = Object.entries(servers)
  return [`${client}.${name}`, recipe as Recipe]
})

const parley = (...words: string[]): Promise<Ended> => run(process.execPath, [command, ...words])

describe('npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-demo-'))
  let gateway: ChildProcessByStdio<null, Readable, Readable>
  let shown = ''
  let url = ''

  beforeAll(async () => {
    const env = {
      ...process.env,
      NOTES: join(folder, 'notes.json'),
      npm_lifecycle_event: 'start',
      npm_command: 'start',
      PARLEY_LOG: 'text',
    }
    gateway = spawn(process.execPath, [...script.split(' '), '--port', '0'], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    gateway.stderr.resume()
    gateway.stdout.setEncoding('utf8')
    while (!shown.includes('Ctrl-C')) shown += (await once(gateway.stdout, 'data'))[0]
    url = /Parley listens on (\S+)/.exec(shown)?.[1] ?? ''
  })
  afterAll(() => {
    gateway.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  /** The words of the printed commands that begin so, as a shell would see them. */
  const offered = (beginning: string): string[][] =>
    [...shown.matchAll(new RegExp(`^  ${beginning} (.*)$`, 'gm'))].map(([, line = '']) =>
      [...line.matchAll(/'([^']*)'|(\S+)/g)].map((word) => word[1] ?? word[2] ?? ''),
    )

  it.each([
    ['npm alone gets SIGTERM', (npm: number) => process.kill(npm, 'SIGTERM')],
    ['the terminal sends SIGINT to all', (npm: number) => process.kill(-npm, 'SIGINT')],
  ])('ends with its servers when %s', async (_, end) => {
    const own = mark()
    const npm = spawn('npm', ['start', '--', '--port', '0'], {
      cwd: root,
      env: { ...process.env, NOTES: join(folder, 'other.json'), [MARK]: own },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let said = ''
    npm.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    npm.stdout.resume()
    while (!said.includes('listens on')) await once(npm.stderr, 'data')
    end(npm.pid as number)
    await once(npm, 'close')
    expect(said).toContain(': ending')
    await allGone(own)
  })

  it('has a command that npm links at once, built or not', () => {
    expect(command).not.toContain('dist')
    expect(existsSync(join(root, command))).toBe(true)
  })

  it('finds the configurations in README.md', () => {
    expect(recipes.map(([name]) => name)).toEqual(['mcpServers.search', 'servers.search', 'mcpServers.files'])
  })

  it('G shows servers of both eras at one address, and each at its own', () => {
    expect(shown).toContain(`${url}/mcp\n`)
    expect(shown).toContain(`${url}/servers/notes/mcp\n`)
    expect(shown).toMatch(/notes: notes 1\.0\.0 speaks 2025-06-18 \(handshake\)/)
    expect(shown).toMatch(/trains: trains 1\.0\.0 speaks 2026-07-28 \(stateless\)/)
  })

  it('G offers commands that do what they promise', async () => {
    const [[explore = '', ...where] = [], add = [], find = [], ...others] = offered('npx parley')
    expect(others).toEqual([])
    const inspected = await parley(explore, ...where)
    expect(inspected).toMatchObject({ code: 0, stderr: '' })
    expect(inspected.stdout).toMatch(/^parley-gateway .*\n/)
    expect(inspected.stdout).toMatch(/notes__add_note\(title: string, text: string, tags\?: string\[\]\)/)
    const added = await parley(...add)
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(added.stdout)).toMatchObject({ title: 'Milk', text: 'Two bottles' })
    const found = await parley(...find)
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(found.stdout).trains).toHaveLength(2)
  })

  it.each(['README.md', 'docs/cli.md'])('G is shown in %s as it is', (file) => {
    const text = readFileSync(join(root, file), 'utf8').replaceAll('npx parley-gateway', 'npx parley')
    const commands = offered('npx parley').map((words) =>
      words.map((word) => (word.startsWith('{') ? `'${word}'` : word)).join(' '),
    )
    for (const each of commands) expect(text).toContain(`npx parley ${each.replace(url, 'http://127.0.0.1:4000')}\n`)
  })

  it.each(recipes)(
    'G the configuration in README.md for %s works, for clients of every version',
    async (_, { command: program, args }) => {
      const words = [program, ...args].join(' ')
      expect(words).toMatch(/^npx -y parley-gateway bridge /)
      const real = words
        .replace('npx -y parley-gateway', command)
        .replace('https://search.example/mcp', `${url}/servers/trains/mcp`)
        .replace('npx -y some-old-server', 'node examples/notes-server.js --only 2024-11-05')
      for (const version of versions) {
        const client = await connect({ command: process.execPath, args: real.split(' '), cwd: root }, { version })
        expect(client.version).toBe(version)
        expect((await client.tools()).length).toBeGreaterThan(1)
        await client.close()
      }
    },
  )

  it('G offers a request that any HTTP client can make', async () => {
    const [[address = ''] = []] = offered('curl')
    expect(await (await fetch(address)).json()).toMatchObject({ status: 'ready' })
  })

  it('X6 has clients of each era call the server of the other', () => {
    const versions = offered('npx parley').flatMap((words) =>
      words.includes('--version') ? [words[words.indexOf('--version') + 1]] : [],
    )
    expect(versions).toEqual(['2026-07-28', '2024-11-05'])
  })

  it('G keeps what is noted, whoever notes it', async () => {
    const { stdout } = await parley(
      'call',
      `${url}/mcp`,
      'notes__find_notes',
      '{"words":"milk"}',
      '--version',
      '2025-06-18',
    )
    expect(JSON.parse(stdout).notes).toMatchObject([{ id: '1', title: 'Milk' }])
  })

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'X6 puts a question of the stateless server to a client of %s',
    async (version) => {
      const { stdout } = await parley(
        'call',
        `${url}/mcp`,
        'trains__reserve',
        '{"train":"R 41"}',
        '--version',
        version,
        '--answer',
        'seat=window',
      )
      expect(stdout).toContain('Reserved a seat at the window on R 41')
    },
  )

  it('X5 says why a client cannot be asked', async () => {
    const { code, stderr } = await parley(
      'call',
      `${url}/mcp`,
      'trains__reserve',
      '{"train":"R 41"}',
      '--version',
      '2024-11-05',
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/2024-11-05.*came with 2025-06-18/s)
  })

  it('says what to do when the port is in use', async () => {
    const { code, stderr } = await parley(
      'gateway',
      '--config',
      'examples/gateway/parley.json',
      '--port',
      new URL(url).port,
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: The gateway cannot listen: port \d+ of 127\.0\.0\.1 is in use .*--port/)
  })

  it('ends well on Ctrl-C', async () => {
    const ended = once(gateway, 'exit')
    gateway.kill('SIGINT')
    expect(await ended).toEqual([0, null])
  })
})
