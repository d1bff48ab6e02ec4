/** The outcome of a request or a question, read from its answer. Receipts hold no contents. */
import { type ErrorKind, fromWire } from 'parley-mcp'
import { answerIn, type Body, isObject } from 'parley-mcp/engine'
import { digestOf, type Exchange } from './receipt.ts'

export type End = Pick<Exchange, 'outcome' | 'result' | 'code' | 'error' | 'action'>

/** Errors of requests that were refused before any work on them. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'parse_error',
  'invalid_request',
  'method_not_found',
  'message_too_large',
  'message_too_deep',
  'batch_not_supported',
  'batch_invalid',
  'duplicate_request_id',
  'not_initialized',
  'already_initialized',
  'session_closed',
  'session_lost',
  'shutting_down',
  'unsupported_protocol_version',
  'unauthorized',
  'forbidden',
  'too_many_requests',
  'rate_limited',
  'capability_not_supported',
  'missing_client_capability',
  'header_mismatch',
  'request_metadata_missing',
  'request_state_invalid',
  'tool_disabled',
  'tool_not_allowed',
  'too_many_tools',
  'version_gap',
])

/** The outcome of one answer. */
export interface Answered {
  readonly end: End
  /** The result, where it has questions in it. */
  readonly asking?: Body
}

export function answeredWith(frame: string): Answered {
  const json = answerIn(frame)?.json
  if (json !== undefined) return resultEnd(json)
  const { result, error } = JSON.parse(frame) as Body
  return error === undefined ? resultEnd(JSON.stringify(result)) : { end: errorEnd(error) }
}

/** The outcome of one answer in a batch. */
export function memberEnd({ result, error }: Body): Answered {
  return error === undefined ? resultEnd(JSON.stringify(result)) : { end: errorEnd(error) }
}

/** The outcome of a question. */
export function responseEnd(response: unknown): End {
  const action = isObject(response) ? response['action'] : undefined
  const decided = action === 'accept' || action === 'decline' || action === 'cancel' ? { action } : {}
  return { outcome: 'ok', result: digestOf(JSON.stringify(response)), ...decided }
}

export function errorEnd(error: unknown): End {
  const { code, message } = isObject(error) ? error : {}
  if (typeof code !== 'number' || typeof message !== 'string') return { outcome: 'error' }
  const { kind } = fromWire(error as never)
  return { outcome: REFUSALS.has(kind) || kind.startsWith('refusal_') ? 'refused' : 'error', code, error: kind }
}

/** Most results contain none of these texts, and need no parsing. */
const TELLING = /"isError"|input_required|\\u/

function resultEnd(json: string): Answered {
  const result = digestOf(json)
  const read: unknown = TELLING.test(json) ? JSON.parse(json) : undefined
  if (!isObject(read)) return { end: { outcome: 'ok', result } }
  if (read['resultType'] === 'input_required') return { end: { outcome: 'input_required', result }, asking: read }
  return { end: { outcome: read['isError'] === true ? 'tool_error' : 'ok', result } }
}
