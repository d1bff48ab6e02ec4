/**
 * How the gateway introduces itself to a server on behalf of a client that shook hands: as that client, with the tasks
 * extension (D-40).
 */
import type { Capabilities } from 'parley-mcp'
import { type Body, type Introduction, isObject, TASKS_EXTENSION } from 'parley-mcp/engine'

/** A version ignores the capabilities that it does not have. */
export function identityFor({ info, capabilities }: Introduction): Introduction {
  const { extensions, elicitation } = capabilities as Record<string, Body | undefined>
  const named = isObject(elicitation) && { elicitation: withMode(elicitation) }
  return {
    info,
    capabilities: { ...capabilities, ...named, extensions: { ...extensions, [TASKS_EXTENSION]: {} } } as Capabilities,
  }
}

/** Elicitation without a mode means forms. */
function withMode(elicitation: Body): Body {
  return elicitation['form'] === undefined && elicitation['url'] === undefined
    ? { ...elicitation, form: {} }
    : elicitation
}
