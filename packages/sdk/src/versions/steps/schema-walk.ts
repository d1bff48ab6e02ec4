/**
 * Walks JSON Schemas by keyword, so that data inside them (constants, examples, names of properties) is never taken for
 * schema.
 */
import { type Body, isObject } from '../../jsonrpc/index.ts'

/** Keywords whose value is any JSON. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** Keywords whose value is an object of schemas under freely chosen names. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/**
 * What becomes of one schema, itself without its subschemas: the same reference when it stays, `undefined` to leave
 * alone all that is below too. `trail` are the keywords and names from the root, such as `properties`, `city`.
 */
export type SchemaVisit = (schema: Body, trail: readonly string[]) => Body | undefined

/** Rewrites a schema from the root downwards; returns the same reference when nothing changed. */
export function rewriteSchema(schema: Body, visit: SchemaVisit): Body {
  return rewrite(schema, visit, [])
}

function rewrite(schema: Body, visit: SchemaVisit, trail: string[]): Body {
  const visited = visit(schema, trail)
  if (visited === undefined) return schema
  let copy: Body | undefined
  for (const keyword in visited) {
    const before = visited[keyword]
    if (typeof before !== 'object' || before === null || DATA.has(keyword)) continue
    trail.push(keyword)
    const after =
      NAMED.has(keyword) || Array.isArray(before)
        ? rewriteEach(before, visit, trail)
        : rewrite(before as Body, visit, trail)
    trail.pop()
    if (after === before) continue
    copy ??= { ...visited }
    copy[keyword] = after
  }
  return copy ?? visited
}

function rewriteEach(schemas: object, visit: SchemaVisit, trail: string[]): object {
  let copy: Record<string, unknown> | undefined
  for (const name in schemas) {
    const before = (schemas as Record<string, unknown>)[name]
    if (!isObject(before)) continue
    trail.push(name)
    const after = rewrite(before, visit, trail)
    trail.pop()
    if (after === before) continue
    copy ??= (Array.isArray(schemas) ? [...schemas] : { ...schemas }) as Record<string, unknown>
    copy[name] = after
  }
  return copy ?? schemas
}
