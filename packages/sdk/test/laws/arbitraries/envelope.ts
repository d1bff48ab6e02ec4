/**
 * What frames a message of a version: `_meta` of requests and results, and the fields every 2026-07-28 result carries.
 */
import fc from 'fast-check'
import { isAtLeast, type ProtocolVersion } from '../../../src/versions/index.ts'
import { clientCapabilities, implementation } from './metadata.ts'
import { closed, type Fields, meta, type ObjectArb, open, relatedTask, V11, V26, withToken } from './shape.ts'
import { count, identifier, logLevel } from './values.ts'

const merged = (...parts: ObjectArb[]): ObjectArb =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Record<string, unknown>)

const statelessMeta = (version: ProtocolVersion): ObjectArb =>
  merged(
    withToken,
    closed(
      {
        'io.modelcontextprotocol/protocolVersion': fc.constant(version),
        'io.modelcontextprotocol/clientCapabilities': clientCapabilities(V26),
      },
      { 'io.modelcontextprotocol/clientInfo': implementation(V26), 'io.modelcontextprotocol/logLevel': logLevel },
    ),
  )

const requestMeta = (version: ProtocolVersion): ObjectArb => {
  if (isAtLeast(version, V26)) return statelessMeta(version)
  return version === V11
    ? fc.oneof({ weight: 3, arbitrary: withToken }, { weight: 1, arbitrary: merged(withToken, relatedTask) })
    : withToken
}

/** Parameters of a request that is a message of its own. */
export function params(version: ProtocolVersion, required: Fields, optional: Fields = {}): ObjectArb {
  const _meta = requestMeta(version)
  return isAtLeast(version, V26) ? open({ _meta, ...required }, optional) : open(required, { _meta, ...optional })
}

/** Parameters that may be left out in the handshake era. */
export function optionalParams(
  version: ProtocolVersion,
  optional: Fields = {},
): fc.Arbitrary<Record<string, unknown> | undefined> {
  const present = params(version, {}, optional)
  return isAtLeast(version, V26) ? present : fc.option(present, { nil: undefined, freq: 3 })
}

export const notificationParams = (version: ProtocolVersion, required: Fields, optional: Fields = {}): ObjectArb =>
  open(required, { _meta: isAtLeast(version, V26) ? listenMeta : meta, ...optional })

const listenMeta = fc.oneof(meta, merged(meta, closed({ 'io.modelcontextprotocol/subscriptionId': identifier })))

export function bareNotification(version: ProtocolVersion): fc.Arbitrary<Record<string, unknown> | undefined> {
  return fc.option(notificationParams(version, {}), { nil: undefined })
}

const resultMeta = (version: ProtocolVersion): ObjectArb =>
  isAtLeast(version, V26)
    ? fc.oneof(meta, merged(meta, closed({ 'io.modelcontextprotocol/serverInfo': implementation(V26) })))
    : meta

const complete = { resultType: fc.constant('complete') }
const hints = { ttlMs: count, cacheScope: fc.constantFrom('public', 'private') }

export function result(version: ProtocolVersion, required: Fields, optional: Fields = {}): ObjectArb {
  return open(isAtLeast(version, V26) ? { ...complete, ...required } : required, {
    _meta: resultMeta(version),
    ...optional,
  })
}

export function cacheableResult(version: ProtocolVersion, required: Fields, optional: Fields = {}): ObjectArb {
  return result(version, isAtLeast(version, V26) ? { ...hints, ...required } : required, optional)
}

/** Published releases accept nothing but `_meta` here, so neither do these. */
export const emptyResult = (version: ProtocolVersion): ObjectArb =>
  closed(isAtLeast(version, V26) ? complete : {}, { _meta: meta })

export const subscribedMeta: ObjectArb = merged(meta, closed({ 'io.modelcontextprotocol/subscriptionId': identifier }))
