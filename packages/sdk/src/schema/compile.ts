/** One schema, ready for use: its JSON Schema and its validator, each made when first needed. */
import { ParleyError } from '../errors/index.ts'
import { defaultsOf } from './defaults.ts'
import type { SchemaLike, SchemaObject } from './infer.ts'
import type { CompiledSchema, Validated } from './issue.ts'
import { isRecord } from './keywords.ts'
import { factsOf, validatePlain } from './plain.ts'
import { withObjectRoot } from './root.ts'
import { convertStandard, isStandard, type StandardSchema, type Use, validateStandard } from './standard.ts'
import { DRAFT_07 } from './wellformed.ts'

/** Cheap: nothing is examined, converted or loaded before it is needed. Throws only for what is no schema at all. */
export function compileSchema(schema: SchemaLike | SchemaObject, use: Use): CompiledSchema {
  if (isStandard(schema)) return compileStandard(schema, use)
  if (!isRecord(schema)) throw invalid('expected a zod, valibot, arktype or typebox schema, or a JSON Schema object')
  for (const value of Object.values(schema)) {
    if (isStandard(value))
      throw invalid('a bare set of fields is not a schema; wrap it in an object schema, such as z.object({ … })')
  }
  return compilePlain(schema, use)
}

/**
 * Validates against a JSON Schema received from elsewhere; the value is not changed. Throws or rejects with
 * `tool_schema_invalid` when the schema is malformed.
 */
export function validateJson(schema: SchemaObject, value: unknown): Validated | Promise<Validated> {
  if (!isRecord(schema)) throw invalid('expected a JSON Schema object')
  return validatePlain(schema, value)
}

function compileStandard(schema: StandardSchema, use: Use): CompiledSchema {
  const shown = (converted: SchemaObject): SchemaObject => {
    // 2020-12 is what a schema without `$schema` means, and validators of older peers stumble over its name (C-22).
    const { $schema: _default, ...rest } = converted
    return use === 'input' ? withObjectRoot(rest) : rest
  }
  return {
    toJsonSchema: once(() => {
      const converted = convertStandard(schema, use)
      return converted instanceof Promise ? converted.then(shown) : shown(converted)
    }),
    validate: (value) => validateStandard(schema, value),
  }
}

function compilePlain(schema: SchemaObject, use: Use): CompiledSchema {
  let fill: ((value: unknown) => unknown) | undefined | null = null
  return {
    toJsonSchema: once(() => {
      const { dialect } = factsOf(schema)
      if (use === 'input' && schema['type'] !== 'object')
        throw invalid("an input schema must have type: 'object' at its root")
      return dialect === '7' && schema['$schema'] === undefined ? { $schema: DRAFT_07, ...schema } : schema
    }),
    validate: (value) => {
      if (fill === null) {
        factsOf(schema)
        fill = defaultsOf(schema)
      }
      return validatePlain(schema, fill === undefined ? value : fill(value))
    },
  }
}

/** A failed attempt is not remembered: a converter may be installed, or a connection to it restored. */
function once(make: () => SchemaObject | Promise<SchemaObject>): () => SchemaObject | Promise<SchemaObject> {
  let made: SchemaObject | Promise<SchemaObject> | undefined
  return () => {
    if (made !== undefined) return made
    made = make()
    if (made instanceof Promise)
      made.then(
        (schema) => {
          made = schema
        },
        () => {
          made = undefined
        },
      )
    return made
  }
}

function invalid(problem: string): ParleyError {
  return new ParleyError('tool_schema_invalid', { message: `Invalid schema: ${problem}` })
}
