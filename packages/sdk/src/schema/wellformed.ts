/**
 * Is this a JSON Schema at all? Checked before anything is compiled, so that a slip in a schema is one clear error
 * instead of a validator that accepts everything.
 */
import { ParleyError } from '../errors/index.ts'
import type { SchemaObject } from './infer.ts'
import { isRecord, subschemaKeywords, subschemasOf } from './keywords.ts'
import { examine, type PatternCost } from './patterns/pattern.ts'

export type SchemaDialect = '2020-12' | '2019-09' | '7'

export interface SchemaFacts {
  readonly dialect: SchemaDialect
  /** Every keyword that occurs in any schema of the document. */
  readonly keywords: ReadonlySet<string>
  /** Where each `$dynamicAnchor` is, as a JSON Pointer. */
  readonly dynamicAnchors: ReadonlyMap<string, string>
  /** Every pattern, with what a match of it can cost. */
  readonly patterns: ReadonlyMap<string, PatternCost>
}

const DIALECTS: ReadonlyMap<string, SchemaDialect> = new Map<string, SchemaDialect>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', '7'],
  ['json-schema.org/draft-06/schema', '7'],
])

export const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

const MAX_DEPTH = 100
const MAX_SCHEMAS = 20_000
const MAX_PATTERNS = 100
/** typebox keeps code in these; a JSON Schema validator cannot run it. */
const HIDDEN_CODE = ['~refine', '~codec']
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])

const isString = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0
const isNumber = (value: unknown): boolean => Number.isFinite(value)
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isString)

type KeywordShape = readonly [fits: (value: unknown) => boolean, expected: string]
const STRING: KeywordShape = [isString, 'a string']
const COUNT: KeywordShape = [isCount, 'a whole number of at least 0']
const NUMBER: KeywordShape = [isNumber, 'a number']
const NAMES: KeywordShape = [isNames, 'a list of strings']

const shapes: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ['$anchor', STRING],
  ['$dynamicAnchor', STRING],
  ['$dynamicRef', STRING],
  ['$id', STRING],
  ['$recursiveRef', STRING],
  ['$ref', STRING],
  ['$schema', STRING],
  [
    'dependentRequired',
    [(value) => isRecord(value) && Object.values(value).every(isNames), 'a map from names to lists of strings'],
  ],
  ['enum', [Array.isArray, 'a list']],
  ['exclusiveMaximum', NUMBER],
  ['exclusiveMinimum', NUMBER],
  ['format', STRING],
  ['maxContains', COUNT],
  ['maximum', NUMBER],
  ['maxItems', COUNT],
  ['maxLength', COUNT],
  ['maxProperties', COUNT],
  ['minContains', COUNT],
  ['minimum', NUMBER],
  ['minItems', COUNT],
  ['minLength', COUNT],
  ['minProperties', COUNT],
  ['multipleOf', [(value) => isNumber(value) && (value as number) > 0, 'a number above 0']],
  ['pattern', STRING],
  ['required', NAMES],
  [
    'type',
    [
      (value) =>
        TYPES.has(value) || (Array.isArray(value) && value.length > 0 && value.every((name) => TYPES.has(name))),
      `one or more of ${[...TYPES].join(', ')}`,
    ],
  ],
  ['uniqueItems', [(value) => typeof value === 'boolean', 'true or false']],
])

/** Keywords or forms that only mean something before 2020-12. */
const isLegacy = (keyword: string, value: unknown): boolean =>
  keyword === 'additionalItems' || keyword === 'dependencies' || (keyword === 'items' && Array.isArray(value))

export function examineSchema(root: SchemaObject): SchemaFacts {
  const declared = dialectOf(root)
  const keywords = new Set<string>()
  const dynamicAnchors = new Map<string, string>()
  let legacy = false
  const patterns = new Map<string, PatternCost>()
  let count = 0
  const checkPatterns = (sources: readonly string[], pointer: string): void => {
    for (const source of sources) {
      if (patterns.has(source)) continue
      if (patterns.size === MAX_PATTERNS) throw malformed(`more than ${MAX_PATTERNS} different patterns`)
      patterns.set(source, checkPattern(source, pointer))
    }
  }
  const visit = (schema: unknown, pointer: string, depth: number): void => {
    count++
    if (typeof schema === 'boolean') return
    if (!isRecord(schema)) throw malformed('must be a schema (an object, true or false)', pointer)
    if (depth > MAX_DEPTH || count > MAX_SCHEMAS)
      throw malformed('the schema is too large, too deep, or contains itself', clipPointer(pointer))
    for (const hidden of HIDDEN_CODE)
      if (hidden in schema)
        throw malformed('typebox refinements and codecs cannot be run; use keywords, or check in the handler', pointer)
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined) continue
      checkKeyword(keyword, value, pointer)
      keywords.add(keyword)
      legacy ||= isLegacy(keyword, value)
      if (keyword === '$dynamicAnchor') dynamicAnchors.set(value as string, pointer)
      checkPatterns(patternsOf(keyword, value), pointer)
    }
    for (const inner of subschemasOf(schema, pointer))
      if (inner.schema !== undefined) visit(inner.schema, inner.pointer, depth + 1)
  }
  visit(root, '', 0)
  // C-22: without `$schema`, the forms that only older drafts know tell the dialect.
  return { dialect: declared ?? (legacy ? '7' : '2020-12'), keywords, dynamicAnchors, patterns }
}

export function malformed(problem: string, pointer = ''): ParleyError {
  return new ParleyError('tool_schema_invalid', {
    message: `Invalid schema${pointer === '' ? '' : ` at ${pointer}`}: ${problem}`,
  })
}

function dialectOf(root: SchemaObject): SchemaDialect | undefined {
  const name = root['$schema']
  if (name === undefined) return undefined
  const dialect = isString(name) ? DIALECTS.get(name.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined
  if (dialect === undefined)
    throw malformed(`the dialect ${JSON.stringify(name)} is not supported; use JSON Schema 2020-12 or draft-07`)
  return dialect
}

function checkKeyword(keyword: string, value: unknown, pointer: string): void {
  const shape = shapes.get(keyword)
  if (shape !== undefined && !shape[0](value)) throw malformed(`${keyword} must be ${shape[1]}`, pointer)
  const held = subschemaKeywords.get(keyword)
  if (held === 'list' && !Array.isArray(value)) throw malformed(`${keyword} must be a list of schemas`, pointer)
  if ((held === 'map' || held === 'either') && !isRecord(value))
    throw malformed(`${keyword} must be a map from names to schemas`, pointer)
}

function patternsOf(keyword: string, value: unknown): readonly string[] {
  if (keyword === 'pattern') return [value as string]
  return keyword === 'patternProperties' ? Object.keys(value as object) : []
}

function checkPattern(source: string, pointer: string): PatternCost {
  const verdict = examine(source)
  if (typeof verdict === 'string')
    throw malformed(`the pattern ${JSON.stringify(source.slice(0, 80))} ${verdict}`, pointer)
  return verdict
}

function clipPointer(pointer: string): string {
  return pointer.length > 100 ? `${pointer.slice(0, 100)}…` : pointer
}
