/**
 * Which errors of the stateless era are also told by the HTTP status: those of the endpoint itself. All others are
 * answers (D-59, D-64).
 */
import { catalogue, type ErrorKind, type ParleyError } from '../../../errors/index.ts'

const TOLD: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
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

export interface ToldStatus {
  readonly status?: number
  readonly retryAfter?: number
}

const NONE: ToldStatus = {}

/** What the request needs is found out while it is worked on, and has its status all the same. */
const DEMANDED: ErrorKind = 'missing_client_capability'

/** For an error with which a request ends that the endpoint has taken, in a version that has the method. */
export function statusOfAnswer(error: ParleyError): ToldStatus {
  const isOwn = error.receivedCode === undefined && error.kind !== 'method_not_found'
  return isOwn || error.kind === DEMANDED ? statusFor(error) : NONE
}

/** For what the endpoint refuses. */
export function statusFor(error: ParleyError): ToldStatus {
  if (!TOLD.has(error.kind)) return NONE
  const status = catalogue[error.kind].httpStatus
  const wait = error.data?.['retryAfterMs']
  // Never sooner than it was said: whoever comes a moment too early comes in vain.
  return typeof wait === 'number' && wait >= 0 && wait < LONGEST
    ? { status, retryAfter: Math.max(1, Math.ceil(wait / 1000)) }
    : { status }
}

/** A week, in milliseconds: whoever says more has not said when. */
const LONGEST = 604_800_000
