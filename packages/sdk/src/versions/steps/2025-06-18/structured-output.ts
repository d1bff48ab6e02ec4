/** Structured tool output as text, for readers without it (B-04). */
import { isObject, partAsNoted } from '../../../jsonrpc/index.ts'
import type { Edit } from '../../operation.ts'

/** True when the text block is the value, written as JSON in any order and layout. */
function says(block: unknown, value: unknown, json: string): boolean {
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return false
  if (block['text'] === json) return true
  try {
    return jsonEqual(JSON.parse(block['text']), value)
  } catch {
    return false
  }
}

export const structuredAsText: Edit = (result, context) => {
  if (result['structuredContent'] === undefined) return result
  const { structuredContent, ...rest } = result
  const content: unknown[] = Array.isArray(rest['content']) ? rest['content'] : []
  // As it came, with every digit of its numbers.
  const json = partAsNoted(structuredContent) ?? JSON.stringify(structuredContent)
  if (content.some((block) => says(block, structuredContent, json))) {
    context.lose('removed structuredContent, which a text block repeats', { path: 'structuredContent' })
    return rest
  }
  context.lose('structuredContent became a text block', { path: 'structuredContent' })
  return { ...rest, content: [...content, { type: 'text', text: json }] }
}

/** Equality of JSON values, whatever the order of keys. */
function jsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((value, at) => jsonEqual(value, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  const keys = presentKeys(one)
  return (
    keys.length === presentKeys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && jsonEqual(one[key], other[key]))
  )
}

/** JSON has no undefined: a key with that value is not written. */
function presentKeys(value: Record<string, unknown>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined)
}
