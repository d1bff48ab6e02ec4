/**
 * Checks for the keywords nearly every schema is made of: a fraction of a microsecond, at once, without loading
 * anything. The library takes the rest.
 */
import type { SchemaObject } from './infer.ts'
import { failure, type Issue, MAX_ISSUES, type Validated } from './issue.ts'
import { jsonValue } from './json-value.ts'
import { isRecord } from './keywords.ts'
import { PatternBudget, TooCostly } from './patterns/budget.ts'
import type { SchemaFacts } from './wellformed.ts'

/** Keywords that constrain a value and are not dealt with here. */
const BEYOND = [
  '$dynamicRef $recursiveRef $ref additionalItems allOf contains dependencies dependentRequired dependentSchemas else format if maxContains maxProperties minContains',
  'minProperties multipleOf not oneOf patternProperties prefixItems propertyNames then unevaluatedItems unevaluatedProperties uniqueItems',
].flatMap((names) => names.split(' '))

interface IssueReport {
  readonly path: (string | number)[]
  readonly issues: Issue[]
}

/** Says whether the value fits; tells why only when there is a report to write to. */
type ValueCheck = (value: unknown, report: IssueReport | undefined) => boolean

/** A validator, or undefined when the schema needs more than the common keywords. */
export function commonValidator(schema: SchemaObject, facts: SchemaFacts): ((value: unknown) => Validated) | undefined {
  if (BEYOND.some((keyword) => facts.keywords.has(keyword))) return undefined
  const budget = new PatternBudget()
  const check = compile(schema, { costs: facts.patterns, budget })
  if (check === undefined) return undefined
  const validate = (value: unknown): Validated => {
    if (check(value, undefined)) return { ok: true, value }
    // Only now is it worth asking what would travel: a date is a string then, and a property that is undefined is gone.
    const json = jsonValue(value)
    if (typeof json === 'string') return failure(json)
    const report: IssueReport = { path: [], issues: [] }
    return check(json.value, report) ? { ok: true, value } : { ok: false, issues: report.issues }
  }
  if (facts.patterns.size === 0) return validate
  return (value) => {
    budget.reset()
    try {
      return validate(value)
    } catch (error) {
      if (error instanceof TooCostly) return failure(error.message)
      throw error
    }
  }
}

interface Patterns {
  readonly costs: SchemaFacts['patterns']
  readonly budget: PatternBudget
}

function compile(schema: unknown, patterns: Patterns): ValueCheck | undefined {
  if (schema === true) return () => true
  if (schema === false) return (_value, report) => fail(report, 'is not allowed')
  const checks: ValueCheck[] = []
  for (const make of makers) {
    const made = make(schema as SchemaObject, patterns)
    if (made === undefined) return undefined
    if (made !== NONE) checks.push(made)
  }
  const [first, second] = checks
  if (first === undefined) return () => true
  if (second === undefined) return first
  // The first check is the type; where it fails, the others have nothing to say.
  if (checks.length === 2) return (value, report) => first(value, report) && second(value, report)
  return (value, report) => checks.every((check) => check(value, report))
}

const NONE: ValueCheck = () => true

type CheckMaker = (schema: SchemaObject, patterns: Patterns) => ValueCheck | undefined

const makers: readonly CheckMaker[] = [
  typeCheck,
  choiceCheck,
  stringCheck,
  numberCheck,
  arrayCheck,
  objectCheck,
  anyOfCheck,
]

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isPlain,
}

