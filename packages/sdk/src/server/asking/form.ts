/**
 * Schemas as forms: elicitation allows flat objects of simple fields, so any schema is brought to that form or refused
 * with a reason.
 */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { FormSchema, PrimitiveSchema } from '../../protocol/index.ts'
import type { SchemaObject } from '../../schema/index.ts'

/** What is kept of each kind of field; the rest (patterns, other formats…) is checked when the answer comes. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
}

const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

/** Throws a `TypeError` that names the field which no form can show. */
export function toForm(schema: SchemaObject): FormSchema {
  const { properties } = schema
  if (schema['type'] !== 'object' || !isObject(properties))
    throw new TypeError('a form needs an object schema with properties')
  const fields = Object.entries(properties).map(([name, property]) => [name, toField(name, property)] as const)
  const required = Array.isArray(schema['required'])
    ? schema['required'].filter((name): name is string => typeof name === 'string')
    : []
  return { type: 'object', properties: Object.fromEntries(fields), ...(required.length === 0 ? {} : { required }) }
}

/** Fills in what the user left out and the form has a default for. */
export function withDefaults(form: FormSchema, content: Body): Body {
  const filled: Body = { ...content }
  for (const [name, field] of Object.entries(form.properties)) {
    if (field.default !== undefined && !Object.hasOwn(filled, name)) filled[name] = structuredClone(field.default)
  }
  return filled
}

function toField(name: string, property: unknown): PrimitiveSchema {
  if (!isObject(property)) throw unfit(name)
  const choices = choicesOf(property)
  const type = choices === undefined ? property['type'] : 'string'
  if (typeof type !== 'string' || !Object.hasOwn(KEPT, type)) throw unfit(name)
  const field: Body = {
    type,
    ...pick(property, ['title', 'description', 'default', ...(choices === undefined ? (KEPT[type] as string[]) : [])]),
  }
  if (choices !== undefined) Object.assign(field, choices)
  else if (type === 'array') field['items'] = toItems(name, property['items'])
  else if (FORMATS.includes(property['format'])) field['format'] = property['format']
  return field as PrimitiveSchema
}

/** The items of a list of choices; `anyOf` carries titles here, where a single choice has `oneOf`. */
function toItems(name: string, items: unknown): Body {
  const choices = isObject(items) ? choicesOf(items) : undefined
  if (choices === undefined) throw unfit(name)
  return choices['oneOf'] === undefined ? { type: 'string', enum: choices['enum'] } : { anyOf: choices['oneOf'] }
}

/** One of several strings, in any of the ways schemas say so. */
function choicesOf(property: Body): Body | undefined {
  const { enum: values, const: only, enumNames } = property
  if (isStrings(values)) return isStrings(enumNames) ? { enum: values, enumNames } : { enum: values }
  if (typeof only === 'string') return { enum: [only] }
  const options = property['oneOf'] ?? property['anyOf']
  if (
    !Array.isArray(options) ||
    options.length === 0 ||
    !options.every((option) => isObject(option) && typeof option['const'] === 'string')
  )
    return undefined
  if (options.every((option) => option.title === undefined)) return { enum: options.map((option) => option.const) }
  return {
    oneOf: options.map((option) => ({
      const: option.const,
      title: typeof option.title === 'string' ? option.title : option.const,
    })),
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

function pick(from: Body, keys: readonly string[]): Body {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]))
}

function unfit(name: string): TypeError {
  return new TypeError(
    `The field "${name}" cannot be asked for: a form has strings, numbers, integers, booleans, choices and lists of choices, and nothing nested`,
  )
}
