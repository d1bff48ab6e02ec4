/** The schemas of tools, as clients of a version can read them. */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { supports } from '../methods.ts'
import { without } from '../steps/without.ts'
import type { ProtocolVersion } from '../version.ts'
import { type Note, quoted } from './members.ts'

/** What arguments are read by: always an object. `undefined` when the tool asks for something else. */
export function inputSchema(schema: unknown, version: ProtocolVersion, note: Note): Body | undefined {
  if (schema === undefined || schema === null) {
    note('has no "inputSchema"')
    return { type: 'object' }
  }
  if (!isObject(schema)) return refuse(note, 'has an "inputSchema" that is no object')
  const typed = ofObjects(schema, note, 'inputSchema')
  if (typed === undefined)
    return refuse(note, `has an "inputSchema" with "type": ${shown(schema['type'])} instead of "object"`)
  return mended(typed, version, note, 'inputSchema')
}

/** `undefined` when clients are better off without it: results are the same. */
export function outputSchema(schema: unknown, version: ProtocolVersion, note: Note): Body | undefined {
  if (!isObject(schema)) return refuse(note, 'has an "outputSchema" that is no object')
  if (supports(version, 'structured-values')) return withDialectAsText(schema, note, 'outputSchema')
  const typed = ofObjects(schema, note, 'outputSchema')
  if (typed !== undefined) return withoutFurther(mended(typed, version, note, 'outputSchema'), version, note)
  return refuse(note, `has an "outputSchema" with "type": ${shown(schema['type'])} instead of "object"`)
}

function refuse(note: Note, problem: string): undefined {
  note(problem)
}

function ofObjects(schema: Body, note: Note, path: string): Body | undefined {
  const { type } = schema
  if (type === 'object') return schema
  if (type === undefined || type === null) note(`has an ${quoted(path)} without "type": "object"`)
  else if (Array.isArray(type) && type.includes('object')) note(`has an ${quoted(path)} with several types`)
  else return undefined
  return { ...schema, type: 'object' }
}

function mended(schema: Body, version: ProtocolVersion, note: Note, path: string): Body {
  return withNames(withProperties(withDialectAsText(schema, note, path), version, note, path), note, path)
}

function withDialectAsText(schema: Body, note: Note, path: string): Body {
  if (schema['$schema'] === undefined || typeof schema['$schema'] === 'string') return schema
  note(`has an ${quoted(path)} with a "$schema" that is no text`)
  return without(schema, '$schema')
}

/** C-34: some take no schema there. */
function withoutFurther(schema: Body, version: ProtocolVersion, note: Note): Body {
  const { additionalProperties } = schema
  if (
    additionalProperties === undefined ||
    typeof additionalProperties === 'boolean' ||
    supports(version, 'further-output-schemas')
  )
    return schema
  note('has an "outputSchema" with "additionalProperties" that are neither true nor false')
  return without(schema, 'additionalProperties')
}

/** D-45: older versions demand an object for each property, which can say the same as `true` and `false`. */
function withProperties(schema: Body, version: ProtocolVersion, note: Note, path: string): Body {
  const { properties } = schema
  if (properties === undefined) return schema
  if (!isObject(properties)) {
    note(`has an ${quoted(path)} with "properties" that are no object`)
    return without(schema, 'properties')
  }
  const takesBooleans = supports(version, 'structured-values')
  let copy: Body | undefined
  for (const name in properties) {
    const property = properties[name]
    if (isObject(property) || (takesBooleans && typeof property === 'boolean')) continue
    note(
      `has an ${quoted(path)} whose property ${quoted(name)} is no ${typeof property === 'boolean' ? 'object' : 'schema'}`,
    )
    copy ??= { ...properties }
    copy[name] = property === false ? { not: {} } : {}
  }
  return copy === undefined ? schema : { ...schema, properties: copy }
}

function withNames(schema: Body, note: Note, path: string): Body {
  const { required } = schema
  if (required === undefined) return schema
  const names: unknown[] = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  if (Array.isArray(required) && names.length === required.length) return schema
  note(`has an ${quoted(path)} with a "required" that is no list of names`)
  return names.length === 0 ? without(schema, 'required') : { ...schema, required: names }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 60)
}