/** Values with `toJSON`, such as dates, travel as something other than an object. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && typeof value['toJSON'] !== 'function'
}

function typeCheck(schema: SchemaObject): ValueCheck {
  const type = schema['type']
  if (type === undefined) return NONE
  const names = (Array.isArray(type) ? type : [type]) as string[]
  const tests = names.map((name) => fits[name] as (value: unknown) => boolean)
  const expected = names.join(' or ')
  const [only] = tests
  const complain = (value: unknown, report: IssueReport | undefined): boolean =>
    fail(report, `expected ${expected}, got ${nameOf(value)}`)
  if (only !== undefined && tests.length === 1) return (value, report) => only(value) || complain(value, report)
  return (value, report) => tests.some((test) => test(value)) || complain(value, report)
}

function choiceCheck(schema: SchemaObject): ValueCheck | undefined {
  const choices: unknown[] = []
  if (schema['const'] !== undefined) choices.push([schema['const']])
  if (schema['enum'] !== undefined) choices.push(schema['enum'])
  const [first, second] = choices as unknown[][]
  if (first === undefined) return NONE
  const allowed = second === undefined ? first : first.filter((value) => second.includes(value))
  if ([first, second ?? []].some((list) => list.some((value) => typeof value === 'object' && value !== null)))
    return undefined
  const known = new Set(allowed)
  const listed = allowed
    .slice(0, 20)
    .map((value) => JSON.stringify(value))
    .join(', ')
  const message =
    allowed.length === 1 ? `must be ${listed}` : `must be one of ${listed}${allowed.length > 20 ? ', …' : ''}`
  return (value, report) => known.has(value) || fail(report, message)
}

function stringCheck(schema: SchemaObject, patterns: Patterns): ValueCheck {
  const {
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
    pattern,
  } = schema as { minLength?: number; maxLength?: number; pattern?: string }
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY && pattern === undefined) return NONE
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  const cost = pattern === undefined ? undefined : patterns.costs.get(pattern)
  return (value, report) => {
    if (typeof value !== 'string') return true
    // A character takes one or two units, so most lengths need no counting.
    if (value.length < minLength || (value.length < 2 * minLength && lengthOf(value) < minLength))
      return fail(report, `must have at least ${count(minLength, 'character')}`)
    if (value.length > maxLength && lengthOf(value) > maxLength)
      return fail(report, `must have at most ${count(maxLength, 'character')}`)
    if (expression === undefined || cost === undefined) return true
    if (value.length > cost.longest)
      return fail(report, `must have at most ${count(cost.longest, 'character')} to be matched against ${pattern}`)
    patterns.budget.spend(cost, value.length)
    return expression.test(value) || fail(report, `must match ${pattern}`)
  }
}

const LIMITS: readonly (readonly [keyword: string, holds: (value: number, limit: number) => boolean, sign: string])[] =
  [
    ['minimum', (value, limit) => value >= limit, '≥'],
    ['maximum', (value, limit) => value <= limit, '≤'],
    ['exclusiveMinimum', (value, limit) => value > limit, '>'],
    ['exclusiveMaximum', (value, limit) => value < limit, '<'],
  ]

function numberCheck(schema: SchemaObject): ValueCheck {
  const limits = LIMITS.flatMap(([keyword, holds, sign]) =>
    schema[keyword] === undefined ? [] : [{ limit: schema[keyword] as number, holds, sign }],
  )
  if (limits.length === 0) return NONE
  return (value, report) => {
    if (typeof value !== 'number') return true
    for (const { limit, holds, sign } of limits)
      if (!holds(value, limit)) return fail(report, `must be ${sign} ${limit}`)
    return true
  }
}

function arrayCheck(schema: SchemaObject, patterns: Patterns): ValueCheck | undefined {
  const {
    items,
    minItems = 0,
    maxItems = Number.POSITIVE_INFINITY,
  } = schema as { items?: unknown; minItems?: number; maxItems?: number }
  if (items === undefined && minItems === 0 && maxItems === Number.POSITIVE_INFINITY) return NONE
  if (Array.isArray(items)) return undefined
  const each = items === undefined ? NONE : compile(items, patterns)
  if (each === undefined) return undefined
  return (value, report) => {
    if (!Array.isArray(value)) return true
    if (value.length < minItems) return fail(report, `must have at least ${count(minItems, 'item')}`)
    if (value.length > maxItems) return fail(report, `must have at most ${count(maxItems, 'item')}`)
    let good = true
    for (let index = 0; index < value.length && (good || wants(report)); index++)
      if (!inner(each, value[index], index, report)) good = false
    return good
  }
}

function objectCheck(schema: SchemaObject, patterns: Patterns): ValueCheck | undefined {
  const {
    properties = {},
    required = [],
    additionalProperties = true,
  } = schema as { properties?: SchemaObject; required?: string[]; additionalProperties?: unknown }
  const known = new Map<string, ValueCheck>()
  for (const [name, inside] of Object.entries(properties)) {
    const check = inside === undefined ? NONE : compile(inside, patterns)
    if (check === undefined) return undefined
    known.set(name, check)
  }
  const others = compile(additionalProperties, patterns)
  if (others === undefined) return undefined
  if (known.size === 0 && required.length === 0 && additionalProperties === true) return NONE
  const unknown: ValueCheck =
    additionalProperties === false
      ? (_value, report) => fail(report, `is not known here; ${expectedNames([...known.keys()])}`)
      : others
  const quick = quickObjectCheck(known, new Set(required), unknown)
  const entries = [...known]
  return (value, report) => {
    if (!isRecord(value)) return true
    if (report === undefined) return quick(value)
    const before = report.issues.length
    for (const name of required) if (!has(value, name)) inner(missing, undefined, name, report)
    for (const [name, check] of entries) if (has(value, name)) inner(check, value[name], name, report)
    for (const name of Object.keys(value))
      if (!known.has(name) && has(value, name)) inner(unknown, value[name], name, report)
    return report.issues.length === before && quick(value)
  }
}

/** One pass over the properties that are there. */
function quickObjectCheck(
  known: ReadonlyMap<string, ValueCheck>,
  required: ReadonlySet<string>,
  unknown: ValueCheck,
): (value: Record<string, unknown>) => boolean {
  const rules = new Map<string, { readonly check: ValueCheck; readonly counts: number }>()
  for (const name of new Set([...known.keys(), ...required]))
    rules.set(name, { check: known.get(name) ?? unknown, counts: required.has(name) ? 1 : 0 })
  return (value) => {
    let present = 0
    const names = Object.keys(value)
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      const item = value[name]
      if (item === undefined) continue
      const rule = rules.get(name)
      if (rule === undefined) {
        if (!unknown(item, undefined)) return false
      } else if (rule.check(item, undefined)) present += rule.counts
      else return false
    }
    return present === required.size
  }
}

