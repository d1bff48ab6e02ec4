/** Names, paths and URIs of skills. */

/** The main file of every skill. */
export const MANIFEST = 'SKILL.md'

const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/

/** A registered name of RFC 3986. The first segment of a skill path has this position in its URI. */
const REGISTERED_NAME = /^(?:[\w.~!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/

/** Why this is not a valid name of a skill. */
export function nameFault(name: unknown): string | undefined {
  if (typeof name === 'string' && NAME.test(name)) return undefined
  return 'use 1 to 64 lower case letters, digits and single hyphens between them'
}

/** Why this is not a valid prefix of a skill path, such as `acme/billing`. */
export function prefixFault(prefix: string): string | undefined {
  const segments = prefix.split('/')
  const usable = segments.every((segment) => REGISTERED_NAME.test(segment) && segment !== '.' && segment !== '..')
  return usable ? undefined : 'use segments of letters, digits, "-", "_" and "." with "/" between them'
}

/** Why this is not a valid path of a file in a skill. */
export function pathFault(path: string): string | undefined {
  if (path.toLowerCase() === MANIFEST.toLowerCase()) return `${MANIFEST} is the skill itself`
  // A URI cannot have half a surrogate pair.
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

/** The directory of the skill whose SKILL.md has this URI. `undefined` for other URIs. */
export function directoryOf(uri: string): string | undefined {
  const directory = uri.endsWith(`/${MANIFEST}`) ? uri.slice(0, -MANIFEST.length - 1) : undefined
  return directory === undefined || nameIn(directory) === '' ? undefined : directory
}

/** The last segment of a directory, which is the name of its skill. */
export function nameIn(directory: string): string {
  const start = directory.indexOf('://')
  return start === -1 ? '' : directory.slice(Math.max(directory.lastIndexOf('/') + 1, start + 3))
}

/** The path of a URI within a directory. `undefined` if it is outside. */
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

/** Resolves a reference such as `./templates/../forms.md` to a path in the skill. `undefined` if it leads outside. */
export function resolvePath(reference: string): string | undefined {
  const path: string[] = []
  for (const segment of reference.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') path.push(segment)
    else if (path.pop() === undefined) return undefined
  }
  return path.length === 0 || reference.startsWith('/') ? undefined : path.join('/')
}
