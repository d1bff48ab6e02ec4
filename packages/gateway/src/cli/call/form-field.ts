/** One field of a form from a server: its prompt, and how to read the typed text. */
import type { ElicitValue, PrimitiveSchema } from 'parley-mcp'

export interface Choice {
  readonly value: string
  readonly title: string
}

type SchemaObject = Readonly<Record<string, unknown>>

/** A value, or the problem of the text. */
export type FieldResult = { readonly value: ElicitValue } | { readonly problem: string }

export function choicesOf(schema: PrimitiveSchema): readonly Choice[] | undefined {
  const own = schema as unknown as SchemaObject
  const { enum: values, enumNames, oneOf, anyOf } = (own['type'] === 'array' ? own['items'] : own) as SchemaObject
  const titled = oneOf ?? anyOf
  if (Array.isArray(titled))
    return titled.map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }))
  if (!Array.isArray(values)) return undefined
  return values.map((value, at) => ({
    value: String(value),
    title: String((Array.isArray(enumNames) ? enumNames[at] : undefined) ?? value),
  }))
}

/** `days (integer, 1 to 14) [3]: `. */
export function promptFor(name: string, schema: PrimitiveSchema, required: boolean): string {
  const { title, description, type, default: value } = schema as unknown as SchemaObject
  const label = title === undefined || title === name ? name : `${title}`
  const choices = choicesOf(schema)
  const kind =
    choices === undefined ? `${type}${limits(schema)}` : type === 'array' ? 'any of these, by comma' : 'one of these'
  const lines = [
    ...(description === undefined ? [] : [`  ${description}`]),
    ...(choices ?? []).map(
      (choice, at) => `  ${at + 1}. ${choice.title}${choice.title === choice.value ? '' : ` (${choice.value})`}`,
    ),
  ]
  const preset =
    value === undefined ? (required ? '' : ' [leave empty]') : ` [${Array.isArray(value) ? value.join(', ') : value}]`
  return `${lines.map((line) => `${line}\n`).join('')}  ${label} (${kind})${preset}: `
}

function limits(schema: PrimitiveSchema): string {
  const { minimum, maximum, minLength, maxLength, format } = schema as unknown as SchemaObject
  const range = (least: unknown, most: unknown, unit: string): string[] => {
    if (least === undefined && most === undefined) return []
    return [`${least === undefined ? 'up' : least}${most === undefined ? ' or more' : ` to ${most}`}${unit}`]
  }
  const all = [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...(format === undefined ? [] : [String(format)]),
  ]
  return all.length === 0 ? '' : `, ${all.join(', ')}`
}

export function readField(schema: PrimitiveSchema, text: string): FieldResult {
  const choices = choicesOf(schema)
  if (schema.type === 'array') return readMany(text, choices ?? [])
  if (choices !== undefined) return readChoice(text, choices)
  if (schema.type === 'boolean') return readBoolean(text)
  if (schema.type === 'number' || schema.type === 'integer') return readNumber(text, schema as unknown as SchemaObject)
  const { minLength, maxLength } = schema as unknown as SchemaObject
  if (typeof minLength === 'number' && text.length < minLength)
    return { problem: `type at least ${minLength} characters` }
  if (typeof maxLength === 'number' && text.length > maxLength)
    return { problem: `type at most ${maxLength} characters` }
  return { value: text }
}

const ANSWERS: Readonly<Record<string, boolean>> = {
  y: true,
  yes: true,
  true: true,
  1: true,
  n: false,
  no: false,
  false: false,
  0: false,
}

function readBoolean(text: string): FieldResult {
  const word = text.trim().toLowerCase()
  return Object.hasOwn(ANSWERS, word) ? { value: ANSWERS[word] as boolean } : { problem: 'answer yes or no' }
}

function readNumber(text: string, { type, minimum, maximum }: SchemaObject): FieldResult {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return { problem: 'type a number' }
  if (type === 'integer' && !Number.isInteger(value)) return { problem: 'type a whole number' }
  if (typeof minimum === 'number' && value < minimum) return { problem: `type ${minimum} or more` }
  if (typeof maximum === 'number' && value > maximum) return { problem: `type ${maximum} or less` }
  return { value }
}

/** Finds a choice by its value, title or number in the list. A value takes precedence over a number. */
function readChoice(text: string, choices: readonly Choice[]): FieldResult {
  const word = text.trim()
  const found =
    choices.find(({ value }) => value === word) ??
    choices.find(({ title }) => title.toLowerCase() === word.toLowerCase()) ??
    (/^\d{1,4}$/.test(word) ? choices[Number(word) - 1] : undefined)
  return found === undefined
    ? { problem: `choose one of ${choices.map(({ value }) => value).join(', ')}` }
    : { value: found.value }
}

function readMany(text: string, choices: readonly Choice[]): FieldResult {
  const read = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => (choices.length === 0 ? { value: each } : readChoice(each, choices)))
  const wrong = read.find((each) => 'problem' in each)
  return wrong ?? { value: read.map((each) => (each as { value: string }).value) }
}
