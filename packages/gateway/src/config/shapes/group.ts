/** The shape of an object with known keys, from a table of them. */
import type { JsonObject, JsonValue } from 'parley-mcp'
import { entriesOf, type ObjectEntry } from '../documents/document.ts'
import { nearest } from '../nearest.ts'
import type { ConfigLocation } from './location.ts'
import { quoted } from './problem-list.ts'
import { rejectKind, type Shape } from './shape.ts'

export interface Field<T, D> {
  readonly shape: Shape<T>
  readonly description: string
  /** What holds where the key is missing. */
  readonly default: D
  readonly examples: readonly JsonValue[]
}

export type Fields = Readonly<Record<string, Field<unknown, unknown>>>
export type Values<F> = { readonly [K in keyof F]: F[K] extends Field<infer T, infer D> ? T | D : never }
export type Defaults<F> = { readonly [K in keyof F]: F[K] extends Field<unknown, infer D> ? D : never }

/** Keys of other programs that share the file. */
export interface ForeignKeys {
  /** Left alone with a warning: why it has no effect, or what to write instead. */
  readonly ignored?: Readonly<Record<string, string>>
  /** Refused, because they mean something that is written otherwise here: that key. */
  readonly renamed?: Readonly<Record<string, string>>
  /** Beginnings of keys that nobody reads. */
  readonly free?: string
}

export interface Group<F> {
  readonly at: number
  readonly values: Values<F>
  readonly entries: ReadonlyMap<string, ObjectEntry>
  /** Keys that unknown ones were probably meant to be. */
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

/** What holds where none of the keys is there. */
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

/** The same, where one of the keys has to be there: without it the others mean nothing. */
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
      // What stands there and is wrong has been reported.
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
    return location.warning(keyAt, 'A key of another program, which has no effect here.', ignored[key] ?? '')
  const other = Object.hasOwn(renamed, key) ? renamed[key] : undefined
  const near = other ?? nearest(key, Object.keys(fields))
  if (near !== undefined) meant.add(near.split(':')[0] ?? near)
  const hint = other === undefined ? near && `Did you mean "${near}"?` : `Write "${other}" instead.`
  location.problem(
    keyAt,
    `Unknown key ${quoted(key)}.`,
    hint ?? `Remove it. Known are ${Object.keys(fields).join(', ')}.`,
  )
}

function groupSchema(fields: Fields, { ignored = {}, free }: ForeignKeys): JsonObject {
  const own = Object.entries(fields).map(([key, { shape, description, default: otherwise, examples }]) => {
    const known = otherwise === undefined ? {} : { default: otherwise as JsonValue }
    return [key, { description, ...known, examples: [...examples], ...shape.schema }]
  })
  const others = Object.entries(ignored).map(([key, why]) => [
    key,
    { description: `Of another program; has no effect here. ${why}`, deprecated: true },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries([...own, ...others]),
    ...(free === undefined
      ? {}
      : { patternProperties: { [`^${free}`]: { description: 'Read by nobody: a place for anchors and notes.' } } }),
    additionalProperties: false,
  }
}
