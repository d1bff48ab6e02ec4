/** Every error Parley can raise or relay, as data: the only place where an error code is written down. */

export type Advice = 'retry' | 'reconnect' | 'abort' | 'ignore'

export interface ErrorEntry {
  /** Wire codes, oldest first: the last one whose `since` is not after the peer's version applies. */
  readonly codes: readonly { readonly since: string; readonly code: number }[]
  readonly httpStatus: number
  readonly message: string
  readonly recoverable: boolean
  readonly advice: Advice
  /** The code this kind has in the `erlmcp` dialect; it never travels in specification traffic. */
  readonly erlmcpCode?: number
  /** When it happens, one sentence for the documentation. */
  readonly when: string
}

const always = (code: number): ErrorEntry['codes'] => [{ since: '', code }]
const until = (code: number, version: string, later: number): ErrorEntry['codes'] => [
  { since: '', code },
  { since: version, code: later },
]
const STATELESS = '2026-07-28'

const INVALID_REQUEST = always(-32600)
const METHOD_NOT_FOUND = always(-32601)
const INVALID_PARAMS = always(-32602)
const INTERNAL = always(-32603)

function entry(codes: ErrorEntry['codes'], httpStatus: number, message: string, advice: Advice, when: string, erlmcpCode?: number): ErrorEntry {
  const recoverable = advice === 'retry' || advice === 'reconnect'
  return { codes, httpStatus, message, recoverable, advice, when, ...(erlmcpCode === undefined ? {} : { erlmcpCode }) }
}

