/** Which JSON Schema dialect a schema without `$schema` is written in (C-22). */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { Edit } from '../operation.ts'
import { rewriteSchema } from './schema-walk.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

/** Forms that draft-07 has and 2020-12 reads differently or not at all. */
function usesDraft07(schema: Body): boolean {
  let found = false
  rewriteSchema(schema, (part) => {
    if (found || (part !== schema && part['$schema'] !== undefined)) return undefined
    found = Array.isArray(part['items']) || part['additionalItems'] !== undefined || isObject(part['dependencies'])
    return part
  })
  return found
}

/** Older schemas were read as draft-07; the newer default would change the meaning of some, so those say what they are. */
export const nameDialect: Edit = (schema) => (schema['$schema'] === undefined && usesDraft07(schema) ? { $schema: DRAFT_07, ...schema } : schema)
