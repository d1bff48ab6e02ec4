import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root, textOf } from './support/files.ts'
import { run } from './support/shell.ts'

const MAX_PACKAGES = 6
const MAX_BYTES = 3_000_000

const manifest = JSON.parse(textOf('packages/sdk/package.json')) as {
  name: string
  version: string
  exports: Record<string, unknown>
  dependencies?: Record<string, string>
}
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json')

let folder = ''

beforeAll(() => {
  expect(existsSync(join(root, 'packages/sdk/dist/server.js')), 'build first: npm run build').toBe(true)
  folder = mkdtempSync(join(tmpdir(), 'parley-footprint-'))
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], join(root, 'packages/sdk')),
  ) as [{ filename: string }]
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'alone', private: true, type: 'module' }))
  run(
    'npm',
    [
      'install',
      '--omit=dev',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      `./${packed.filename}`,
    ],
    folder,
  )
  writeFileSync(join(folder, 'loaded.mjs'), LOADED)
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Prints the URL of every module that loading an entry loads, then the names the entry exports. */
const LOADED = `
import { register } from 'node:module'
const hooks = \`
  import { writeSync } from 'node:fs'
  export function load(url, context, next) {
    writeSync(1, url + '\\\\n')
    return next(url, context)
  }
\`
register('data:text/javascript,' + encodeURIComponent(hooks))
console.log(Object.keys(await import(process.argv[2])).join())
`

/** Folders with a package.json that has a name and a version, however deep npm put them. */
function installed(below: string): string[] {
  if (!existsSync(below)) return []
  return readdirSync(below, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(below, entry.name)
      return entry.name.startsWith('@') ? installed(path) : [path, ...installed(join(path, 'node_modules'))]
    })
}

function bytesBelow(path: string): number {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

function load(entry: string): { names: string[]; urls: string[] } {
  const lines = run(process.execPath, ['loaded.mjs', entry.replace('.', manifest.name)], folder)
    .trim()
    .split('\n')
  return { names: (lines.pop() ?? '').split(','), urls: lines }
}

describe('Q the package, installed alone', () => {
  it(`brings at most ${MAX_PACKAGES} packages, itself included`, () => {
    const packages = installed(join(folder, 'node_modules'))
    expect(packages).toContain(join(folder, 'node_modules', manifest.name))
    expect(packages.length, packages.join('\n')).toBeLessThanOrEqual(MAX_PACKAGES)
  })

  it(`takes at most ${MAX_BYTES / 1e6} MB`, () => {
    const bytes = bytesBelow(join(folder, 'node_modules'))
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  })

  it('holds what was built, its licence and its manual, and no tests', () => {
    const paths = readdirSync(join(folder, 'node_modules', manifest.name), { recursive: true }) as string[]
    expect(paths).toEqual(
      expect.arrayContaining(['package.json', 'LICENSE', 'README.md', 'dist/server.js', 'dist/server.d.ts']),
    )
    expect(paths.filter((path) => /\.(test|fixtures)\.|^src|tsconfig/.test(path))).toEqual([])
  })

  it.each(entries)('%s can be imported, and loads no other package', (entry) => {
    const { names, urls } = load(entry)
    expect(names.length).toBeGreaterThan(0)
    expect(urls.filter((url) => url.startsWith('file:')).length).toBeGreaterThan(1)
    // A validator is loaded when the first plain JSON Schema is validated, and not before. Only one entry is made for
    // Node alone.
    const foreign = urls.filter((url) => !url.includes(`/node_modules/${manifest.name}/dist/`))
    expect(entry === './node' ? foreign.filter((url) => !url.startsWith('node:')) : foreign).toEqual([])
  })

  it('names every file of its exports', () => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target as Record<string, string>),
    )
    const missing = targets.filter((target) => !existsSync(join(folder, 'node_modules', manifest.name, target)))
    expect(missing).toEqual([])
    expect(JSON.parse(readFileSync(join(folder, 'node_modules', manifest.name, 'package.json'), 'utf8'))).toMatchObject(
      { type: 'module', sideEffects: false },
    )
  })
})
