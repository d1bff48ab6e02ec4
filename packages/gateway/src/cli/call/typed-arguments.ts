/** Arguments of the form `key=value`, converted as the tool's schema says. */
import type { JsonSchema } from 'parley-mcp'
import { didYouMean } from '../arguments/similar-names.ts'
import { usageError } from '../failure.ts'

type Schema = Readonly<Record<string, unknown>>

export function typedArguments(pairs: readonly string[], schema: JsonSchema | undefined): Record<string, unknown> {
  const root = objectOf(schema)
  const properties = objectOf(root['properties'])
  const texts = new Map<string, string[]>()
  for (const [key, text] of pairs.map((pair) => pairOf(pair, '--arg')))
    texts.set(key, [...(texts.get(key) ?? []), text])
  return Object.fromEntries(
    [...texts].map(([key, values]) => {
      const known = Object.hasOwn(properties, key)
      if (!known && root['additionalProperties'] === false) {
        throw usageError(
          `The tool takes no argument ${JSON.stringify(key)}${didYouMean(key, Object.keys(properties))}`,
          takes(properties),
        )
      }
      return [key, known ? valueFor(key, values, resolved(properties[key], root)) : single(key, values, guess)]
    }),
  )
}

/**
 * A hint about an argument that the schema neither names nor forbids. It is often misspelt, and the reason for a failed
 * call.
 */
export function unknownArgument(
  args: Readonly<Record<string, unknown>>,
  schema: JsonSchema | undefined,
): string | undefined {
  const properties = objectOf(objectOf(schema)['properties'])
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(properties, key))
  if (unknown === undefined) return undefined
  return `its schema has no argument ${JSON.stringify(unknown)}${didYouMean(unknown, Object.keys(properties))}`
}

function takes(properties: Schema): string {
  const names = Object.keys(properties)
  return names.length === 0 ? 'it takes no arguments' : `it takes ${names.slice(0, 20).join(', ')}`
}

/** Splits at the first equals sign. */
export function pairOf(pair: string, option: string): readonly [key: string, value: string] {
  const at = pair.indexOf('=')
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)]
  throw usageError(`${option} ${JSON.stringify(pair.slice(0, 80))} is not of the form key=value`)
}

/** A repeated key makes a list if the schema has one. */
function valueFor(key: string, values: readonly string[], schema: Schema): unknown {
  const types = typesOf(schema)
  const [text = ''] = values
  if (types.includes('array') && !(values.length === 1 && text.trimStart().startsWith('['))) {
    const items = objectOf(schema['items'])
    return values.map((each) => readAs(key, each, typesOf(items)))
  }
  return single(key, values, (one) => readAs(key, one, types))
}

function single(key: string, values: readonly string[], read: (text: string) => unknown): unknown {
  if (values.length > 1)
    throw usageError(`The argument ${JSON.stringify(key)} was given ${values.length} times, but is not a list`)
  return read(values[0] as string)
}

const NOTHING: unique symbol = Symbol('nothing')

/** Strings last, because every text is one. */
const READERS: readonly (readonly [type: string, read: (text: string) => unknown])[] = [
  ['null', (text) => (text === 'null' ? null : NOTHING)],
  ['boolean', (text) => (text === 'true' ? true : text === 'false' ? false : NOTHING)],
  ['integer', (text) => (/^[+-]?\d{1,16}$/.test(text) ? Number(text) : NOTHING)],
  ['number', (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : NOTHING)],
  ['array', (text) => jsonOf(text, Array.isArray)],
  ['object', (text) => jsonOf(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value))],
  ['string', (text) => text],
]

function readAs(key: string, text: string, types: readonly string[]): unknown {
  if (types.length === 0) return guess(text)
  for (const [type, read] of READERS) {
    const value = types.includes(type) ? read(text) : NOTHING
    if (value !== NOTHING) return value
  }
  throw usageError(
    `The argument ${JSON.stringify(key)} must be of type ${types.join(' or ')}, not ${JSON.stringify(text.slice(0, 80))}`,
  )
}

/** Without a schema: the value of valid JSON, else the text itself. */
function guess(text: string): unknown {
  const value = jsonOf(text, () => true)
  return value === NOTHING ? text : value
}

function jsonOf(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return fits(value) ? value : NOTHING
  } catch {
    return NOTHING
  }
}

function typesOf(schema: Schema): string[] {
  const { type, enum: choices, const: fixed } = schema
  const own = Array.isArray(type) ? type : type === undefined ? [] : [type]
  if (own.length > 0) return own.filter((each) => typeof each === 'string')
  const values = Array.isArray(choices) ? choices : fixed === undefined ? [] : [fixed]
  if (values.length > 0)
    return [
      ...new Set(values.map((value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value))),
    ]
  const branches = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  return [...new Set(branches.flatMap((branch: unknown) => typesOf(objectOf(branch))))]
}

/** Follows one reference within the schema, as in generated schemas. */
function resolved(schema: unknown, root: Schema): Schema {
  const own = objectOf(schema)
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]{1,100})$/.exec(String(own['$ref'] ?? '')) ?? []
  if (place === undefined || name === undefined) return own
  const definitions = objectOf(root[place])
  return Object.hasOwn(definitions, name) ? objectOf(definitions[name]) : own
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
}
