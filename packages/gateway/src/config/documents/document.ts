/** A configuration file as a tree that knows where everything stands, whatever language it was written in. */

export type ConfigFormat = 'json' | 'yaml'

export type ConfigNode = ObjectNode | ListNode | ScalarNode

export interface ObjectNode {
  readonly kind: 'object'
  readonly at: number
  /** As written, so a key may be there twice. */
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

/** Why a text is no document. */
export interface SyntaxFault {
  readonly at: number
  readonly message: string
  readonly hint: string
}

/** Without faults and without a root, the text holds nothing but space and comments. */
export interface ParsedDocument {
  readonly root: ConfigNode | undefined
  readonly faults: readonly SyntaxFault[]
}

/** No configuration needs more; deeper ones only exhaust the stack. */
export const MAX_DEPTH = 64

export function tooDeep(at: number): SyntaxFault {
  return {
    at,
    message: `Nested more than ${MAX_DEPTH} levels deep.`,
    hint: 'A configuration needs no more than a handful of levels; look for brackets that are not closed.',
  }
}

/** The entry of each key; of repeated ones the first. */
export function entriesOf(node: ObjectNode): ReadonlyMap<string, ObjectEntry> {
  const entries = new Map<string, ObjectEntry>()
  for (const entry of node.entries) if (!entries.has(entry.key)) entries.set(entry.key, entry)
  return entries
}

/** In words, never the value: it may be a secret. */
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
