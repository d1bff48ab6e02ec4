/** HTTP status of errors in the stateless era. Only errors of the endpoint itself have one; all others are answers (D-59, D-64). */
import { catalogue, type ErrorKind, type ParleyError } from '../../../errors/index.ts'

const WITH_STATUS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'parse_error',
  'invalid_request',
  'method_not_found',
  'capability_not_supported',
  'request_metadata_missing',
  'header_mismatch',
  'missing_client_capability',
  'unsupported_protocol_version',
  'too_many_requests',
  'rate_limited',
  'shutting_down',
])

export interface ErrorStatus {
  readonly status?: number
  readonly retryAfter?: number
}

const NONE: ErrorStatus = {}

/** Has its status also when it is found while the request is being answered. */
const MISSING_CAPABILITY: ErrorKind = 'missing_client_capability'

/** For the error of a request that the endpoint has accepted, in a version that has the method. */
export function statusOfAnswer(error: ParleyError): ErrorStatus {
  const isOwn = error.receivedCode === undefined && error.kind !== 'method_not_found'
  return isOwn || error.kind === MISSING_CAPABILITY ? statusFor(error) : NONE
}

/** For a request that the endpoint refuses. */
export function statusFor(error: ParleyError): ErrorStatus {
  if (!WITH_STATUS.has(error.kind)) return NONE
  const status = catalogue[error.kind].httpStatus
  const wait = error.data?.['retryAfterMs']
  // Rounded up: a client that comes back a moment too early is refused again.
  return typeof wait === 'number' && wait >= 0 && wait < LONGEST
    ? { status, retryAfter: Math.max(1, Math.ceil(wait / 1000)) }
    : { status }
}

/** A week, in milliseconds. A longer time is not a useful hint. */
const LONGEST = 604_800_000
