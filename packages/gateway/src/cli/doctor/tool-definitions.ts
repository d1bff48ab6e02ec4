/** Tools that published clients refuse, and with one of them the whole list. */
import { isObject } from 'parley-mcp/engine'

/** Why clients that check what they read refuse the tool; undefined where they take it. */
export function refusedBecause(tool: unknown): string | undefined {
  if (!isObject(tool)) return 'is no object'
  const { name, description, inputSchema, outputSchema } = tool
  if (typeof name !== 'string' || name === '') return 'has no name'
  if (description !== undefined && typeof description !== 'string') return 'has a "description" that is no text'
  if (inputSchema === undefined) return 'has no "inputSchema"'
  const input = schemaProblem(inputSchema)
  if (input !== undefined) return `has an "inputSchema" ${input}`
  const output = outputSchema === undefined ? undefined : schemaProblem(outputSchema)
  return output === undefined ? undefined : `has an "outputSchema" ${output}`
}

function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return 'that is no object'
  const { type, properties = {}, required = [] } = schema
  if (type === undefined) return 'without "type": "object"'
  if (type !== 'object') return `with "type": ${JSON.stringify(type).slice(0, 60)} instead of "object"`
  if (!isObject(properties)) return 'with "properties" that are no object'
  const odd = Object.entries(properties).find(([, property]) => !isObject(property))
  if (odd !== undefined) return `whose property ${JSON.stringify(odd[0].slice(0, 60))} is no schema`
  if (!Array.isArray(required) || required.some((each) => typeof each !== 'string')) return 'with a "required" that is no list of names'
  return undefined
}
