import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesBelow, isTest, occurrences, root, textOf } from './support/files.ts'
import { anchorsOf, linksOf } from './support/markdown.ts'

const isText = (path: string): boolean =>
  /\.(ts|js|mjs|json|jsonc|md|yml|yaml)$/.test(path) || path === '.ci/run' || path === '.npmrc'
const everyFile = filesBelow('', isText)
const code = everyFile.filter((path) => /\.(ts|js|mjs)$/.test(path))
const documents = everyFile.filter((path) => path.endsWith('.md'))

/** Spelled in pieces, or this file would find itself. */
const pattern = (...pieces: string[]): RegExp => new RegExp(pieces.join(''))

function found(paths: readonly string[], searched: RegExp): string[] {
  return paths.flatMap((path) => occurrences(path, textOf(path), searched))
}

describe('the repository stands alone', () => {
  it('names no path of a machine', () => {
    const machine = pattern('(^|[^\\w./-])/', '(work|farm|root)', '/')
    expect(found(everyFile, machine)).toEqual([])
  })

  it('holds nothing that a profiler has left behind', () => {
    expect(
      filesBelow('', (path) => /(^|\/)isolate-[^/]*\.log$|\.(heapsnapshot|cpuprofile|heapprofile)$/.test(path)),
    ).toEqual([])
  })

  it('reaches outside itself in one place only', () => {
    const outside = everyFile.filter((path) => path !== '.ci/run')
    expect(found(outside, pattern('\\.\\./', 'shared'))).toEqual([])
  })

  it('locks its dependencies without naming where they were downloaded', () => {
    const lock = JSON.parse(textOf('package-lock.json')) as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>
    }
    const downloaded = Object.entries(lock.packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && link !== true,
    )
    expect(downloaded.length).toBeGreaterThan(50)
    expect(downloaded.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
    expect(downloaded.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
    expect(found(['package-lock.json'], pattern('"resolved": "[a-z+]+:', '//'))).toEqual([])
  })
})

describe('the code has no soft spots', () => {
  const sources = code.filter((path) => path.startsWith('packages/') && path.includes('/src/') && !isTest(path))
  const tests = code.filter((path) => path.endsWith('.test.ts'))

  it('in its sources', () => {
    expect(sources.length).toBeGreaterThan(20)
    expect(found(sources, pattern('\\b(TO', 'DO|FIX', 'ME|X', 'XX)\\b'))).toEqual([])
    expect(found(sources, pattern('@ts-', '(ignore|nocheck)|biome-', 'ignore-all'))).toEqual([])
    // Not in comments, where "as any other" is English.
    expect(found(sources, pattern('^(?!\\s*(?:/?\\*|//)).*\\bas ', 'any\\b'))).toEqual([])
    expect(found(sources, pattern('\\bconsole\\.', '(log|info|debug|trace|table)\\(|\\bdebug', 'ger\\b'))).toEqual([])
  })

  it('in its tests', () => {
    expect(tests.length).toBeGreaterThan(2)
    expect(found(tests, pattern('\\b(it|test|describe|suite)\\.', '(only|skip|todo|fails)\\b'))).toEqual([])
    expect(found(tests, pattern('expect\\(', 'true\\)|@ts-', '(ignore|nocheck)'))).toEqual([])
  })
})

describe('the documents', () => {
  it.each(documents)('%s has only links that lead somewhere', (path) => {
    const local = linksOf(textOf(path)).filter(({ href }) => !/^[a-z]+:/.test(href))
    const broken = local.filter(({ href }) => {
      const [file = '', anchor] = href.split('#')
      const target = file === '' ? path : posix.join(posix.dirname(path), file)
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(textOf(target)).has(anchor)
    })
    expect(broken).toEqual([])
  })
})
