/**
 * The command `parley` in every situation in which it can be installed: what it prints can be pasted there, and nothing
 * is left of it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { allGone, MARK, mark } from '../packages/sdk/test/wire/processes.ts'
import { root, textOf } from './support/files.ts'
import { codeBlocks } from './support/markdown.ts'
import { freePort, until } from './support/ports.ts'
import { printedPrograms } from './support/printed-commands.ts'
import { LocalRegistry } from './support/registry.ts'

let registry: LocalRegistry
let globalFolder = ''
beforeAll(async () => {
  registry = await LocalRegistry.start()
  globalFolder = join(registry.folder, 'global')
  await paste(`npm install --global --prefix ${globalFolder} parley-gateway`, registry.folder)
})
afterAll(() => registry.close())

const children = new Set<ChildProcess>()
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, 'exit')
    // The whole group: a test that has failed may have left more than the shell.
    process.kill(-(child.pid as number), 'SIGKILL')
    await ended
  }
  children.clear()
})

const environment = (own: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ ...registry.environment(), ...own })

/** Pastes a line into a shell, and gives all that it prints, however it ends. */
function paste(line: string, cwd: string, own: NodeJS.ProcessEnv = {}): Promise<string> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], { cwd, env: environment(own), timeout: 50_000 }, (_, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    )
  })
}

