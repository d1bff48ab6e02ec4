/**
 * The packages as a stranger meets them: installed from a registry into an empty folder, with the quick starts pasted
 * as they are.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from 'parley-mcp/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { root, textOf } from './support/files.ts'
import { codeBlocks } from './support/markdown.ts'
import { freePort, until } from './support/ports.ts'
import { LocalRegistry } from './support/registry.ts'
import { run } from './support/shell.ts'

let registry: LocalRegistry
beforeAll(async () => {
  registry = await LocalRegistry.start()
})
afterAll(() => registry.close())

const emptyFolder = (): string => mkdtempSync(join(registry.folder, 'project-'))

// The registry is in this process, so nothing may block it.
const shell = promisify(execFile)

/** Pastes a line into a shell, and gives what it prints. */
async function paste(line: string, cwd: string): Promise<string> {
  return (await shell('sh', ['-c', line], { cwd, env: registry.environment(), timeout: 50_000 })).stdout
}

/** Programs of a document by the name that the text before them gives, such as `server.js`. */
function namedPrograms(document: string): [string, string][] {
  return [...textOf(document).matchAll(/`([\w-]+\.[jt]s)`:\n\n```ts\n([\s\S]*?)^```/gm)].map(
    ([, name = '', text = '']) => [name, text],
  )
}

/** What the comments beside calls say that they print. */
const promisedIn = (program: string): string[] =>
  [...program.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text = '']) => text)

const children = new Set<ChildProcess>()
afterEach(async () => {
  for (const child of children) {
    const ended = child.exitCode !== null || child.signalCode !== null || once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  children.clear()
})

const SDK_QUICK_STARTS = [
  {
    document: 'README.md',
    programs: ['weather.js', 'try.js', 'serve.js', 'reach.js', 'typed.ts'],
    serve: 'serve.js',
    tool: 'forecast',
    args: { city: 'Oslo' },
  },
  {
    document: 'packages/sdk/README.md',
    programs: ['server.js', 'client.js'],
    serve: 'server.js',
    tool: 'greet',
    args: { name: 'Ann' },
  },
]

describe.each(SDK_QUICK_STARTS)(
  'Q the quick start of $document',
  ({ document, programs: expected, serve, tool, args }) => {
    let folder = ''
    let port = 0
    let programs: [string, string][] = []

    beforeAll(async () => {
      folder = emptyFolder()
      port = await freePort()
      // Another program may have the port of the document.
      programs = namedPrograms(document).map(([name, text]) => [name, text.replaceAll('3000', String(port))])
      const install = codeBlocks(textOf(document), 'sh').find((block) => block.includes('npm install parley-mcp'))
      await paste(install as string, folder)
      for (const [name, text] of programs) if (name.endsWith('.js')) writeFileSync(join(folder, name), text)
    })

    it('has short programs, each with the name of its file', () => {
      expect(programs.map(([name]) => name)).toEqual(expected)
      for (const [, text] of programs) expect(text.trim().split('\n').length).toBeLessThanOrEqual(25)
    })

    it('prints what its comments promise', async () => {
      const promising = programs.filter(([, text]) => promisedIn(text).length > 0)
      expect(promising.length).toBeGreaterThan(0)
      for (const [name, text] of promising)
        expect((await paste(`node ${name}`, folder)).trim().split('\n')).toEqual(promisedIn(text))
    })

    it('serves over HTTP, and over standard output nothing but messages', async () => {
      const child = spawn(process.execPath, [serve, '--http'], {
        cwd: folder,
        env: registry.environment(),
        stdio: 'ignore',
      })
      children.add(child)
      const remote = await until(() => connect(`http://127.0.0.1:${port}/mcp`))
      const local = await connect({ command: process.execPath, args: [join(folder, serve)] })
      const [far, near] = await Promise.all([remote.call(tool, args), local.call(tool, args)])
      expect(far.text).toContain(Object.values(args)[0])
      expect(near.text).toBe(far.text)
      await Promise.all([remote.close(), local.close()])
      // With its input at its end, it ends without a word.
      expect(await paste(`node ${serve} < /dev/null`, folder)).toBe('')
    })

    it('type-checks as TypeScript, with what the document says that the types need', async () => {
      const [, needed = ''] = /`(npm install --save-dev [^`]+)`/.exec(textOf(document)) ?? []
      await paste(needed, folder)
      const typed = programs.map(([name, text]): [string, string] => [name.replace('.js', '.ts'), text])
      compile(folder, Object.fromEntries(typed), {})
    })
  },
)

/** Compiles programs inside a folder, as strictly as a project can that looks into what it has installed. */
function compile(folder: string, programs: Readonly<Record<string, string>>, options: object): void {
  const own = mkdtempSync(join(folder, 'types-'))
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(own, name), text)
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false }
  const compilerOptions = { target: 'ES2022', module: 'NodeNext', types: [], noEmit: true, ...strict, ...options }
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(programs) }))
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', own], root)
}

describe('Q the declarations of both packages, without ws and its types', () => {
  const entries = ['packages/sdk', 'packages/gateway'].flatMap(entriesOf)
  const program = (names: readonly string[]) => ({ 'main.ts': names.map((name) => `import '${name}'\n`).join('') })
  let folder = ''

  beforeAll(async () => {
    folder = emptyFolder()
    await paste('npm init -y && npm pkg set type=module && npm install parley-gateway', folder)
  })

  it('compile without @types/node where the table of entries asks for none', () => {
    const rows = [...textOf('packages/sdk/README.md').matchAll(/^\| `(parley-mcp[/\w]*)` \|.*\| (.*?) ?\|$/gm)]
    expect(rows.map(([, entry]) => entry).sort()).toEqual(entries.filter((entry) => entry !== 'parley-gateway').sort())
    const plain = rows.filter(([, , needed]) => needed === '').map(([, entry = '']) => entry)
    expect(plain).toHaveLength(rows.length - 1)
    compile(folder, program(plain), {})
    expect(() => compile(folder, program(['parley-mcp/node']), {})).toThrow(
      /Cannot find type definition file for 'node'/,
    )
  })

  it.each([{ lib: ['ES2022'] }, { lib: ['ES2022', 'DOM'] }, { module: 'ESNext', moduleResolution: 'Bundler' }])(
    'compile with @types/node and %j',
    async (options) => {
      await paste('npm install --save-dev @types/node && rm -rf node_modules/ws', folder)
      compile(folder, program(entries), options)
    },
  )
})

function entriesOf(folder: string): string[] {
  const { name, exports } = JSON.parse(textOf(`${folder}/package.json`)) as {
    name: string
    exports: Record<string, { types?: string } | string>
  }
  const typed = Object.entries(exports).filter(([, target]) => typeof target === 'object' && target.types !== undefined)
  return typed.map(([entry]) => entry.replace('.', name))
}
