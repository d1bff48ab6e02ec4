/** Which errors of the stateless era are also told by the HTTP status; all others are answers like any other (D-59, D-64). */
import { catalogue, type ErrorKind, type ParleyError } from '../../errors/index.ts'

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
  'shutting_down',
])

export function statusFor(error: ParleyError): number | undefined {
  return TOLD.has(error.kind) ? catalogue[error.kind].httpStatus : undefined
}
