/** The introduction of a server for the clients of the gateway: its own, with the capabilities of both eras. */
import { type Capabilities, declares } from 'parley-mcp'
import { declaresExtension, HANDLE_KEY, type Introduction, isObject, TASKS_EXTENSION } from 'parley-mcp/engine'

/** The placeholder until the server was reached. */
export const UNKNOWN: Introduction = { info: { name: 'unknown', version: '0' }, capabilities: {} }

/**
 * Returns the same object when nothing has changed. `byHandle`: whether a client can name its conversation by a handle.
 */
export function introductionFor(peer: Introduction, before: Introduction | undefined, byHandle = false): Introduction {
  const capabilities = withTasks(peer.capabilities)
  const made: Introduction = { ...peer, capabilities: byHandle ? withHandles(capabilities) : capabilities }
  return before !== undefined && JSON.stringify(before) === JSON.stringify(made) ? before : made
}

/** D-41: tasks are a capability in one era and an extension in the other. The gateway declares both. */
function withTasks(capabilities: Capabilities): Capabilities {
  const runs = declares(capabilities, 'tasks.requests.tools.call')
  const extends_ = declaresExtension(capabilities, TASKS_EXTENSION)
  if (runs === extends_) return capabilities
  const extensions = (capabilities as Record<string, unknown>)['extensions'] as Record<string, unknown> | undefined
  if (runs) return { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: {} } }
  return { ...capabilities, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
}

function withHandles(capabilities: Capabilities): Capabilities {
  const experimental = (capabilities as Record<string, unknown>)['experimental']
  return {
    ...capabilities,
    experimental: { ...(isObject(experimental) ? experimental : undefined), [HANDLE_KEY]: {} },
  } as Capabilities
}

/** The gateway passes on requests about tasks of its clients, so it declares tasks to the server. */
export function knowingTasks(capabilities: Capabilities): Capabilities {
  const { extensions } = capabilities as { readonly extensions?: Record<string, unknown> }
  return { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: {} } }
}
