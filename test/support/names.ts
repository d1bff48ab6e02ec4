/** Type names that are defined twice in a package, and folders that hold too many files. */
import type { Sources } from './imports.ts'

const MAX_FILES = 20

/** The types of one protocol version share their names with those of the others: users name the version with them. */
const ONE_VERSION = /^protocol\/types\/\d{4}-\d\d-\d\d\.ts$/

const DEFINITION = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm

/** Exported type name → the files that define it, for names with more than one. Exports of imported names do not count. */
export function doubleNames(sources: Sources): Record<string, string[]> {
  const defined = new Map<string, string[]>()
  for (const [path, text] of sources) {
    if (ONE_VERSION.test(path)) continue
    for (const name of new Set([...text.matchAll(DEFINITION)].map(([, found]) => found as string)))
      defined.set(name, [...(defined.get(name) ?? []), path])
  }
  return Object.fromEntries([...defined].filter(([, files]) => files.length > 1))
}

/** Folders with more than twenty files, sentences ready to be read. */
export function crowdedFolders(sources: Sources): string[] {
  const counts = new Map<string, number>()
  for (const path of sources.keys()) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > MAX_FILES).map(([folder, count]) => `${folder}: ${count} files`)
}
