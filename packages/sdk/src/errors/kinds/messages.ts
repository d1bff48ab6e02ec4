/** Errors of a message: it is not JSON-RPC, or it exceeds a limit. */
import { always, entry, INTERNAL, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from './entry.ts'

export const messageErrors = {
  // JSON-RPC itself
  parse_error: entry(always(-32700), 400, 'Parse error', 'abort', 'The frame is not JSON.', -32700),
  invalid_request: entry(
    INVALID_REQUEST,
    400,
    'Invalid request',
    'abort',
    'The JSON is not a JSON-RPC 2.0 message.',
    -32600,
  ),
  method_not_found: entry(
    METHOD_NOT_FOUND,
    404,
    'Method not found',
    'abort',
    'The method does not exist in the negotiated version.',
    -32601,
  ),
  invalid_params: entry(
    INVALID_PARAMS,
    400,
    'Invalid params',
    'abort',
    'The parameters do not fit the method.',
    -32602,
  ),
  internal_error: entry(
    INTERNAL,
    500,
    'Internal error',
    'abort',
    'A handler failed in a way that is not meant for the peer; details are in the local log only.',
    -32603,
  ),

  // Limits on messages
  message_too_large: entry(
    INVALID_REQUEST,
    413,
    'Message too large',
    'abort',
    'A message is longer than the byte limit.',
  ),
  message_too_deep: entry(
    INVALID_REQUEST,
    400,
    'Message nested too deeply',
    'abort',
    'A message is nested deeper than the depth limit.',
  ),
  batch_not_supported: entry(
    INVALID_REQUEST,
    400,
    'Batches are not part of this protocol version',
    'abort',
    'An array arrived where only 2025-03-26 allows one.',
  ),
  batch_invalid: entry(
    INVALID_REQUEST,
    400,
    'Invalid batch',
    'abort',
    'A batch is empty, too long, or contains initialize.',
  ),
  duplicate_request_id: entry(
    INVALID_REQUEST,
    400,
    'Request id already in use',
    'abort',
    'A request reuses the id of one that is still in flight.',
  ),
}