/** Starts a line in a shell of its own; `said` is what it has printed. */
function start(
  line: string,
  cwd: string,
  own: NodeJS.ProcessEnv = {},
): { end: () => Promise<void>; said: () => string } {
  const ownMark = mark()
  const child = spawn('sh', ['-c', line], {
    cwd,
    env: { ...environment(own), [MARK]: ownMark },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  children.add(child)
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await allGone(ownMark)
  }
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return { end, said: () => said }
}

const emptyFolder = (): string => mkdtempSync(join(registry.folder, 'folder-'))

async function project(): Promise<string> {
  const folder = emptyFolder()
  await paste('npm init -y && npm install parley-gateway', folder)
  return folder
}

async function below(): Promise<string> {
  const folder = join(await project(), 'sub')
  mkdirSync(folder)
  return folder
}

const withGlobal = (): NodeJS.ProcessEnv => ({ PATH: `${join(globalFolder, 'bin')}:${registry.environment()['PATH']}` })

interface Situation {
  readonly name: string
  readonly folder: () => string | Promise<string>
  /** What the user has typed. */
  readonly typed: () => string
  /** What is printed for the user to type. */
  readonly printed: () => string
  readonly env?: () => NodeJS.ProcessEnv
}

const SITUATIONS: readonly Situation[] = [
  { name: 'a project that has it', folder: project, typed: () => 'npx parley', printed: () => 'npx parley' },
  {
    name: 'a project, by the name of the package',
    folder: project,
    typed: () => 'npx -y parley-gateway',
    printed: () => 'npx parley',
  },
  { name: 'a folder of such a project', folder: below, typed: () => 'npx parley', printed: () => 'npx parley' },
  {
    name: 'any folder, installed globally',
    folder: emptyFolder,
    typed: () => 'parley',
    printed: () => 'parley',
    env: withGlobal,
  },
  {
    name: 'any folder, installed globally where no shell looks',
    folder: emptyFolder,
    typed: () => join(globalFolder, 'bin/parley'),
    printed: () => `node ${join(globalFolder, 'bin/parley')}`,
  },
  {
    name: 'any folder, fetched by npx',
    folder: emptyFolder,
    typed: () => 'npx -y parley-gateway',
    printed: () => 'npx -y parley-gateway',
  },
  { name: 'a checkout, by npx', folder: () => root, typed: () => 'npx parley', printed: () => 'npx parley' },
  {
    name: 'a checkout, by its file',
    folder: () => root,
    typed: () => 'node packages/gateway/dist/cli.js',
    printed: () => 'node packages/gateway/dist/cli.js',
  },
]

const HELP = [
  '--help',
  ...['gateway', 'bridge', 'inspect', 'call', 'doctor', 'audit'].map((command) => `${command} --help`),
]
/** Lines that fail with a hint. */
const MISTAKES = [
  'gateway',
  'bridge',
  'inspect',
  'call',
  'inspect --',
  'audit -- x',
  'inspect --config none.json --server a',
  'bridge a b',
]

describe.each(SITUATIONS)('in $name', ({ folder: inFolder, typed, printed, env = () => ({}) }) => {
  it('help, mistakes, the gateway and its page print commands that work there', { timeout: 120_000 }, async () => {
    const folder = await inFolder()
    const program = printed()
    const fast = typed() === 'node packages/gateway/dist/cli.js'
    const lines = fast ? [...HELP, ...MISTAKES] : ['call --help', 'bridge a b']
    const texts: string[] = []
    for (const line of lines) texts.push(await paste(`${typed()} ${line}`, folder, env()))
    texts.push(await ofGateway(typed(), folder, env()))
    const programs = texts.flatMap(printedPrograms)
    expect(programs.length).toBeGreaterThan(5)
    expect([...new Set(programs)]).toEqual([program])
    expect(await paste(`${program} --version`, folder, env())).toMatch(/^\d+\.\d+\.\d+\n$/)
    // That is a package of other people.
    expect(registry.missing).not.toContain('parley')
  })
})

/** What the gateway prints until it is ready; it ends by SIGTERM without a rest. */
async function ofGateway(typed: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const config = join(emptyFolder(), 'parley.json')
  const mcpServers = { notes: { command: process.execPath, args: [join(root, 'examples/notes-server.js')] } }
  writeFileSync(config, JSON.stringify({ mcpServers }))
  const { end, said } = start(`exec ${typed} gateway --config ${config} --port 0`, folder, {
    ...env,
    PARLEY_LOG: 'text',
  })
  await until(async () => expect(said()).toContain('Ctrl-C'))
  const [, url = ''] = /Parley listens on (\S+)/.exec(said()) ?? []
  const page = await (await fetch(url)).text()
  expect(await paste(`${programOfPage(page)} --version`, emptyFolder(), env)).toMatch(/^\d+\.\d+\.\d+\n$/)
  await end()
  return said()
}

/** The words with which clients start the bridge, in any folder. */
function programOfPage(page: string): string {
  const [, block = ''] = /<pre>([^<]*&quot;command&quot;[^<]*)<\/pre>/.exec(page) ?? []
  const { parley } = JSON.parse(block.replaceAll('&quot;', '"')).mcpServers
  return [parley.command, ...parley.args.slice(0, parley.args.indexOf('bridge'))].join(' ')
}

describe('Q the quick start of packages/gateway/README.md', () => {
  const document = textOf('packages/gateway/README.md')
  const [config = ''] = codeBlocks(document, 'json')
  const [startLine = '', callLine = ''] = codeBlocks(document, 'sh').map((block) => block.trim())

  it('works as it is pasted, and leaves nothing behind', { timeout: 120_000 }, async () => {
    const folder = emptyFolder()
    const port = await freePort()
    writeFileSync(join(folder, 'parley.json'), config)
    installHere('@modelcontextprotocol/server-everything', 'mcp-server-everything', folder)
    // Another program may have the port of the document.
    const { end, said } = start(`exec ${startLine} --port ${port}`, folder)
    await until(async () => expect(said()).toContain('listening'))
    const called = await paste(callLine.replace('4000', String(port)), folder)
    expect(called).toContain('hello')
    await end()
    // No terminal: both streams together are one JSON object per line.
    const lines = said().trim().split('\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('severity')
    expect(registry.missing).not.toContain('parley')
  })
})

/** A package of the repository that npx then finds in the folder, with all it depends on. */
function installHere(name: string, bin: string, folder: string): void {
  const [scope = ''] = name.split('/')
  mkdirSync(join(folder, 'node_modules', scope), { recursive: true })
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  symlinkSync(join(root, 'node_modules/.bin', bin), join(folder, 'node_modules/.bin', bin))
}
