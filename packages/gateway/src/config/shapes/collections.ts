/** Shapes of lists, of records with free keys, and of values with two forms. */
import { entriesOf } from '../documents/document.ts'
import { text } from './scalars.ts'
import { rejectKind, type Shape } from './shape.ts'
import type { TextRule } from './text-rules.ts'

interface ListOptions {
  readonly filled?: boolean
}

export function list<T>(of: Shape<T>, { filled = false }: ListOptions = {}): Shape<readonly T[]> {
  return {
    schema: { type: 'array', items: of.schema, ...(filled ? { minItems: 1 } : {}) },
    read(node, location) {
      if (node.kind !== 'list') return rejectKind(node, location, 'a list', '["one", "two"]')
      if (filled && node.items.length === 0)
        location.problem(node.at, 'The list is empty.', 'Write at least one entry, or remove the key.')
      const items = node.items.map((item, index) => of.read(item, location.child(index)))
      return items.filter((item) => item !== undefined)
    },
  }
}

interface RecordOptions {
  readonly key: TextRule
  /** Whether keys that differ only in case are the same. */
  readonly caseless?: boolean
  /** Whether no two keys may have the same value. */
  readonly distinct?: boolean
}

export function record(
  value: TextRule,
  { key, caseless = false, distinct = false }: RecordOptions,
): Shape<Readonly<Record<string, string>>> {
  const shape = text(value)
  return {
    schema: { type: 'object', propertyNames: { pattern: key.pattern.source }, additionalProperties: shape.schema },
    read(node, location) {
      if (node.kind !== 'object') return rejectKind(node, location, 'an object', `{ ${key.example}: ${value.example} }`)
      const keys = new Set<string>()
      const values = new Set<string>()
      const read: [string, string][] = []
      for (const [name, entry] of entriesOf(node)) {
        const here = location.child(name)
        const plain = name.toLowerCase()
        if (!key.pattern.test(name)) here.problem(entry.keyAt, key.wrong, key.hint)
        if (caseless && keys.has(plain))
          here.problem(
            entry.keyAt,
            'This key is there twice: upper and lower case are the same here.',
            'Remove one of the two.',
          )
        keys.add(plain)
        const content = shape.read(entry.value, here)
        if (content === undefined) continue
        if (distinct && values.has(content))
          here.problem(entry.value.at, 'Another key has the same value.', 'Give each a value of its own.')
        values.add(content)
        read.push([name, content])
      }
      return Object.fromEntries(read)
    },
  }
}

/** A single value, or an object with more settings. */
export function either<A, B>(single: Shape<A>, object: Shape<B>): Shape<A | B> {
  return {
    schema: { anyOf: [single.schema, object.schema] },
    read: (node, location) => (node.kind === 'object' ? object : single).read(node, location),
  }
}
