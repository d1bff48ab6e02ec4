/** The repository as the tests see it: files that are written by hand, with their text. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Made by tools or by other people. */
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.cache', 'generated'])

/** Paths below `folder`, relative to the root, with forward slashes. */
export function filesBelow(folder: string, wanted: (path: string) => boolean = () => true): string[] {
  const found: string[] = []
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue
    const path = relative(root, join(root, folder, entry.name))
      .split(sep)
      .join('/')
    if (entry.isDirectory()) found.push(...filesBelow(path, wanted))
    else if (entry.isFile() && wanted(path)) found.push(path)
  }
  return found.sort()
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export const isTest = (path: string): boolean => /\.(test|fixtures)\.ts$/.test(path)

/** 1-based lines of a text in which the pattern occurs, as `path:line: text`. */
export function occurrences(path: string, text: string, pattern: RegExp): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim().slice(0, 120)}`] : []))
}
