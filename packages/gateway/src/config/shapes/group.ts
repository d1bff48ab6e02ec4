/** The shape of an object, from a table of its keys. */
import type { JsonObject, JsonValue } from 'parley-mcp'
import { entriesOf, type ObjectEntry } from '../documents/document.ts'
import { nearest } from '../nearest.ts'
import type { ConfigLocation } from './location.ts'
import { quoted } from './problem-list.ts'
import { rejectKind, type Shape } from './shape.ts'

export interface Field<T, D> {
  readonly shape: Shape<T>
  readonly description: string
  /** The value if the key is missing. */
  readonly default: D
  readonly examples: readonly JsonValue[]
}

export type Fields = Readonly<Record<string, Field<unknown, unknown>>>
export type Values<F> = { readonly [K in keyof F]: F[K] extends Field<infer T, infer D> ? T | D : never }
export type Defaults<F> = { readonly [K in keyof F]: F[K] extends Field<unknown, infer D> ? D : never }

/** Keys of other programs in the same file. */
export interface ForeignKeys {
  /** Accepted with a warning. The text says why the key has no effect, or what to write instead. */
  readonly ignored?: Readonly<Record<string, string>>
  /** Refused, with the key to write instead. */
  readonly renamed?: Readonly<Record<string, string>>
  /** Accepted without a warning: keys with this prefix. */
  readonly free?: string
}

export interface Group<F> {
  readonly at: number
  readonly values: Values<F>
  readonly entries: ReadonlyMap<string, ObjectEntry>
  /** Known keys that are the suggestions for unknown ones. */
  readonly meant: ReadonlySet<string>
}

export type RequiredGroup<F, K extends keyof F> = Group<F> & {
  readonly values: { readonly [P in K]: F[P] extends Field<infer T, unknown> ? T : never }
}

interface FieldOptions<D> {
  readonly default?: D
  readonly examples: readonly JsonValue[]
}

export function field<T, D = undefined>(description: string, shape: Shape<T>, options: FieldOptions<D>): Field<T, D> {
  return { shape, description, default: options.default as D, examples: options.examples }
}

/** The values if no key is there. */
export function defaultsOf<F extends Fields>(fields: F): Defaults<F> {
  return Object.fromEntries(Object.entries(fields).map(([key, known]) => [key, known.default])) as Defaults<F>
}

export function group<const F extends Fields>(fields: F, foreign: ForeignKeys = {}): Shape<Group<F>> {
  return {
    schema: groupSchema(fields, foreign),
    read(node, location) {
      if (node.kind !== 'object') return rejectKind(node, location, 'an object', `{ "${Object.keys(fields)[0]}": … }`)
      const entries = entriesOf(node)
      const meant = new Set<string>()
      for (const [key, entry] of entries)
        if (!Object.hasOwn(fields, key)) reportUnknown(entry, location.child(key), fields, foreign, meant)
      const values = Object.entries(fields).map(([key, { shape, default: otherwise }]) => {
        const entry = entries.get(key)
        return [key, entry === undefined ? otherwise : (shape.read(entry.value, location.child(key)) ?? otherwise)]
      })
      return { at: node.at, values: Object.fromEntries(values) as Values<F>, entries, meant }
    },
  }
}

/** The same shape with a required key. */
export function required<const F extends Fields, K extends keyof F & string>(
  shape: Shape<Group<F>>,
  key: K,
  example: string,
): Shape<RequiredGroup<F, K>> {
  return {
    schema: { ...shape.schema, required: [key] },
    read(node, location) {
      const read = shape.read(node, location)
      if (read === undefined || read.values[key] !== undefined) return read as RequiredGroup<F, K> | undefined
      // A wrong value has already been reported.
      if (!read.entries.has(key) && !read.meant.has(key))
        location.problem(node.at, `"${key}" is missing.`, `Write for example ${example}.`)
      return undefined
    },
  }
}

function reportUnknown(
  { key, keyAt }: ObjectEntry,
  location: ConfigLocation,
  fields: Fields,
  { ignored = {}, renamed = {}, free }: ForeignKeys,
  meant: Set<string>,
): void {
  if (free !== undefined && key.startsWith(free)) return
  if (Object.hasOwn(ignored, key))
    return location.warning(keyAt, 'This key belongs to another program and has no effect here.', ignored[key] ?? '')
  const other = Object.hasOwn(renamed, key) ? renamed[key] : undefined
  const near = other ?? nearest(key, Object.keys(fields))
  if (near !== undefined) meant.add(near.split(':')[0] ?? near)
  const hint = other === undefined ? near && `Did you mean "${near}"?` : `Write "${other}" instead.`
  location.problem(
    keyAt,
    `Unknown key ${quoted(key)}.`,
    hint ?? `Remove it. The known keys are ${Object.keys(fields).join(', ')}.`,
  )
}

function groupSchema(fields: Fields, { ignored = {}, free }: ForeignKeys): JsonObject {
  const own = Object.entries(fields).map(([key, { shape, description, default: otherwise, examples }]) => {
    const known = otherwise === undefined ? {} : { default: otherwise as JsonValue }
    return [key, { description, ...known, examples: [...examples], ...shape.schema }]
  })
  const others = Object.entries(ignored).map(([key, why]) => [
    key,
    { description: `Belongs to another program and has no effect here. ${why}`, deprecated: true },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries([...own, ...others]),
    ...(free === undefined
      ? {}
      : { patternProperties: { [`^${free}`]: { description: 'Ignored: for anchors and notes.' } } }),
    additionalProperties: false,
  }
}