function anyOfCheck(schema: SchemaObject, patterns: Patterns): ValueCheck | undefined {
  const options = schema['anyOf'] as unknown[] | undefined
  if (options === undefined) return NONE
  const checks: ValueCheck[] = []
  for (const option of options) {
    const check = compile(option, patterns)
    if (check === undefined) return undefined
    checks.push(check)
  }
  const types = options.map((option) =>
    isRecord(option) && typeof option['type'] === 'string' ? option['type'] : undefined,
  )
  const hint = types.every((type) => type !== undefined)
    ? `expected ${[...new Set(types)].join(' or ')}`
    : `must fit one of ${options.length} forms`
  return (value, report) => checks.some((check) => check(value, undefined)) || fail(report, hint)
}

const missing: ValueCheck = (_value, report) => fail(report, 'is required')

function inner(check: ValueCheck, value: unknown, key: string | number, report: IssueReport | undefined): boolean {
  if (report === undefined) return check(value, undefined)
  report.path.push(key)
  const good = check(value, report)
  report.path.pop()
  return good
}

function fail(report: IssueReport | undefined, message: string): false {
  if (wants(report)) report?.issues.push({ path: [...report.path], message })
  return false
}

const wants = (report: IssueReport | undefined): boolean => report !== undefined && report.issues.length < MAX_ISSUES

/** A property that is there but undefined does not travel, so it counts as left out. */
const has = (value: Record<string, unknown>, name: string): boolean =>
  Object.hasOwn(value, name) && value[name] !== undefined

function lengthOf(text: string): number {
  let length = 0
  for (const _character of text) length++
  return length
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

function expectedNames(names: readonly string[]): string {
  return names.length === 0
    ? 'nothing is expected'
    : `expected ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
}
