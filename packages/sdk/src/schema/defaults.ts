/** Fills in the defaults a plain JSON Schema declares, in a copy: what was sent is never changed. */
import type { SchemaObject } from './infer.ts'
import { isRecord, put } from './keywords.ts'

type Fill = (value: unknown) => unknown

/** Undefined when the schema declares no default where it would be unambiguous: in properties and array items. */
export function defaultsOf(schema: unknown): Fill | undefined {
  if (!isRecord(schema)) return undefined
  const object = isRecord(schema['properties']) ? propertiesOf(schema['properties']) : undefined
  const item = defaultsOf(schema['items'])
  if (object === undefined && item === undefined) return undefined
  return (value) => {
    if (Array.isArray(value)) return item === undefined ? value : mapChanged(value, item)
    return isRecord(value) && object !== undefined ? object(value) : value
  }
}

function propertiesOf(properties: SchemaObject): ((value: Record<string, unknown>) => unknown) | undefined {
  const rules = Object.entries(properties).flatMap(([name, schema]) => {
    const fallback = isRecord(schema) ? schema['default'] : undefined
    const fill = defaultsOf(schema)
    return fallback === undefined && fill === undefined ? [] : [{ name, fallback, fill }]
  })
  if (rules.length === 0) return undefined
  return (value) => {
    let result = value
    for (const { name, fallback, fill } of rules) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined
      const base = given === undefined && fallback !== undefined ? fresh(fallback) : given
      const filled = base === undefined || fill === undefined ? base : fill(base)
      if (filled === given) continue
      if (result === value) result = copy(value)
      put(result, name, filled)
    }
    return result
  }
}

function mapChanged(values: readonly unknown[], fill: Fill): unknown {
  const filled = values.map(fill)
  return filled.some((item, index) => item !== values[index]) ? filled : values
}

function copy(value: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) put(result, key, value[key])
  return result
}

const fresh = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value)
