/** `x-mcp-header` in tool schemas: a client of 2026-07-28 on HTTP hides every tool that has an invalid one. */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { Edit, EditContext } from '../operation.ts'
import { rewriteSchema } from './schema-walk.ts'
import { without } from './without.ts'

const ANNOTATION = 'x-mcp-header'
/** What RFC 9110 allows in the name of a header. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const HEADER_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/** D-46: an older server did not know the rules for these names, so those that break one are taken out and the tool stays usable. */
export const removeInvalidHeaders: Edit = (tool, context) => {
  const inputSchema = tool['inputSchema']
  if (!isObject(inputSchema)) return tool
  const after = withValidHeaders(inputSchema, context)
  return after === inputSchema ? tool : { ...tool, inputSchema: after }
}

function withValidHeaders(inputSchema: Body, context: EditContext): Body {
  const taken = new Set<string>()
  return rewriteSchema(inputSchema, (schema, trail) => {
    if (!Object.hasOwn(schema, ANNOTATION)) return schema
    const name = schema[ANNOTATION]
    const valid = typeof name === 'string' && TOKEN.test(name) && HEADER_TYPES.has(schema['type']) && isReachable(trail) && !taken.has(name.toLowerCase())
    if (valid) {
      taken.add(name.toLowerCase())
      return schema
    }
    context.lose(`removed an invalid ${ANNOTATION}`, { rule: 'D-46', path: ['inputSchema', ...trail, ANNOTATION].join('.') })
    return without(schema, ANNOTATION)
  })
}

/** Only properties of properties have one value that could become a header. */
function isReachable(trail: readonly string[]): boolean {
  return trail.length > 0 && trail.length % 2 === 0 && trail.every((part, at) => at % 2 === 1 || part === 'properties')
}