export const catalogue = {
  // JSON-RPC itself
  parse_error: entry(always(-32700), 400, 'Parse error', 'abort', 'The frame is not JSON.', -32700),
  invalid_request: entry(INVALID_REQUEST, 400, 'Invalid request', 'abort', 'The JSON is not a JSON-RPC 2.0 message.', -32600),
  method_not_found: entry(METHOD_NOT_FOUND, 404, 'Method not found', 'abort', 'The method does not exist in the negotiated version.', -32601),
  invalid_params: entry(INVALID_PARAMS, 400, 'Invalid params', 'abort', 'The parameters do not fit the method.', -32602),
  internal_error: entry(
    INTERNAL,
    500,
    'Internal error',
    'abort',
    'A handler failed in a way that is not meant for the peer; details are in the local log only.',
    -32603,
  ),

  // Limits on messages
  message_too_large: entry(INVALID_REQUEST, 413, 'Message too large', 'abort', 'A message is longer than the byte limit.'),
  message_too_deep: entry(INVALID_REQUEST, 400, 'Message nested too deeply', 'abort', 'A message is nested deeper than the depth limit.'),
  batch_not_supported: entry(
    INVALID_REQUEST,
    400,
    'Batches are not part of this protocol version',
    'abort',
    'An array arrived where only 2025-03-26 allows one.',
  ),
  batch_invalid: entry(INVALID_REQUEST, 400, 'Invalid batch', 'abort', 'A batch is empty, too long, or contains initialize.'),
  duplicate_request_id: entry(INVALID_REQUEST, 400, 'Request id already in use', 'abort', 'A request reuses the id of one that is still in flight.'),

  // Life of a session
  not_initialized: entry(INVALID_REQUEST, 400, 'Not initialized', 'reconnect', 'A request arrived before initialize was completed.', -32005),
  already_initialized: entry(INVALID_REQUEST, 400, 'Already initialized', 'ignore', 'A second initialize arrived in one session.', -32005),
  session_closed: entry(INVALID_REQUEST, 404, 'Session closed', 'reconnect', 'A request was made after the session had ended.'),
  session_lost: entry(INVALID_REQUEST, 404, 'Session lost', 'reconnect', 'The server no longer knows the session; a new one has to be opened.'),
  shutting_down: entry(INVALID_REQUEST, 503, 'Shutting down', 'reconnect', 'A request arrived while the session was draining.'),
  unsupported_protocol_version: entry(
    until(-32602, STATELESS, -32022),
    400,
    'Unsupported protocol version',
    'abort',
    'No version is common to both sides, or the version string is malformed.',
  ),
  initialization_timeout: entry(INTERNAL, 504, 'Initialization timed out', 'reconnect', 'The handshake did not complete in time.'),
  connection_closed: entry(INTERNAL, 502, 'Connection closed', 'reconnect', 'The link ended while a request was waiting for its answer.'),
  peer_unresponsive: entry(INTERNAL, 504, 'Peer is not answering', 'reconnect', 'A keep-alive ping was not answered in time.'),
  transport_error: entry(INTERNAL, 502, 'Transport error', 'reconnect', 'The link failed to carry a message.', -32008),
  unauthorized: entry(INTERNAL, 401, 'Authorization required', 'abort', 'The server demands credentials, or does not take those it was given.'),
  forbidden: entry(INTERNAL, 403, 'Forbidden', 'abort', 'The credentials, or the place a request came from, do not permit it.'),

  // Requests
  request_timeout: entry(INTERNAL, 504, 'Request timed out', 'retry', 'No answer came before the time-out, or progress went on past the hard maximum.', -32009),
  request_cancelled: entry(INTERNAL, 499, 'Request cancelled', 'ignore', 'The caller cancelled the request.'),
  too_many_requests: entry(INTERNAL, 429, 'Too many requests in flight', 'retry', 'The limit of pending requests of the session was reached.', -32010),
  rate_limited: entry(INTERNAL, 429, 'Rate limit exceeded', 'retry', 'The peer sent more than it is allowed to.', -32010),
  request_ids_exhausted: entry(INTERNAL, 500, 'Request ids exhausted', 'reconnect', 'The session has used up its request ids and must be renewed.'),
  invalid_answer: entry(INTERNAL, 502, 'Invalid answer from peer', 'abort', 'The peer answered with something that is not a result of the method.'),

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
  header_mismatch: entry(until(-32600, STATELESS, -32020), 400, 'Header mismatch', 'abort', 'A required request header is missing or differs from the body.'),
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
    'A repeated request carries a state that is forged, expired, already used, or belongs to another request or somebody else.',
  ),

  // Things that are looked up
  resource_not_found: entry(until(-32002, STATELESS, -32602), 400, 'Resource not found', 'abort', 'resources/read of a URI nobody defines.', -32001),
  tool_not_found: entry(INVALID_PARAMS, 400, 'Unknown tool', 'abort', 'tools/call of a name nobody defines.', -32002),
  prompt_not_found: entry(INVALID_PARAMS, 400, 'Unknown prompt', 'abort', 'prompts/get of a name nobody defines.', -32003),
  task_not_found: entry(INVALID_PARAMS, 400, 'Unknown or expired task', 'abort', 'A task id that does not exist, has expired, or belongs to somebody else.'),
  invalid_cursor: entry(INVALID_PARAMS, 400, 'Invalid cursor', 'abort', 'A pagination cursor this server did not issue.'),
  invalid_log_level: entry(INVALID_PARAMS, 400, 'Invalid log level', 'abort', 'A log level outside the eight of RFC 5424.'),
  subscription_failed: entry(
    INVALID_PARAMS,
    400,
    'Subscription failed',
    'abort',
    'A resource that cannot be subscribed to, or too many subscriptions.',
    -32006,
  ),
  validation_failed: entry(INVALID_PARAMS, 400, 'Validation failed', 'abort', 'Arguments do not fit the declared schema.', -32007),

  // Tools
  tool_execution_failed: entry(INTERNAL, 500, 'Tool execution failed', 'abort', 'A tool could not be run.', -32031),
  tool_timeout: entry(INTERNAL, 504, 'Tool execution timed out', 'retry', 'A tool took longer than allowed.', -32032),
  tool_cancelled: entry(INTERNAL, 499, 'Tool execution cancelled', 'ignore', 'A tool was cancelled.', -32033),
  tool_arguments_invalid: entry(INVALID_PARAMS, 400, 'Invalid tool arguments', 'abort', 'Tool arguments do not match the input schema.', -32034),
  tool_disabled: entry(INVALID_PARAMS, 403, 'Tool is disabled', 'abort', 'The tool exists but is switched off.', -32035),
  result_too_large: entry(INTERNAL, 500, 'Result too large', 'abort', 'What a server answers is longer than the byte limit.', -32036),
  tool_not_allowed: entry(INVALID_PARAMS, 403, 'Tool not allowed', 'abort', 'The tool may not be used in this context.', -32037),
  too_many_tools: entry(INTERNAL, 429, 'Maximum concurrent tools exceeded', 'retry', 'Too many tool calls run at once.', -32038),
  tool_dependency_failed: entry(INTERNAL, 502, 'Tool dependency failed', 'retry', 'Something the tool relies on failed.', -32039),
  tool_schema_invalid: entry(INTERNAL, 500, 'Tool schema invalid', 'abort', 'A tool definition has a schema that cannot be compiled.', -32040),

  // The user and the model
  url_elicitation_required: entry(
    until(-32042, STATELESS, -32603),
    400,
    'URL elicitation required',
    'retry',
    'The user must visit a URL before the request can be served.',
  ),
  user_rejected: entry(always(-1), 403, 'User rejected sampling request', 'abort', 'The user refused a sampling request.'),

  // Translation between versions
  translation_failed: entry(INTERNAL, 502, 'Translation failed', 'abort', 'A message has no form in the version of the other side.'),
  missing_required_field: entry(INTERNAL, 502, 'Missing required field', 'abort', 'A field the other version requires is missing and cannot be made up.'),
  version_gap: entry(
    INVALID_PARAMS,
    400,
    'Not supported by the protocol version of the other side',
    'abort',
    'A request uses something the version of its receiver does not have.',
  ),

  // Refusals
  refusal_content_policy: entry(INTERNAL, 403, 'Content violates policy', 'abort', 'The request was refused by a content policy.', 1001),
  refusal_safety: entry(INTERNAL, 403, 'Violates safety guidelines', 'abort', 'The request was refused for safety.', 1002),
  refusal_rate_limited: entry(INTERNAL, 429, 'Rate limit exceeded', 'retry', 'The request was refused because of its rate.', 1003),
  refusal_resource_constraints: entry(INTERNAL, 503, 'Resource constraints', 'retry', 'The request was refused for lack of resources.', 1004),
  refusal_permission_denied: entry(INTERNAL, 403, 'Permission denied', 'abort', 'The request was refused for lack of permission.', 1005),
  refusal_invalid_input: entry(INVALID_PARAMS, 400, 'Invalid input', 'abort', 'The request was refused because of its input.', 1006),
  refusal_unsupported_operation: entry(METHOD_NOT_FOUND, 404, 'Unsupported operation', 'abort', 'The operation is not offered.', 1007),
  refusal_unavailable: entry(INTERNAL, 503, 'Temporarily unavailable', 'retry', 'The service is temporarily unavailable.', 1008),
  refusal_dependency_failed: entry(INTERNAL, 502, 'Dependency failed', 'retry', 'A dependency of the service failed.', 1009),
  refusal_custom: entry(INTERNAL, 403, 'Refused', 'abort', 'The request was refused for a reason given in the message.', 1010),
} satisfies Record<string, ErrorEntry>

export type ErrorKind = keyof typeof catalogue

export const errorKinds: readonly ErrorKind[] = Object.keys(catalogue) as ErrorKind[]

export function isErrorKind(value: unknown): value is ErrorKind {
  return typeof value === 'string' && Object.hasOwn(catalogue, value)
}

/** The code of a kind toward a peer of the given version; without a version, the oldest one. */
export function codeOf(kind: ErrorKind, version = ''): number {
  const codes: ErrorEntry['codes'] = catalogue[kind].codes
  let code = (codes[0] as { code: number }).code
  for (const candidate of codes) if (candidate.since <= version) code = candidate.code
  return code
}

const SPECIFIED_BY_STATELESS: ReadonlySet<number> = new Set([-32020, -32021, -32022])

/** False for codes a version forbids to send: 2026-07-28 keeps -32020 to -32099 for itself and retired -32002. */
export function mayEmit(code: number, version = ''): boolean {
  if (version < STATELESS) return true
  if (code === -32002) return false
  return code > -32020 || code < -32099 || SPECIFIED_BY_STATELESS.has(code)
}
