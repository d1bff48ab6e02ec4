/**
 * Who the gateway says it is when it speaks for a client that shook hands: that client, and able to follow tasks (D-40,
 * 8.4).
 */
import type { Capabilities } from 'parley-mcp'
import { type Body, type Introduction, isObject, TASKS_EXTENSION } from 'parley-mcp/engine'

/** Each era takes from it what it has a word for. */
export function identityFor({ info, capabilities }: Introduction): Introduction {
  const { extensions, elicitation } = capabilities as Record<string, Body | undefined>
  const named = isObject(elicitation) && { elicitation: withMode(elicitation) }
  return {
    info,
    capabilities: { ...capabilities, ...named, extensions: { ...extensions, [TASKS_EXTENSION]: {} } } as Capabilities,
  }
}

/** 8.1: declared without any mode, it means forms. */
function withMode(elicitation: Body): Body {
  return elicitation['form'] === undefined && elicitation['url'] === undefined
    ? { ...elicitation, form: {} }
    : elicitation
}
