/** Errors of a request: its time, its rate, its headers, and the capabilities that it needs. */
import { entry, INTERNAL, INVALID_PARAMS, METHOD_NOT_FOUND, STATELESS, until } from './entry.ts'

export const requestErrors = {
  // Requests
  request_timeout: entry(
    INTERNAL,
    504,
    'Request timed out',
    'retry',
    'No answer came before the time-out, or progress went on past the hard maximum.',
    -32009,
  ),
  request_cancelled: entry(INTERNAL, 499, 'Request cancelled', 'ignore', 'The caller cancelled the request.'),
  too_many_requests: entry(
    INTERNAL,
    429,
    'Too many requests in flight',
    'retry',
    'The limit of pending requests of the session was reached.',
    -32010,
  ),
  rate_limited: entry(
    INTERNAL,
    429,
    'Rate limit exceeded',
    'retry',
    'The peer sent more than it is allowed to.',
    -32010,
  ),
  request_ids_exhausted: entry(
    INTERNAL,
    500,
    'Request ids exhausted',
    'reconnect',
    'The session has used up its request ids and must be renewed.',
  ),
  invalid_answer: entry(
    INTERNAL,
    502,
    'Invalid answer from peer',
    'abort',
    'The peer answered with something that is not a result of the method.',
  ),

  // Capabilities and headers
  capability_not_supported: entry(
    METHOD_NOT_FOUND,
    404,
    'Capability not supported',
    'abort',
    'The method belongs to a capability the receiver did not declare.',
    -32004,
  ),
  missing_client_capability: entry(
    until(-32601, STATELESS, -32021),
    400,
    'Missing required client capability',
    'abort',
    'The request can only be served to a client that declares more capabilities.',
    -32004,
  ),
  header_mismatch: entry(
    until(-32600, STATELESS, -32020),
    400,
    'Header mismatch',
    'abort',
    'A required request header is missing or differs from the body.',
  ),
  request_metadata_missing: entry(
    INVALID_PARAMS,
    400,
    'Request metadata missing',
    'abort',
    'A request of 2026-07-28 does not say its version or the capabilities of its client in `_meta`.',
  ),
  request_state_invalid: entry(
    INVALID_PARAMS,
    400,
    'Invalid requestState',
    'abort',
    'A repeated request carries a state that is forged, expired, already used, or belongs to another request or another caller.',
  ),
}
