/** What a tool handler may return, made into a result. */
import type { ToolError } from '../../errors/index.ts'
import { isObject } from '../../jsonrpc/index.ts'
import type { CallToolResult, ContentBlock, Meta } from '../../protocol/index.ts'
import { isBlock } from '../content/blocks.ts'

export type ContentValue = string | ContentBlock | readonly (string | ContentBlock)[]

export interface ResultFields<Structured = unknown> {
  content?: ContentValue
  /** Shown as `structuredContent`; without `content`, its JSON is shown as text, too. */
  structured?: Structured
  isError?: boolean
  /** Shown as `_meta`. */
  meta?: Meta
}

/** A result that says exactly what it is; made with `result(…)`. */
export class ToolResult<Structured = unknown> {
  readonly fields: ResultFields<Structured>
  constructor(fields: ResultFields<Structured>) {
    this.fields = fields
  }
}

export function result<Structured = unknown>(fields: ResultFields<Structured>): ToolResult<Structured> {
  return new ToolResult(fields)
}

/** For tools that declare no output. Throws a `TypeError` for values with no JSON form. */
export function plainResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  if (value === undefined || value === null) return { content: [] }
  if (value instanceof ToolResult) return explicitResult(value.fields, value.fields.structured)
  if (isBlock(value)) return { content: [value] }
  if (isContentList(value)) return { content: toBlocks(value) }
  if (isObject(value) && isContentList(value['content'])) return { ...value, content: toBlocks(value['content']) }
  return { content: [{ type: 'text', text: jsonOf(value) }] }
}

/** For tools that declare their output: `value` has passed its schema. */
export function structuredResult(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: jsonOf(value) }], structuredContent: value }
}

/** `structured` is what came of the fields' own after validation. */
export function explicitResult(fields: ResultFields, structured: unknown): CallToolResult {
  const made: CallToolResult = { content: fields.content === undefined ? copyOf(structured) : toBlocks(fields.content) }
  if (structured !== undefined) made.structuredContent = structured
  if (fields.isError !== undefined) made.isError = fields.isError
  if (fields.meta !== undefined) made._meta = fields.meta
  return made
}

/**
 * A failure said with `result(…)` by a tool that declares its output: as with `errorResult`, its details travel as
 * text.
 */
export function explicitError({ structured, ...fields }: ResultFields): CallToolResult {
  const made = explicitResult(fields, undefined)
  made.content.push(...copyOf(structured))
  return made
}

/**
 * For the model to read. Where a tool declares its output, clients check structured content against that schema even on
 * failures, so the details of an error go along as text instead.
 */
export function errorResult(error: ToolError, declaresOutput = false): CallToolResult {
  const made: CallToolResult = { content: [{ type: 'text', text: error.message }], isError: true }
  if (error.structured === undefined) return made
  if (declaresOutput) made.content.push({ type: 'text', text: jsonOf(error.structured) })
  else made.structuredContent = error.structured
  return made
}

export function toBlocks(content: ContentValue): ContentBlock[] {
  const list = (Array.isArray(content) ? content : [content]) as readonly (string | ContentBlock)[]
  return list.map((item) => {
    if (typeof item === 'string') return { type: 'text', text: item }
    if (isBlock(item)) return item
    throw new TypeError('Not a block of content: use text(), image(), audio(), embed() or link()')
  })
}

function copyOf(structured: unknown): ContentBlock[] {
  return structured === undefined ? [] : [{ type: 'text', text: jsonOf(structured) }]
}

/** A list of mere strings is data; one block among them makes it content. */
function isContentList(value: unknown): value is (string | ContentBlock)[] {
  return Array.isArray(value) && value.some(isBlock) && value.every((item) => typeof item === 'string' || isBlock(item))
}

function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (ArrayBuffer.isView(value))
    throw new TypeError('Bytes are no tool result: wrap them with image(), audio() or embed()')
  const json = written(value)
  if (json === undefined) throw new TypeError(`A ${typeof value} is no tool result`)
  // What JSON makes nothing of is written as an empty object.
  const lost = json.includes('{}') ? lostIn(value, '') : undefined
  if (lost !== undefined) throw new TypeError(`What the tool returned would be lost: ${lost}`)
  return json
}

/** Kinds of objects that JSON writes as `{}`, and what to return in their place. */
const LOST: readonly (readonly [is: (value: object) => boolean, name: string, instead: string])[] = [
  [(value) => value instanceof Map, 'a Map', 'use Object.fromEntries(map)'],
  [(value) => value instanceof Set, 'a Set', 'use [...set]'],
  [(value) => typeof (value as { then?: unknown }).then === 'function', 'a promise', 'await it'],
  [(value) => value instanceof Error, 'an Error', 'return its message, or throw it'],
  [(value) => value instanceof RegExp, 'a RegExp', 'use its source'],
]

function lostIn(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null || typeof (value as { toJSON?: unknown }).toJSON === 'function')
    return undefined
  const kind = LOST.find(([is]) => is(value))
  if (kind !== undefined && JSON.stringify(value) === '{}')
    return `${path === '' ? 'it' : path.slice(1)} is ${kind[1]}; ${kind[2]}`
  for (const [name, inner] of Object.entries(value)) {
    const found = lostIn(inner, `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new TypeError('What the tool returned cannot be written as JSON', { cause })
  }
}
