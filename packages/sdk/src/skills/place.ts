/** Where the files of a skill are: names, paths and the URIs made of them. */

/** The file every skill begins with. */
export const MANIFEST = 'SKILL.md'

const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/

/** What RFC 3986 allows as a registered name; the first segment of a path stands in its place. */
const REGISTERED_NAME = /^(?:[\w.~!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/

/** Why this cannot be the name of a skill. */
export function nameFault(name: unknown): string | undefined {
  if (typeof name === 'string' && NAME.test(name)) return undefined
  return 'use 1 to 64 lower case letters, digits and single hyphens between them'
}

/** Why this cannot be what the path of a skill begins with: `acme/billing`. */
export function prefixFault(prefix: string): string | undefined {
  const segments = prefix.split('/')
  const usable = segments.every((segment) => REGISTERED_NAME.test(segment) && segment !== '.' && segment !== '..')
  return usable ? undefined : 'use segments of letters, digits, "-", "_" and "." with "/" between them'
}

/** Why this cannot be the path of a file within a skill. */
export function pathFault(path: string): string | undefined {
  if (path.toLowerCase() === MANIFEST.toLowerCase()) return `${MANIFEST} is the skill itself`
  // Half a surrogate pair has no place in a URI.
  if (path.includes('\\') || path.includes('\0') || /\p{Surrogate}/u.test(path)) return 'use "/" between folders'
  if (path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..'))
    return 'use a path within the skill, such as "references/forms.md"'
  return undefined
}

/** `skill://acme/refunds` for the skill `refunds` below `acme`. */
export function directoryUri(name: string, prefix: string | undefined): string {
  return prefix === undefined ? `skill://${name}` : `skill://${prefix}/${name}`
}

export function fileUri(directory: string, path: string): string {
  return `${directory}/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** The directory of the skill whose SKILL.md is at this URI; `undefined` for the URI of anything else. */
export function directoryOf(uri: string): string | undefined {
  const directory = uri.endsWith(`/${MANIFEST}`) ? uri.slice(0, -MANIFEST.length - 1) : undefined
  return directory === undefined || nameIn(directory) === '' ? undefined : directory
}

/** The last segment of a directory, which is the name of its skill. */
export function nameIn(directory: string): string {
  const start = directory.indexOf('://')
  return start === -1 ? '' : directory.slice(Math.max(directory.lastIndexOf('/') + 1, start + 3))
}

/** The path within a directory that a URI stands for; `undefined` when it is elsewhere. */
export function pathWithin(directory: string, uri: string): string | undefined {
  if (!uri.startsWith(`${directory}/`)) return undefined
  try {
    return uri
      .slice(directory.length + 1)
      .split('/')
      .map(decodeURIComponent)
      .join('/')
  } catch {
    return undefined
  }
}

/**
 * A reference such as `./templates/../forms.md` as a path from the skill's root; `undefined` when it leads out of it.
 */
export function resolvePath(reference: string): string | undefined {
  const path: string[] = []
  for (const segment of reference.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') path.push(segment)
    else if (path.pop() === undefined) return undefined
  }
  return path.length === 0 || reference.startsWith('/') ? undefined : path.join('/')
}
