/**
 * Which `x-mcp-header` annotations of a tool's input schema are valid: the one rule behind mirroring, checking and
 * repairing them (D-46, D-60).
 */
import type { Body } from '../jsonrpc/index.ts'

export const ANNOTATION = 'x-mcp-header'

/** What RFC 9110 allows in the name of a header. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/**
 * Why the annotation of `schema`, found at `trail`, is invalid; `taken` has the names, in lower case, that were found
 * before it.
 */
export function annotationFault(
  schema: Body,
  trail: readonly string[],
  taken: ReadonlySet<string>,
): string | undefined {
  const name = schema[ANNOTATION]
  if (typeof name !== 'string') return 'is no string'
  if (!TOKEN.test(name)) return 'cannot be the name of a header'
  if (!TYPES.has(schema['type'])) return 'is not at a string, integer or boolean'
  if (!isReachable(trail)) return 'is at a place without a value of its own: only properties of properties have one'
  if (taken.has(name.toLowerCase())) return 'repeats a name that another property has'
  return undefined
}

/** Only properties of properties have one value that could become a header. */
function isReachable(trail: readonly string[]): boolean {
  return trail.length > 0 && trail.length % 2 === 0 && trail.every((part, at) => at % 2 === 1 || part === 'properties')
}
