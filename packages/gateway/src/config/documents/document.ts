/** A configuration file as a tree with positions, in JSON or YAML. */

export type ConfigFormat = 'json' | 'yaml'

export type ConfigNode = ObjectNode | ListNode | ScalarNode

export interface ObjectNode {
  readonly kind: 'object'
  readonly at: number
  /** In the order of the file. A key may be there twice. */
  readonly entries: readonly ObjectEntry[]
}

export interface ListNode {
  readonly kind: 'list'
  readonly at: number
  readonly items: readonly ConfigNode[]
}

export interface ScalarNode {
  readonly kind: 'scalar'
  readonly at: number
  readonly value: string | number | boolean | null
}

export interface ObjectEntry {
  readonly key: string
  readonly keyAt: number
  readonly value: ConfigNode
}

/** Why a text could not be parsed. */
export interface SyntaxFault {
  readonly at: number
  readonly message: string
  readonly hint: string
}

/** Without faults and without a root, the text contains only space and comments. */
export interface ParsedDocument {
  readonly root: ConfigNode | undefined
  readonly faults: readonly SyntaxFault[]
}

/** No configuration needs more. A deeper document would exhaust the stack. */
export const MAX_DEPTH = 64

export function tooDeep(at: number): SyntaxFault {
  return {
    at,
    message: `Nested more than ${MAX_DEPTH} levels deep.`,
    hint: 'A configuration needs only a few levels. Look for brackets that are not closed.',
  }
}

/** The entry of each key. If a key is repeated, its first entry. */
export function entriesOf(node: ObjectNode): ReadonlyMap<string, ObjectEntry> {
  const entries = new Map<string, ObjectEntry>()
  for (const entry of node.entries) if (!entries.has(entry.key)) entries.set(entry.key, entry)
  return entries
}

/** Describes the value without showing it, because it may be a secret. */
export function kindOf(node: ConfigNode): string {
  if (node.kind === 'object') return 'an object'
  if (node.kind === 'list') return 'a list'
  return SCALARS[node.value === null ? 'null' : typeof node.value] ?? 'something else'
}

const SCALARS: Readonly<Record<string, string>> = {
  null: 'empty (null)',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
}
