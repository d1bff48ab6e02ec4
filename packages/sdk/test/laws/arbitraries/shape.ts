/**
 * How an object of a version is described: required and optional fields, those of later versions left out, unknown ones
 * added.
 */
import fc from 'fast-check'
import { isAtLeast, type ProtocolVersion } from '../../../src/versions/index.ts'
import { type Arb, identifier, json, word } from './values.ts'

export const V24: ProtocolVersion = '2024-11-05'
export const V03: ProtocolVersion = '2025-03-26'
export const V06: ProtocolVersion = '2025-06-18'
export const V11: ProtocolVersion = '2025-11-25'
export const V26: ProtocolVersion = '2026-07-28'

export type Fields = Readonly<Record<string, Arb>>
export type ObjectArb = fc.Arbitrary<Record<string, unknown>>

/** The fields, if the version has them. */
export function since(version: ProtocolVersion, first: ProtocolVersion, fields: Fields): Fields {
  return isAtLeast(version, first) ? fields : {}
}

export function only(version: ProtocolVersion, the: ProtocolVersion, fields: Fields): Fields {
  return version === the ? fields : {}
}

/** A field no version knows. Its values are distinct, so that a test can follow each through a translation. */
export const UNKNOWN = 'x-unknown'
const unknownValue = fc.nat().map((serial) => `unknown ${serial}`)

/** Nothing but the fields. */
export function closed(required: Fields, optional: Fields = {}): ObjectArb {
  return fc.record({ ...required, ...optional } as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: Object.keys(required),
    noNullPrototype: true,
  })
}

/** The fields, and now and then an unknown one. */
export function open(required: Fields, optional: Fields = {}): ObjectArb {
  return fc
    .tuple(closed(required, optional), fc.option(unknownValue, { freq: 3, nil: undefined }))
    .map(([known, unknown]) => (unknown === undefined ? known : { ...known, [UNKNOWN]: unknown }))
}

const vendorKey = fc.constantFrom('com.example/key', 'vendor.dev/trace', 'plain', 'traceparent')

export const meta: ObjectArb = fc
  .tuple(fc.dictionary(vendorKey, json, { maxKeys: 2 }), fc.option(unknownValue, { freq: 2, nil: undefined }))
  .map(([known, unknown]) => (unknown === undefined ? known : { ...known, [UNKNOWN]: unknown }))

/** `_meta` of an object inside a message, which has it since 2025-06-18. */
export const innerMeta = (version: ProtocolVersion): Fields => since(version, V06, { _meta: meta })

export const withToken: ObjectArb = fc
  .tuple(meta, fc.option(identifier, { nil: undefined }))
  .map(([vendor, token]) => (token === undefined ? vendor : { ...vendor, progressToken: token }))

export const relatedTask: ObjectArb = word.map((taskId) => ({ 'io.modelcontextprotocol/related-task': { taskId } }))
