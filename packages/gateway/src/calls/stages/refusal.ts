/** What a server, or the gateway in front of it, refuses by name: said by the name the client knows. */
import { ParleyError } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'

/** Before the name, where nothing more is to be said: the words of the specification, and so of many servers. */
const BARE: readonly string[] = ['Unknown tool: ', 'Unknown prompt: ']

/** Others that say a name. */
const NAMING: ReadonlySet<string> = new Set(['tool_not_found', 'tool_disabled', 'prompt_not_found'])

/** Whoever speaks of it says no more of a name than this. */
const LONGEST = 200

/** `own` is the name there. Anything that is not about a name is as it was. */
export function refusalOf(name: unknown, own: unknown, error: unknown): unknown {
  if (typeof name !== 'string' || typeof own !== 'string' || !(error instanceof ParleyError)) return error
  const { kind, receivedCode, message, data } = error
  const shown = name.slice(0, LONGEST)
  const bare = BARE.find((words) => message === `${words}${own.slice(0, LONGEST)}`)
  if (bare === undefined && !NAMING.has(kind)) return error
  // Other words are those of whoever refuses: they stay, and it is said before them what they are about.
  const said = bare === undefined ? `${shown}: ${message}` : `${bare}${shown}`
  return new ParleyError(kind, {
    message: said,
    // The gateway's own says of which kind it is.
    ...(receivedCode !== undefined && { code: receivedCode }),
    ...(data && { data: isObject(data) && 'name' in data ? { ...data, name: shown } : data }),
    cause: error,
  })
}
