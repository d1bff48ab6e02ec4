/** `x-mcp-header` in tool schemas: a client of 2026-07-28 on HTTP hides every tool that has an invalid one. */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { ANNOTATION, annotationFault } from '../../header-rule.ts'
import type { Edit, EditContext } from '../../operation.ts'
import { rewriteSchema } from '../schema-walk.ts'
import { without } from '../without.ts'

/**
 * D-46: an older server did not know the rules for these names, so those that break one are taken out and the tool
 * stays usable.
 */
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
    if (annotationFault(schema, trail, taken) === undefined) {
      taken.add((schema[ANNOTATION] as string).toLowerCase())
      return schema
    }
    context.lose(`removed an invalid ${ANNOTATION}`, {
      rule: 'D-46',
      path: ['inputSchema', ...trail, ANNOTATION].join('.'),
    })
    return without(schema, ANNOTATION)
  })
}
