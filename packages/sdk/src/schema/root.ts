/**
 * Input schemas are objects at the root, and say so: unions and references of objects are given the `type` they imply.
 */
import { ParleyError } from '../errors/index.ts'
import type { SchemaObject } from './infer.ts'
import { isRecord } from './keywords.ts'

const MAX_DEPTH = 20

export function withObjectRoot(schema: SchemaObject): SchemaObject {
  if (schema['type'] === 'object') return schema
  if (isObject(schema, schema, 0)) return { type: 'object', ...schema }
  const given =
    typeof schema['type'] === 'string' ? `is of type ${schema['type']}` : 'can be something other than an object'
  throw new ParleyError('tool_schema_invalid', {
    message: `Invalid schema: an input schema must describe an object; this one ${given}`,
  })
}

function isObject(schema: unknown, root: SchemaObject, depth: number): boolean {
  if (!isRecord(schema) || depth > MAX_DEPTH) return false
  if (schema['type'] !== undefined) return schema['type'] === 'object'
  const every = (list: unknown): boolean =>
    Array.isArray(list) && list.length > 0 && list.every((item) => isObject(item, root, depth + 1))
  const some = (list: unknown): boolean => Array.isArray(list) && list.some((item) => isObject(item, root, depth + 1))
  return (
    every(schema['anyOf']) ||
    every(schema['oneOf']) ||
    some(schema['allOf']) ||
    isObject(target(schema['$ref'], root), root, depth + 1)
  )
}

function target(reference: unknown, root: SchemaObject): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  let here: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    here = isRecord(here) && Object.hasOwn(here, name) ? here[name] : undefined
  }
  return here
}
