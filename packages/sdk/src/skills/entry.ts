/** The entry of a skill: its URI, its frontmatter, and its files with their digests. */
import { isObject } from '../jsonrpc/index.ts'
import type { Frontmatter } from './frontmatter.ts'
import { directoryOf, nameIn, pathWithin } from './skill-uri.ts'

export interface SkillFile {
  uri: string
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string
  /** In bytes. */
  size: number
}

export interface SkillEntry {
  /** The URI of SKILL.md. */
  uri: string
  frontmatter: Frontmatter
  /** All files, with SKILL.md. `dynamic`: the contents are created for each read and cannot be checked. */
  resources: SkillFile[] | 'dynamic'
}

/** The limits of every host: files of one skill, and bytes of all files. */
export const SKILL_LIMITS = { files: 512, bytes: 16 * 1024 * 1024 } as const

const DIGEST = /^sha256:[0-9a-f]{64}$/

/** Why an entry is invalid. `undefined` if it is valid. */
export function entryFault(entry: unknown): string | undefined {
  if (!isObject(entry) || typeof entry['uri'] !== 'string') return 'it has no "uri"'
  const { uri, frontmatter, resources } = entry as { uri: string; frontmatter?: unknown; resources?: unknown }
  const directory = directoryOf(uri)
  if (directory === undefined) return 'its "uri" does not end in a name and /SKILL.md'
  if (!isObject(frontmatter) || !isText(frontmatter['name']) || !isText(frontmatter['description']))
    return 'its frontmatter has no name and description'
  if (frontmatter['name'] !== nameIn(directory))
    return `its "uri" does not end in its name, ${JSON.stringify(frontmatter['name']).slice(0, 100)}`
  if (resources === 'dynamic') return undefined
  return Array.isArray(resources)
    ? filesFault(uri, directory, resources)
    : 'its "resources" are neither a list nor "dynamic"'
}

function filesFault(own: string, directory: string, files: readonly unknown[]): string | undefined {
  const seen = new Set<string>()
  for (const file of files) {
    if (!isObject(file) || typeof file['uri'] !== 'string') return 'a file has no "uri"'
    const { uri, digest, size } = file as { uri: string; digest?: unknown; size?: unknown }
    const which = JSON.stringify(uri).slice(0, 200)
    if (pathWithin(directory, uri) === undefined) return `the file ${which} is outside of the skill`
    if (seen.has(uri)) return `the file ${which} is there twice`
    if (typeof digest !== 'string' || !DIGEST.test(digest)) return `the file ${which} has no SHA-256 digest`
    if (!Number.isSafeInteger(size) || (size as number) < 0) return `the file ${which} has no size`
    seen.add(uri)
  }
  return seen.has(own) ? undefined : 'its SKILL.md is not among its files'
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
