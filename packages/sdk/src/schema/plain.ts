/** Plain JSON Schema, ready to validate: examined once, compiled once, remembered by its object. */
import { commonValidator } from './common.ts'
import type { SchemaObject } from './infer.ts'
import type { Validated } from './issue.ts'
import { library, libraryValidator } from './library.ts'
import { examineSchema, type SchemaFacts } from './wellformed.ts'

type Validate = (value: unknown) => Validated | Promise<Validated>

interface Prepared {
  readonly facts: SchemaFacts
  validate: Validate
}

const prepared = new WeakMap<SchemaObject, Prepared | Error>()

/** Throws `tool_schema_invalid` when this is not a JSON Schema. */
export function factsOf(schema: SchemaObject): SchemaFacts {
  return prepare(schema).facts
}

export function validatePlain(schema: SchemaObject, value: unknown): Validated | Promise<Validated> {
  return prepare(schema).validate(value)
}

function prepare(schema: SchemaObject): Prepared {
  const known = prepared.get(schema)
  if (known instanceof Error) throw known
  if (known !== undefined) return known
  try {
    const facts = examineSchema(schema)
    const entry: Prepared = {
      facts,
      validate: commonValidator(schema, facts) ?? ((value) => throughLibrary(schema, entry, value)),
    }
    prepared.set(schema, entry)
    return entry
  } catch (error) {
    prepared.set(schema, error as Error)
    throw error
  }
}

/** Replaces itself as soon as the library is there: from then on validation is synchronous. */
function throughLibrary(schema: SchemaObject, entry: Prepared, value: unknown): Validated | Promise<Validated> {
  const found = library()
  if (found instanceof Promise) return found.then(() => throughLibrary(schema, entry, value))
  try {
    const validate = libraryValidator(found, schema, entry.facts)
    entry.validate = validate
    return validate(value)
  } catch (error) {
    prepared.set(schema, error as Error)
    throw error
  }
}
