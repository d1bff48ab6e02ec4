import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root, textOf } from './support/files.ts'
import { run } from './support/shell.ts'

/** Inside the repository, so that both packages are found as any installed package is. */
const folder = join(root, '.cache', 'declarations')

/** As strict as a project can be that looks into what it has installed. */
const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  types: ['node'],
  noEmit: true,
}

function entriesOf(manifest: string): string[] {
  const { name, exports } = JSON.parse(textOf(manifest)) as { name: string; exports: Record<string, { types?: string } | string> }
  const typed = Object.entries(exports).filter(([, target]) => typeof target === 'object' && target.types !== undefined)
  return typed.map(([entry]) => entry.replace('.', name))
}

describe('Q the declarations of both packages', () => {
  const entries = ['packages/sdk/package.json', 'packages/gateway/package.json'].flatMap(entriesOf)

  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
    writeFileSync(join(folder, 'main.ts'), entries.map((entry) => `import '${entry}'\n`).join(''))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('compile without skipLibCheck, with exact optional properties', () => {
    expect(entries).toEqual(expect.arrayContaining(['parley-mcp', 'parley-mcp/engine', 'parley-gateway']))
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], root)
  })
})
