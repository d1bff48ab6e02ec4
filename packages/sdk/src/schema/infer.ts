/** The types a schema stands for, read off its structure: what the caller sends and what the handler receives. */

/** A plain JSON Schema, 2020-12 unless its `$schema` says otherwise. */
export type SchemaObject = Record<string, unknown>

/**
 * Anything that can describe a value: a Standard Schema (zod, valibot, arktype …), typebox, or plain JSON Schema.
 * Only names are listed, never shapes: the compiler then compares a schema with this in a handful of steps.
 */
export interface SchemaLike {
  readonly '~standard'?: unknown
  readonly '~kind'?: unknown
  readonly $schema?: unknown
  readonly $ref?: unknown
  readonly type?: unknown
  readonly properties?: unknown
  readonly enum?: unknown
  readonly const?: unknown
  readonly anyOf?: unknown
  readonly oneOf?: unknown
  readonly allOf?: unknown
}

/** What the sender may write: defaults may be left out. */
export type InputOf<S> = S extends { readonly _zod: { readonly input: infer T } } ? T : Standard<S, 'input'>

/** What the reader gets once the value is validated: defaults are filled in, transforms applied. */
export type OutputOf<S> = S extends { readonly _zod: { readonly output: infer T } } ? T : Standard<S, 'output'>

// zod has its own branch, through the seam it documents for library authors: by way of `~standard` the compiler works
// nearly twice as hard.
type SchemaSide = 'input' | 'output'
type Standard<S, D extends SchemaSide> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T>[D & keyof NonNullable<T>]
  : D extends 'input'
    ? FromJson<S, D>
    : Readable<FromJson<S, D>>
type Readable<T> = unknown extends T ? Record<string, unknown> : T

type Combining = 'const' | 'enum' | 'anyOf' | 'oneOf' | 'allOf' | '~unsafe'
type FromJson<S, D extends SchemaSide> = keyof S & Combining extends never ? Typed<S, D> : Combined<S, D>

type Combined<S, D extends SchemaSide> = S extends { readonly '~unsafe': infer T }
  ? T
  : S extends { readonly const: infer C }
    ? C
    : S extends { readonly enum: readonly (infer E)[] }
      ? E
      : S extends { readonly anyOf: readonly (infer M)[] }
        ? AnyOf<M, D>
        : S extends { readonly oneOf: readonly (infer M)[] }
          ? AnyOf<M, D>
          : S extends { readonly allOf: infer L }
            ? AllOf<L, D> & Typed<S, D>
            : Typed<S, D>

type AnyOf<M, D extends SchemaSide> = M extends unknown ? FromJson<M, D> : never
type AllOf<L, D extends SchemaSide> = L extends readonly [infer First, ...infer Others]
  ? FromJson<First, D> & AllOf<Others, D>
  : unknown

interface ByType<S, D extends SchemaSide> {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
  array: ArrayOf<S, D>
  object: ObjectOf<S, D>
}

type Typed<S, D extends SchemaSide> = S extends { readonly type: infer T }
  ? T extends keyof ByType<S, D>
    ? ByType<S, D>[T]
    : T extends readonly (infer N extends keyof ByType<S, D>)[]
      ? ByType<S, D>[N]
      : unknown
  : S extends { readonly properties: object }
    ? ObjectOf<S, D>
    : unknown

type ArrayOf<S, D extends SchemaSide> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? [...Tuple<P, D>, ...RestItems<S, D>]
  : S extends { readonly items: infer I }
    ? I extends readonly unknown[]
      ? Tuple<I, D>
      : FromJson<I, D>[]
    : unknown[]

type Tuple<P extends readonly unknown[], D extends SchemaSide> = { -readonly [K in keyof P]: FromJson<P[K], D> }
type RestItems<S, D extends SchemaSide> = S extends { readonly items: infer I }
  ? I extends false
    ? []
    : FromJson<I, D>[]
  : unknown[]

type ObjectOf<S, D extends SchemaSide> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P]?: FromJson<P[K], D> } & {
        -readonly [K in keyof P & Present<S, P, D>]: FromJson<P[K], D>
      }
    >
  : S extends { readonly additionalProperties: infer A extends object }
    ? Record<string, FromJson<A, D>>
    : S extends { readonly patternProperties: infer A }
      ? Record<string, FromJson<A[keyof A], D>>
      : Record<string, unknown>

/**
 * The keys that are always there: required ones, and toward the reader those with a default. typebox marks the optional
 * ones instead.
 */
type Present<S, P, D extends SchemaSide> =
  | (S extends { readonly '~kind': string }
      ? { [K in keyof P]: P[K] extends { readonly '~optional': true } ? never : K }[keyof P]
      : S extends { readonly required: readonly (infer R)[] }
        ? R
        : never)
  | (D extends 'output' ? { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P] : never)

type Flat<T> = { [K in keyof T]: T[K] }
