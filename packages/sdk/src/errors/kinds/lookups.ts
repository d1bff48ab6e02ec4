/** Errors of a name, URI, id or cursor that does not exist. */
import { entry, INVALID_PARAMS, STATELESS, until } from './entry.ts'

export const lookupErrors = {
  resource_not_found: entry(
    until(-32002, STATELESS, -32602),
    400,
    'Resource not found',
    'abort',
    'resources/read of a URI that is not defined.',
    -32001,
  ),
  tool_not_found: entry(
    INVALID_PARAMS,
    400,
    'Unknown tool',
    'abort',
    'tools/call of a name that is not defined.',
    -32002,
  ),
  prompt_not_found: entry(
    INVALID_PARAMS,
    400,
    'Unknown prompt',
    'abort',
    'prompts/get of a name that is not defined.',
    -32003,
  ),
  task_not_found: entry(
    INVALID_PARAMS,
    400,
    'Unknown or expired task',
    'abort',
    'A task id that does not exist, has expired, or belongs to another caller.',
  ),
  invalid_cursor: entry(
    INVALID_PARAMS,
    400,
    'Invalid cursor',
    'abort',
    'A pagination cursor this server did not issue.',
  ),
  invalid_log_level: entry(
    INVALID_PARAMS,
    400,
    'Invalid log level',
    'abort',
    'A log level outside the eight of RFC 5424.',
  ),
  subscription_failed: entry(
    INVALID_PARAMS,
    400,
    'Subscription failed',
    'abort',
    'A resource that cannot be subscribed to, or too many subscriptions.',
    -32006,
  ),
  validation_failed: entry(
    INVALID_PARAMS,
    400,
    'Validation failed',
    'abort',
    'Arguments do not fit the declared schema.',
    -32007,
  ),
}
