/** The full JSON Schema validator: a library, loaded when the first schema needs it, and kept within bounds. */
import type { SchemaObject } from './infer.ts'
import { failure, type Validated } from './issue.ts'
import { type JsonCopy, jsonValue } from './json-value.ts'
import { isRecord, subschemasOf } from './keywords.ts'
import { issuesOf } from './library-issues.ts'
import { PatternBudget, TooCostly } from './patterns/budget.ts'
import type { PatternCost } from './patterns/pattern.ts'
import { searchCost } from './unique.ts'
import { malformed, type SchemaFacts } from './wellformed.ts'

type SchemaLibrary = Pick<typeof import('@cfworker/json-schema'), 'dereference' | 'validate'>
type Targets = ReturnType<SchemaLibrary['dereference']>

let loaded: SchemaLibrary | undefined
let loading: Promise<SchemaLibrary> | undefined

export function library(): SchemaLibrary | Promise<SchemaLibrary> {
  if (loaded !== undefined) return loaded
  loading ??= import('@cfworker/json-schema').then((module) => {
    loaded = module
    return module
  })
  return loading
}

/** References followed per validation: schemas that refer to themselves can ask for exponential work. */
const MAX_REFERENCES = 100_000
const REFERENCES_PER_VALUE = 100
/** Where lists have duplicates, the library finds them by comparing every item with every other. */
const MAX_COMPARISONS = 1e8
/** Beyond this size, the first problem is enough. */
const MANY_VALUES = 1000

export function libraryValidator(
  { dereference, validate }: SchemaLibrary,
  schema: SchemaObject,
  facts: SchemaFacts,
): (value: unknown) => Validated {
  let comparisons = 0
  let perList = 0
  let texts: TextLengths = { longestString: 0, longestName: 0, namesLength: 0 }
  const budget = new PatternBudget()
  const prepared = prepare(schema, facts, {
    uniqueItems: () => {
      comparisons -= perList
      if (comparisons < 0) throw new TooCostly('; some of its lists have duplicates')
      return perList > 0
    },
    pattern: (cost) => budget.spend(cost, texts.longestString),
    patternProperty: (cost) => budget.spendOnAll(cost, texts.longestName, texts.namesLength),
  })
  const targets = resolve(dereference, prepared)
  let references = 0
  const counted = new Proxy(targets, {
    get(all, uri: string) {
      if (--references < 0) throw new TooCostly()
      return all[uri]
    },
  })
  const longest = Math.min(Number.POSITIVE_INFINITY, ...[...facts.patterns.values()].map((cost) => cost.longest))
  return (value) => {
    const json = jsonValue(value)
    if (typeof json === 'string') return failure(json)
    if (json.longestString > longest)
      return failure(`contains a text of more than ${longest} characters, too long to be matched against a pattern`)
    perList = facts.keywords.has('uniqueItems') ? searchCost(json.value) : 0
    comparisons = MAX_COMPARISONS
    texts = json
    budget.reset()
    references = MAX_REFERENCES + REFERENCES_PER_VALUE * json.size
    try {
      const { valid, errors } = validate(json.value, prepared, facts.dialect, counted, json.size > MANY_VALUES)
      return valid ? { ok: true, value } : { ok: false, issues: issuesOf(errors, json.value) }
    } catch (error) {
      if (error instanceof TooCostly) return failure(error.message)
      if (error instanceof RangeError) return failure(new TooCostly().message)
      return failure(`could not be checked: ${(error as Error).message}`)
    }
  }
}

type TextLengths = Pick<JsonCopy, 'longestString' | 'longestName' | 'namesLength'>

/** Called when the library is about to do work that has to be counted. */
interface Meter {
  /** Whether any list has duplicates. */
  uniqueItems(): boolean
  pattern(cost: PatternCost): void
  patternProperty(cost: PatternCost): void
}

/**
 * The library writes into the schemas it is given, so it gets a copy, in which what it does not know is said in words
 * it knows.
 */
function prepare(schema: SchemaObject, facts: SchemaFacts, meter: Meter): SchemaObject {
  const copy = JSON.parse(JSON.stringify(schema)) as SchemaObject
  const visit = (node: unknown, pointer: string): void => {
    if (!isRecord(node)) return
    if (facts.dynamicAnchors.size > 0 && pointer !== '' && node['$id'] !== undefined) {
      throw malformed('$dynamicAnchor together with an inner $id is not supported', pointer)
    }
    rewriteDynamic(node, facts.dynamicAnchors)
    // Its check for the unofficial format takes exponential time.
    if (node['format'] === 'url') node['format'] = 'uri'
    charge(node, facts, meter)
    for (const inner of subschemasOf(node, pointer)) visit(inner.schema, inner.pointer)
  }
  visit(copy, '')
  return copy
}

/**
 * The library asks for a keyword each time it applies the schema to a value, and makes an expression of the pattern
 * before each match. When no list has duplicates it need not look for them.
 */
function charge(node: SchemaObject, { patterns }: SchemaFacts, meter: Meter): void {
  if (node['uniqueItems'] === true)
    Object.defineProperty(node, 'uniqueItems', { enumerable: true, get: () => meter.uniqueItems() })
  const source = node['pattern']
  if (typeof source === 'string') {
    const counted = (): string => {
      meter.pattern(patterns.get(source) as PatternCost)
      return source
    }
    node['pattern'] = { toString: counted }
  }
  const named = node['patternProperties']
  if (!isRecord(named)) return
  for (const [pattern, inner] of Object.entries(named)) {
    const get = (): unknown => {
      meter.patternProperty(patterns.get(pattern) as PatternCost)
      return inner
    }
    Object.defineProperty(named, pattern, { enumerable: true, get })
  }
}

/** In a document without inner `$id`, a dynamic reference has only one place to go to. */
function rewriteDynamic(node: SchemaObject, anchors: ReadonlyMap<string, string>): void {
  const direct = (reference: unknown): unknown => {
    const pointer =
      typeof reference === 'string' && reference.startsWith('#') ? anchors.get(reference.slice(1)) : undefined
    return pointer === undefined ? reference : `#${encodeURI(pointer)}`
  }
  if (node['$ref'] !== undefined) node['$ref'] = direct(node['$ref'])
  if (node['$dynamicRef'] === undefined) return
  const target = direct(node['$dynamicRef'])
  delete node['$dynamicRef']
  if (node['$ref'] === undefined) node['$ref'] = target
  else node['allOf'] = [...((node['allOf'] as unknown[] | undefined) ?? []), { $ref: target }]
}

/** All schemas by address. A reference that leads nowhere is an error now, and is never fetched. */
function resolve(dereference: SchemaLibrary['dereference'], prepared: SchemaObject): Targets {
  let targets: Targets
  try {
    targets = dereference(prepared)
  } catch (error) {
    throw malformed((error as Error).message)
  }
  const visit = (node: unknown, pointer: string): void => {
    if (!isRecord(node)) return
    const reference = node['$ref']
    if (reference !== undefined && targets[(node['__absolute_ref__'] ?? reference) as string] === undefined) {
      throw malformed(
        `$ref ${JSON.stringify(reference)} leads nowhere; references to other documents are not fetched`,
        pointer,
      )
    }
    for (const inner of subschemasOf(node, pointer)) visit(inner.schema, inner.pointer)
  }
  visit(prepared, '')
  return targets
}
