/** Errors of a tool call. */
import { entry, INTERNAL, INVALID_PARAMS } from './entry.ts'

export const toolErrors = {
  tool_execution_failed: entry(INTERNAL, 500, 'Tool execution failed', 'abort', 'A tool could not be run.', -32031),
  tool_timeout: entry(INTERNAL, 504, 'Tool execution timed out', 'retry', 'A tool took longer than allowed.', -32032),
  tool_cancelled: entry(INTERNAL, 499, 'Tool execution cancelled', 'ignore', 'A tool was cancelled.', -32033),
  tool_arguments_invalid: entry(
    INVALID_PARAMS,
    400,
    'Invalid tool arguments',
    'abort',
    'Tool arguments do not match the input schema.',
    -32034,
  ),
  tool_disabled: entry(
    INVALID_PARAMS,
    403,
    'Tool is disabled',
    'abort',
    'The tool exists but is switched off.',
    -32035,
  ),
  result_too_large: entry(
    INTERNAL,
    500,
    'Result too large',
    'abort',
    'What a server answers is longer than the byte limit.',
    -32036,
  ),
  tool_not_allowed: entry(
    INVALID_PARAMS,
    403,
    'Tool not allowed',
    'abort',
    'The tool may not be used in this context.',
    -32037,
  ),
  too_many_tools: entry(
    INTERNAL,
    429,
    'Maximum concurrent tools exceeded',
    'retry',
    'Too many tool calls run at once.',
    -32038,
  ),
  tool_dependency_failed: entry(
    INTERNAL,
    502,
    'Tool dependency failed',
    'retry',
    'Something the tool relies on failed.',
    -32039,
  ),
  tool_schema_invalid: entry(
    INTERNAL,
    500,
    'Tool schema invalid',
    'abort',
    'A tool definition has a schema that cannot be compiled.',
    -32040,
  ),
}
