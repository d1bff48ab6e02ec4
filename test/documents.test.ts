/** The programs in `docs`, as somebody who copies them would compile and run them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root, textOf } from './support/files.ts'
import { codeBlocks } from './support/markdown.ts'
import { run } from './support/shell.ts'

/** Inside the repository, so that `parley-mcp` is found as any installed package is. */
const folder = join(root, '.cache', 'documents')

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
  module: 'NodeNext',
  strict: true,
  types: ['node'],
  rootDir: '.',
  outDir: 'out',
}

const wholeOf = (document: string): string => codeBlocks(textOf(document), 'ts').join('\n')
const [eras, skills, guide] = [wholeOf('docs/eras.md'), wholeOf('docs/skills.md'), wholeOf('docs/guide.md')]
const programs = { 'eras.ts': eras, 'skills.ts': skills, 'guide.ts': guide }

const compiled = (program: string): string => join(folder, 'out', `${program}.js`)
const printed = (program: string): string[] =>
  run(process.execPath, [compiled(program)], folder)
    .trim()
    .split('\n')
/** What the comments beside calls say that they print. */
const promisedIn = (program: string) =>
  [...program.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map((match) => match[1])

// All at once: the compiler spends most of its time on what they have in common.
beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: Object.keys(programs) }))
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text)
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], root)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the programs on the page about the eras', () => {
  it('give the same in every era and every delivery', () => {
    expect(printed('eras')).toEqual([
      '2025-11-25 Deployed as 1: hello',
      '2026-07-28 Deployed as 2: hello',
      '2026-07-28 Deployed as 3: hello',
      '3',
      '2025-06-18 Hello, Ann, for the 4th time',
      '2026-07-28 Hello, Ann, for the 4th time',
    ])
  })
})

describe('the program about skills', () => {
  it('type-checks against the built package, and prints what its comments promise', () => {
    const promised = promisedIn(skills)
    expect(promised).toHaveLength(4)
    expect(printed('skills')).toEqual(promised)
  })
})

describe('the program in the guide', () => {
  it('type-checks against the built package, and prints what its comments promise', () => {
    const beside = promisedIn(guide)
    const below = [...guide.matchAll(/^\/\/ (\d{4}-.+)$/gm)].map((match) => match[1])
    expect(beside.length).toBeGreaterThan(3)
    expect(printed('guide')).toEqual([...beside, ...below])
  })
})
