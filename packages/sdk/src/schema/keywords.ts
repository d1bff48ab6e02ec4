/** The JSON Schema keywords that hold schemas, as data, and one way to walk through them. */
import type { SchemaObject } from './infer.ts'

/**
 * `one` schema, a `list` of them, a `map` from names, `items` (one, or a list before 2020-12), `either` (a map from
 * names to a schema or a list of names).
 */
export type SubschemaShape = 'one' | 'list' | 'map' | 'items' | 'either'

export const subschemaKeywords: ReadonlyMap<string, SubschemaShape> = new Map<string, SubschemaShape>([
  ['additionalItems', 'one'],
  ['additionalProperties', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['contains', 'one'],
  ['definitions', 'map'],
  ['$defs', 'map'],
  ['dependencies', 'either'],
  ['dependentSchemas', 'map'],
  ['else', 'one'],
  ['if', 'one'],
  ['items', 'items'],
  ['not', 'one'],
  ['oneOf', 'list'],
  ['patternProperties', 'map'],
  ['prefixItems', 'list'],
  ['properties', 'map'],
  ['propertyNames', 'one'],
  ['then', 'one'],
  ['unevaluatedItems', 'one'],
  ['unevaluatedProperties', 'one'],
])

export interface Subschema {
  readonly schema: unknown
  /** JSON Pointer from the root. */
  readonly pointer: string
}

/** The schemas directly inside one schema, whatever they are: the caller decides whether they are well formed. */
export function subschemasOf(schema: SchemaObject, pointer: string): Subschema[] {
  const found: Subschema[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = subschemaKeywords.get(keyword)
    if (shape === undefined) continue
    const here = `${pointer}/${escapePointer(keyword)}`
    if (shape === 'one' || (shape === 'items' && !Array.isArray(value))) found.push({ schema: value, pointer: here })
    else if (Array.isArray(value))
      value.forEach((item, index) => void found.push({ schema: item, pointer: `${here}/${index}` }))
    else if (isRecord(value))
      for (const [name, item] of Object.entries(value))
        if (shape === 'map' || !Array.isArray(item))
          found.push({ schema: item, pointer: `${here}/${escapePointer(name)}` })
  }
  return found
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets an own property whatever its name: plain assignment to `__proto__` would change the prototype instead. */
export function put(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
