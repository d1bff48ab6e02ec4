/** The result of a tool call, as `client.call` returns it. */
import { ParleyError, ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { ContentBlock, Meta } from '../../protocol/index.ts'
import { type SchemaObject, validateJson } from '../../schema/index.ts'

export interface CallOutcome<Value = unknown> {
  /** The structured content. Without it, the text, or its JSON value if that fits the known output schema. */
  readonly value: Value
  readonly content: readonly ContentBlock[]
  /** All text blocks, joined by line breaks. */
  readonly text: string
  readonly structured: unknown
  readonly isError: boolean
  readonly meta: Meta | undefined
}

const NO_CONTENT: readonly ContentBlock[] = []

/** Throws `invalid_answer` if this is not a tool result. */
export function outcomeOf(result: Body): CallOutcome {
  const content = (result['content'] ?? NO_CONTENT) as readonly ContentBlock[]
  if (!Array.isArray(content))
    throw new ParleyError('invalid_answer', { message: 'The answer to tools/call has no "content" array' })
  const structured = result['structuredContent']
  const text = textOf(content)
  return {
    value: structured === undefined ? text : structured,
    content,
    text,
    structured,
    isError: result['isError'] === true,
    meta: result['_meta'] as Meta | undefined,
  }
}

/** Throws a `ToolError` if the tool reported a failure. */
export function successOf(result: Body): CallOutcome {
  const outcome = outcomeOf(result)
  if (outcome.isError) throw toolErrorOf(outcome)
  return outcome
}

export function toolErrorOf(outcome: CallOutcome): ToolError {
  const { structured, text } = outcome
  const details =
    typeof structured === 'object' && structured !== null && !Array.isArray(structured)
      ? (structured as Record<string, unknown>)
      : undefined
  return new ToolError(text === '' ? 'The tool failed without saying why' : text, {
    outcome,
    ...(details === undefined ? {} : { structured: details }),
  })
}

/**
 * Versions without structured content carry it as JSON in a text block. Returns the outcome with that value, or
 * `undefined` if no block fits the schema.
 */
export async function withDeclaredValue(outcome: CallOutcome, schema: SchemaObject): Promise<CallOutcome | undefined> {
  if (outcome.structured !== undefined || outcome.isError) return undefined
  for (const block of outcome.content) {
    const read = block?.type === 'text' ? readJson(block.text) : undefined
    if (read !== undefined && (await validateJson(schema, read.value)).ok) return { ...outcome, value: read.value }
  }
  return undefined
}

function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function textOf(content: readonly ContentBlock[]): string {
  const first = content[0]
  if (content.length === 1) return first?.type === 'text' ? first.text : ''
  let text = ''
  let several = false
  for (const block of content) {
    if (block?.type !== 'text') continue
    text = several ? `${text}\n${block.text}` : block.text
    several = true
  }
  return text
}
