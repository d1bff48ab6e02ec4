import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'parley-mcp/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root, textOf } from './support/files.ts'
import { codeBlocks } from './support/markdown.ts'
import { run } from './support/shell.ts'

/** Inside the repository, so that `parley-mcp` is found as any installed package is. */
const folder = join(root, '.cache', 'readme')

const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
  module: 'NodeNext',
  strict: true,
  types: ['node'],
  rootDir: '.',
  outDir: 'out',
}

describe('the programs in the README', () => {
  const blocks = codeBlocks(textOf('README.md'), 'ts')
  const [weather = '', attempt = '', serve = '', reach = ''] = blocks
  const programs = { 'weather.ts': weather, 'try.ts': attempt, 'serve.ts': serve, 'reach.ts': reach }

  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: Object.keys(programs) }))
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text)
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], root)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('are short, and are all that there are', () => {
    expect(blocks).toHaveLength(4)
    for (const block of blocks) expect(block.trim().split('\n').length).toBeLessThanOrEqual(25)
  })

  it('type-check against the built package, and print what their comments promise', () => {
    const promised = [...attempt.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map((match) => match[1])
    expect(promised.length).toBeGreaterThan(0)
    expect(
      run(process.execPath, [join(folder, 'out/try.js')], folder)
        .trim()
        .split('\n'),
    ).toEqual(promised)
  })

  it('serve over standard output what is a message, and nothing else', async () => {
    const client = await connect({ command: process.execPath, args: [join(folder, 'out/serve.js')] })
    try {
      expect((await client.call('forecast', { city: 'Oslo' })).structured).toEqual({ city: 'Oslo', high: 14, low: 4 })
    } finally {
      await client.close()
    }
    // With its input at its end, it ends without a word.
    expect(run(process.execPath, [join(folder, 'out/serve.js')], folder)).toBe('')
  })
})

describe('the programs on the page about the eras', () => {
  const place = join(root, '.cache', 'eras')

  beforeAll(() => {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['eras.ts'] }))
    writeFileSync(join(place, 'eras.ts'), codeBlocks(textOf('docs/eras.md'), 'ts').join('\n'))
  })
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  it('give the same in every era and every delivery', () => {
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', place], root)
    expect(
      run(process.execPath, [join(place, 'out/eras.js')], place)
        .trim()
        .split('\n'),
    ).toEqual([
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
  const program = codeBlocks(textOf('docs/skills.md'), 'ts').join('\n')
  const place = join(root, '.cache', 'skills')

  beforeAll(() => {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['skills.ts'] }))
    writeFileSync(join(place, 'skills.ts'), program)
  })
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  it('type-checks against the built package, and prints what its comments promise', () => {
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', place], root)
    const promised = [...program.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map((match) => match[1])
    expect(promised).toHaveLength(4)
    expect(
      run(process.execPath, [join(place, 'out/skills.js')], place)
        .trim()
        .split('\n'),
    ).toEqual(promised)
  })
})

describe('the program in the guide', () => {
  const program = codeBlocks(textOf('docs/guide.md'), 'ts').join('\n')
  const place = join(root, '.cache', 'guide')

  beforeAll(() => {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['guide.ts'] }))
    writeFileSync(join(place, 'guide.ts'), program)
  })
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  it('type-checks against the built package, and prints what its comments promise', () => {
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', place], root)
    const beside = [...program.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map((match) => match[1])
    const below = [...program.matchAll(/^\/\/ (\d{4}-.+)$/gm)].map((match) => match[1])
    expect(beside.length).toBeGreaterThan(3)
    const printed = run(process.execPath, [join(place, 'out/guide.js')], place)
    expect(printed.trim().split('\n')).toEqual([...beside, ...below])
  })
})
