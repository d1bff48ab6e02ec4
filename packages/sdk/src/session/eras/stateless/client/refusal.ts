/** Errors of a stateless server that this side may be able to repair (D-59). */
import type { WireError } from '../../../../errors/index.ts'
import { isObject } from '../../../../jsonrpc/index.ts'

export const HEADER_MISMATCH = -32020
export const MISSING_CAPABILITY = -32021
export const UNSUPPORTED_VERSION = -32022
/** The same before the numbers were settled. */
const UNSUPPORTED_VERSION_DRAFT = -32004

/** The versions a server names when it refuses one; undefined for any other error. */
export function namedVersions(code: number | undefined, data: unknown): readonly unknown[] | undefined {
  if (code !== UNSUPPORTED_VERSION && code !== UNSUPPORTED_VERSION_DRAFT) return undefined
  const supported = isObject(data) ? data['supported'] : undefined
  return Array.isArray(supported) ? supported : undefined
}

/**
 * `version`: it does not speak ours any more. `moment`: it does, but did not take this request. `headers`: they do not
 * fit the body.
 */
export function refusedBy({ code, data }: WireError, version: string): 'version' | 'moment' | 'headers' | undefined {
  if (code === HEADER_MISMATCH) return 'headers'
  const named = namedVersions(code, data)
  if (named !== undefined) return named.includes(version) ? 'moment' : 'version'
  return code === UNSUPPORTED_VERSION ? 'version' : undefined
}
