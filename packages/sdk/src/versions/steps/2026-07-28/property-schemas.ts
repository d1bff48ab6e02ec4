/** The properties of a tool's schemas, in the form the handshake era demands: an object for each of them. */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import type { Edit, EditContext } from '../../operation.ts'
import { without } from '../without.ts'

/** D-45: boolean schemas are written as objects of the same meaning. */
export const writeOutBooleans: Edit = (tool, context) => {
  let after = tool
  for (const key of ['inputSchema', 'outputSchema']) {
    const schema = tool[key]
    const made = isObject(schema) ? writtenOut(schema, key, context) : schema
    if (made !== schema) after = { ...after, [key]: made }
  }
  return after
}

function writtenOut(schema: Body, path: string, context: EditContext): Body {
  return withoutBadRequired(withObjectProperties(schema, path, context), path, context)
}

function withObjectProperties(schema: Body, path: string, context: EditContext): Body {
  const { properties } = schema
  if (properties === undefined) return schema
  if (!isObject(properties)) {
    context.lose('removed what is no object of schemas', { path: `${path}.properties`, severity: 'w' })
    return without(schema, 'properties')
  }
  let copy: Body | undefined
  for (const name in properties) {
    const property = properties[name]
    if (isObject(property)) continue
    if (typeof property !== 'boolean')
      context.lose('replaced what is no schema', { path: `${path}.properties.${name}`, severity: 'w' })
    copy ??= { ...properties }
    copy[name] = property === false ? { not: {} } : {}
  }
  return copy === undefined ? schema : { ...schema, properties: copy }
}

function withoutBadRequired(schema: Body, path: string, context: EditContext): Body {
  const { required } = schema
  if (required === undefined || (Array.isArray(required) && required.every((name) => typeof name === 'string')))
    return schema
  context.lose('removed what is no list of names', { path: `${path}.required`, severity: 'w' })
  return without(schema, 'required')
}
