/**
 * The options of multiple choices, and the boolean fields that stand for them in forms without multiple choices (C-15).
 */
import { type Body, isObject } from '../../../jsonrpc/index.ts'

export interface Option {
  readonly value: string
  readonly title: string
  /** Name of the boolean field. */
  readonly key: string
}

export interface MultipleChoice {
  readonly name: string
  readonly schema: Body
  readonly options: readonly Option[]
}

/**
 * All multiple choices of a form. The names depend on the form alone, so that the answer is read with the names the
 * question was asked with.
 */
export function multipleChoices(properties: Body): MultipleChoice[] {
  const taken = new Set(Object.keys(properties))
  const found: MultipleChoice[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const values = isObject(schema) && schema['type'] === 'array' ? titledValues(schema['items']) : undefined
    if (values === undefined) continue
    const options = [...values].map(([value, title]) => ({
      value,
      title,
      key: freeKey(`${escaped(name)}.${escaped(value)}`, taken),
    }))
    found.push({ name, schema: schema as Body, options })
  }
  return found
}

/** Value → title of `enum` or of a list of `{ const, title }`; undefined when it is neither. */
export function titledValues(schema: unknown): Map<string, string> | undefined {
  if (!isObject(schema)) return undefined
  const { enum: values, anyOf, oneOf } = schema
  const titled = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(titled))
    return new Map(titled.filter(isTitled).map((option) => [option.const, option.title ?? option.const]))
  return Array.isArray(values)
    ? new Map(values.filter((value) => typeof value === 'string').map((value) => [value, value]))
    : undefined
}

function isTitled(option: unknown): option is { const: string; title?: string } {
  return (
    isObject(option) &&
    typeof option['const'] === 'string' &&
    (option['title'] === undefined || typeof option['title'] === 'string')
  )
}

/** The dot separates name and value, so a dot inside either is written `\.`. */
function escaped(part: string): string {
  return part.replace(/[\\.]/g, '\\$&')
}

function freeKey(wanted: string, taken: Set<string>): string {
  let key = wanted
  while (taken.has(key)) key += '_'
  taken.add(key)
  return key
}
