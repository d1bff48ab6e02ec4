/** Puts the name that the client knows into an error about a tool or a prompt. */
import { ParleyError } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'

/** The messages of the specification, which many servers use. The name follows. */
const NAME_PREFIXES: readonly string[] = ['Unknown tool: ', 'Unknown prompt: ']

/** Other errors about a name. */
const NAME_ERRORS: ReadonlySet<string> = new Set(['tool_not_found', 'tool_disabled', 'prompt_not_found'])

/** How much of a name an error message contains. */
const MAX_NAME_LENGTH = 200

/** `own`: the name at the server. Returns other errors unchanged. */
export function refusalOf(name: unknown, own: unknown, error: unknown): unknown {
  if (typeof name !== 'string' || typeof own !== 'string' || !(error instanceof ParleyError)) return error
  const { kind, receivedCode, message, data } = error
  const shown = name.slice(0, MAX_NAME_LENGTH)
  const prefix = NAME_PREFIXES.find((text) => message === `${text}${own.slice(0, MAX_NAME_LENGTH)}`)
  if (prefix === undefined && !NAME_ERRORS.has(kind)) return error
  const renamed = prefix === undefined ? `${shown}: ${message}` : `${prefix}${shown}`
  return new ParleyError(kind, {
    message: renamed,
    // An error of the gateway itself gets its code from its kind.
    ...(receivedCode !== undefined && { code: receivedCode }),
    ...(data && { data: isObject(data) && 'name' in data ? { ...data, name: shown } : data }),
    cause: error,
  })
}
