/**
 * Structured output of any kind, carried to readers for whom it is always an object: value and schema are wrapped
 * alike.
 */
import { type Body, isObject, memberAsNoted, note, noteCopiedResult } from '../../../jsonrpc/index.ts'
import type { Edit, EditContext } from '../../operation.ts'
import { rewriteSchema } from '../schema-walk.ts'

const KEY = 'result'
const HOME = `#/properties/${KEY}`

/** True when older readers see the output of a tool with this schema wrapped, whatever the value. */
export function wrapsOutput(outputSchema: unknown): boolean {
  return isObject(outputSchema) && outputSchema['type'] !== 'object'
}

/**
 * True when older readers see this value wrapped. Together with the schema of the tool this is all there is to know to
 * undo it.
 */
export function wrapsValue(value: unknown, outputSchema: unknown): boolean {
  return !isObject(value) || wrapsOutput(outputSchema)
}

/** D-44. */
export function wrapOutputSchema(outputSchema: Body): Body {
  const { $schema, ...inner } = outputSchema
  const dialect = $schema === undefined ? {} : { $schema }
  return { ...dialect, type: 'object', properties: { [KEY]: rewriteSchema(inner, relocate) }, required: [KEY] }
}

/** References from the root have to find it at its new place; below an own `$id` they never meant this root. */
function relocate(schema: Body): Body | undefined {
  if (typeof schema['$id'] === 'string' && !schema['$id'].startsWith('#')) return undefined
  let moved = schema
  for (const keyword of ['$ref', '$dynamicRef']) {
    const target = schema[keyword]
    if (target === '#' || (typeof target === 'string' && target.startsWith('#/')))
      moved = { ...moved, [keyword]: `${HOME}${target.slice(1)}` }
  }
  return moved
}

export const wrapToolOutput: Edit = (tool, context) => {
  const outputSchema = tool['outputSchema']
  if (!isObject(outputSchema) || !wrapsOutput(outputSchema)) return tool
  context.lose(`wrapped as { ${KEY} }`, { rule: 'D-44', path: 'outputSchema' })
  return { ...tool, outputSchema: wrapOutputSchema(outputSchema) }
}

/** D-43 for the result of a tool call. */
export const wrapCallResult: Edit = (result, context) => {
  if (result['structuredContent'] === undefined) return result
  const name = context.request?.['name']
  return wrapBlock(result, typeof name === 'string' ? context.tool?.(name)?.['outputSchema'] : undefined, '', context)
}

/** D-43 for tool results that a sampling request quotes; the schemas are those of the tools it offers. */
export const wrapQuotedResults: Edit = (params, context) => {
  const messages = params['messages']
  if (!Array.isArray(messages)) return params
  const schemaOf = quotedSchemas(params)
  const after = mapChanged(messages, (message, at) =>
    isObject(message) ? wrapContent(message, schemaOf, `messages[${at}].`, context) : message,
  )
  return after === messages ? params : { ...params, messages: after }
}

/** D-43 for tool results inside a sampled message. */
export const wrapSampledResults: Edit = (message, context) =>
  wrapContent(message, quotedSchemas(context.request ?? {}), '', context)

type SchemaOf = (toolUseId: unknown) => unknown

function wrapContent(message: Body, schemaOf: SchemaOf, path: string, context: EditContext): Body {
  const content = message['content']
  const wrap = (block: unknown, at: string): unknown =>
    isObject(block) && block['type'] === 'tool_result' && block['structuredContent'] !== undefined
      ? wrapBlock(block, schemaOf(block['toolUseId']), at, context)
      : block
  const after = Array.isArray(content)
    ? mapChanged(content, (block, at) => wrap(block, `${path}content[${at}].`))
    : wrap(content, `${path}content.`)
  return after === content ? message : { ...message, content: after }
}

/** A reader that only shows text must not lose the value, so it is written out where there is no text yet. */
function wrapBlock(block: Body, outputSchema: unknown, path: string, context: EditContext): Body {
  const value = block['structuredContent']
  if (!wrapsValue(value, outputSchema)) return block
  context.lose(`wrapped as { ${KEY} }`, { rule: 'D-43', path: `${path}structuredContent` })
  const json = memberAsNoted(block, 'structuredContent')
  const wrapped: Body = { ...block, structuredContent: wrapper(value, json) }
  const content = block['content']
  if (Array.isArray(content) && !content.some((part) => isObject(part) && part['type'] === 'text')) {
    wrapped['content'] = [...content, { type: 'text', text: json ?? JSON.stringify(value) }]
  }
  noteCopiedResult(wrapped, block)
  return wrapped
}

/** Where it is known how the value was written, both hold it with every digit. */
function wrapper(value: unknown, json: string | undefined): Body {
  const made = { [KEY]: value }
  if (json !== undefined) note(made, `{"${KEY}":${json}}`)
  return made
}

/**
 * Finds the output schema of the tool a quoted result came from; looked up only when a result has structured content.
 */
function quotedSchemas(params: Body): SchemaOf {
  let names: Map<unknown, unknown> | undefined
  return (toolUseId) => {
    names ??= usedTools(params['messages'])
    const name = names.get(toolUseId)
    const tools: unknown[] = Array.isArray(params['tools']) ? params['tools'] : []
    const tool =
      name === undefined ? undefined : tools.find((candidate) => isObject(candidate) && candidate['name'] === name)
    return (tool as Body | undefined)?.['outputSchema']
  }
}

function usedTools(messages: unknown): Map<unknown, unknown> {
  const names = new Map<unknown, unknown>()
  for (const message of Array.isArray(messages) ? messages : []) {
    for (const block of [isObject(message) ? message['content'] : undefined].flat()) {
      if (isObject(block) && block['type'] === 'tool_use') names.set(block['id'], block['name'])
    }
  }
  return names
}

function mapChanged(values: readonly unknown[], change: (value: unknown, at: number) => unknown): readonly unknown[] {
  let changed = false
  const after = values.map((value, at) => {
    const made = change(value, at)
    changed ||= made !== value
    return made
  })
  return changed ? after : values
}
