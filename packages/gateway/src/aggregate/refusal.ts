/** What a server, or the gateway in front of it, refuses by name: said by the name the client knows. */
import { ParleyError } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'

/** How these kinds begin where nothing more is to be said than the name. */
const BARE: ReadonlyMap<string, string> = new Map([
  ['tool_not_found', 'Unknown tool: '],
  ['prompt_not_found', 'Unknown prompt: '],
  ['tool_disabled', 'Tool is disabled: '],
])

/** Whoever speaks of it says no more of a name than this. */
const LONGEST = 200

/** `own` is the name there. Anything that is not about a name is as it was. */
export function refusalOf(name: unknown, own: unknown, error: unknown): unknown {
  if (typeof name !== 'string' || typeof own !== 'string' || !(error instanceof ParleyError)) return error
  const { kind, code, message, data } = error
  const bare = BARE.get(kind)
  if (bare === undefined || !isObject(data) || typeof data['name'] !== 'string') return error
  const shown = name.slice(0, LONGEST)
  // Other words are those of whoever refuses: they stay, and it is said before them what they are about.
  const said = message === `${bare}${own.slice(0, LONGEST)}` ? `${bare}${shown}` : `${shown}: ${message}`
  return new ParleyError(kind, { code, message: said, data: { ...data, name: shown }, cause: error })
}
