import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programOf, wrongProgram, wrongReturns } from './type-cost.fixtures.ts'

const require = createRequire(import.meta.url)
const sdk = dirname(dirname(fileURLToPath(import.meta.url)))
const CEILING = 350_000

let project: string

/** What the compiler prints for one program that uses the server entry. */
async function compile(source: string): Promise<string> {
  await writeFile(join(project, 'main.ts'), source)
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [compiler, '-p', project, '--extendedDiagnostics'],
      { maxBuffer: 1e8 },
      (_error, out, err) => resolve(out + err),
    )
  })
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'type-cost-'))
  const paths = {
    'parley-mcp/server': [join(sdk, 'src', 'server.ts')],
    zod: [join(dirname(require.resolve('zod/package.json')), 'index.d.ts')],
  }
  const compilerOptions = {
    paths,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
  }
  const config = {
    compilerOptions: {
      ...compilerOptions,
      lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
      allowImportingTsExtensions: true,
    },
    files: ['main.ts'],
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
})

afterAll(() => rm(project, { recursive: true, force: true }))

describe('F1 inferred types stay cheap', () => {
  it(`300 tools with input and output take fewer than ${CEILING} instantiations`, async () => {
    const printed = await compile(programOf(300))
    expect(printed).not.toMatch(/main\.ts.*error TS/)
    const instantiations = Number(/Instantiations:\s+(\d+)/.exec(printed)?.[1])
    expect(instantiations).toBeGreaterThan(10_000)
    expect(instantiations).toBeLessThan(CEILING)
  }, 120_000)

  it('and are really checked', async () => {
    const printed = await compile(wrongProgram)
    expect(printed).toMatch(/main\.ts\(4,.*error TS2339: Property 'toUpperCase' does not exist on type 'number'/)
    expect(printed).toMatch(/main\.ts\(5,.*error TS/)
  }, 120_000)

  it('and errors show the output that was declared, without everything else a handler may return', async () => {
    const printed = await compile(wrongReturns)
    expect(printed).toContain(
      "Property 'city' is missing in type '{ high: number; }' but required in type '{ high: number; city: string; }'",
    )
    expect(printed).toContain(
      "Type 'Background<{ high: string; city: string; }>' is not assignable to type 'Background<{ high: number; city: string; }>'",
    )
    expect(printed).not.toContain('...')
    expect(printed).not.toMatch(/ToolResult/)
  }, 120_000)
})
