/** Which JSON Schema dialect a schema without `$schema` is written in (C-22). */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import type { Edit } from '../../operation.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

/** Keywords whose value is data, or a list of names, and never a schema. */
const OPAQUE: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'type'])

/** Keywords whose value holds schemas under freely chosen names. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/** True when a schema, or one inside it, has a form that 2020-12 reads differently or not at all. */
function usesDraft07(schema: Body): boolean {
  if (Array.isArray(schema['items']) || schema['additionalItems'] !== undefined || isObject(schema['dependencies']))
    return true
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (typeof value !== 'object' || value === null || OPAQUE.has(keyword)) continue
    if (
      Array.isArray(value) || NAMED.has(keyword) ? Object.values(value).some(isUnnamedDraft07) : isUnnamedDraft07(value)
    )
      return true
  }
  return false
}

/** A part that names its own dialect does not need the root to name one. */
function isUnnamedDraft07(schema: unknown): boolean {
  return isObject(schema) && schema['$schema'] === undefined && usesDraft07(schema)
}

/**
 * Older schemas were read as draft-07; the newer default would change the meaning of some, so those say what they are.
 */
export const nameDialect: Edit = (schema) => (isUnnamedDraft07(schema) ? { $schema: DRAFT_07, ...schema } : schema)
