/**
 * Every requirement has a line in docs/requirements.md, and every test that line names exists and carries the id in a
 * title.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url).pathname

const numbered = (letter: string, ...numbers: number[]): string[] => numbers.map((number) => `${letter}${number}`)

const required = [
  ...numbered('V', 1, 2, 3, 4, 5),
  ...numbered('C', 1, 2, 3, 4, 5),
  ...numbered('L', 1, 2, 3, 4, 5, 6, 7, 8),
  ...numbered('M', 1, 2, 3, 4, 5, 6, 7),
  ...numbered('F', 1, 2, 3, 4, 5, 6, 7, 8, 9),
  'T',
  ...numbered('X', 1, 2, 3, 4, 5, 6, 7),
  'G',
  ...numbered('E', 1, 2, 3),
  'D',
  'Q',
]

interface Row {
  readonly id: string
  readonly what: string
  readonly files: readonly string[]
}

const rows: readonly Row[] = readFileSync(join(root, 'docs/requirements.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| ([A-Z]\d*) \| (.+?) \| (.*) \|$/.exec(line))
  .flatMap((found) => {
    if (found === null) return []
    const [, id = '', what = '', proof = ''] = found
    return [{ id, what, files: [...proof.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file) }]
  })

/** Titles of suites and tests: the text after `describe(`, `it(` and the like, or after the table of `each`. */
function titlesIn(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  return [...source.matchAll(/(?:\b(?:describe|it|test)(?:\.\w+)*\(|\)\()\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(
    ([, , title = '']) => title,
  )
}

describe('docs/requirements.md', () => {
  it('has one line for every requirement, and no other', () => {
    expect(rows.map(({ id }) => id).sort()).toEqual([...required].sort())
  })

  it.each(rows)('$id is proved by tests that say so', ({ id, what, files }) => {
    expect(what.length).toBeGreaterThan(20)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      expect(existsSync(join(root, file)), `${file} exists`).toBe(true)
      const mentions = titlesIn(file).some((title) => new RegExp(`\\b${id}\\b`).test(title))
      expect(mentions, `a title in ${file} names ${id}`).toBe(true)
    }
  })
})
