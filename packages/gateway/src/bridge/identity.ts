/** Who the gateway says it is when it speaks for a client that shook hands: that client, and able to follow tasks (D-40, 8.4). */
import type { Capabilities } from 'parley-mcp'
import { type Introduction, TASKS_EXTENSION } from 'parley-mcp/engine'

/** Each era takes from it what it has a word for. */
export function identityFor({ info, capabilities }: Introduction): Introduction {
  const extensions = (capabilities as Record<string, unknown>)['extensions'] as Record<string, unknown> | undefined
  return { info, capabilities: { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: {} } } as Capabilities }
}
