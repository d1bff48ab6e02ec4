/**
 * Schemas of the Standard Schema family: they validate themselves; their JSON Schema comes from the library or from its
 * converter.
 */
import { ParleyError } from '../errors/index.ts'
import type { SchemaObject } from './infer.ts'
import { failure, type Issue, MAX_ISSUES, type Validated } from './issue.ts'

export type Use = 'input' | 'output'

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

type ConvertSchema = (options: { readonly target: string }) => SchemaObject

export interface StandardSchema {
  readonly '~standard': {
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
    readonly jsonSchema?: Readonly<Record<Use, ConvertSchema>>
  }
}

export function isStandard(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || !('~standard' in schema))
    return false
  const properties = schema['~standard']
  return (
    typeof properties === 'object' &&
    properties !== null &&
    typeof (properties as { validate?: unknown }).validate === 'function'
  )
}

export function validateStandard(schema: StandardSchema, value: unknown): Validated | Promise<Validated> {
  try {
    const result = schema['~standard'].validate(value)
    return 'then' in result ? result.then(validatedOf, tooDeep) : validatedOf(result)
  } catch (error) {
    return tooDeep(error)
  }
}

function validatedOf(result: StandardResult): Validated {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, issues: result.issues.slice(0, MAX_ISSUES).map(issueOf) }
}

/** Values that contain themselves end here; any other failure is the author's own. */
function tooDeep(error: unknown): Validated {
  if (error instanceof RangeError) return failure('is nested too deeply or contains itself')
  throw error
}

function issueOf(issue: StandardIssue): Issue {
  // Array.from, since arktype's paths are of a class of their own and `map` would keep it.
  const path = Array.from(issue.path ?? [], (segment) => {
    const key = typeof segment === 'object' ? segment.key : segment
    return typeof key === 'symbol' ? String(key) : key
  })
  return { path, message: withoutPath(issue.message, path) }
}

/** arktype begins its messages with the path, which is shown anyway. */
function withoutPath(message: string, path: readonly (string | number)[]): string {
  const prefix = `${path.join('.')} `
  return path.length > 0 && message.startsWith(prefix) ? message.slice(prefix.length) : message
}

const TARGET = 'draft-2020-12'

export function convertStandard(schema: StandardSchema, use: Use): SchemaObject | Promise<SchemaObject> {
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema !== undefined) return explained(vendor, () => jsonSchema[use]({ target: TARGET }))
  const converter = converters[vendor]
  if (converter === undefined)
    throw cannot(
      vendor,
      'it offers no JSON Schema conversion; pass a plain JSON Schema, or use zod, valibot or arktype',
    )
  return converter(schema, use)
}

type Converter = (schema: StandardSchema, use: Use) => Promise<SchemaObject>

const converters: Readonly<Record<string, Converter | undefined>> = {
  async valibot(schema, use) {
    const { toJsonSchema } = await optional(
      'valibot',
      '@valibot/to-json-schema',
      () => import('@valibot/to-json-schema'),
    )
    return explained('valibot', () => ({ ...toJsonSchema(schema as never, { target: TARGET, typeMode: use }) }))
  },
  async zod(schema, use) {
    if (!('_zod' in schema)) throw cannot('zod', 'zod 3 has no JSON Schema conversion; use zod 4.2 or later')
    const { toJSONSchema } = await optional('zod', 'zod', () => import('zod/v4/core'))
    return explained('zod', () => ({ ...toJSONSchema(schema as never, { target: TARGET, io: use }) }))
  },
}

async function optional<T>(vendor: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw cannot(vendor, `install ${name}`, cause)
  }
}

function explained(vendor: string, convert: () => SchemaObject): SchemaObject {
  try {
    return convert()
  } catch (cause) {
    throw cannot(vendor, cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause), cause)
  }
}

function cannot(vendor: string, reason: string, cause?: unknown): ParleyError {
  return new ParleyError('tool_schema_invalid', {
    message: `This ${vendor} schema has no JSON Schema form: ${reason}`,
    cause,
  })
}
