/** D-47: 2025-11-25 tells with each tool whether its calls may run as tasks; since 2026-07-28 that is the server's own decision, call by call. */
import type { Tool } from 'parley-mcp'
import { type Body, declaresExtension, TASKS_EXTENSION } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'

/** Whether calls of its tools may run as tasks though its lists do not say so. */
export function decidesOnTasks({ era, introduction }: Upstream): boolean {
  return era === 'stateless' && declaresExtension(introduction?.capabilities ?? {}, TASKS_EXTENSION)
}

/** For clients that shook hands: the gateway can run any call as a task. */
export function withExecution(tool: Tool): Tool {
  return tool.execution === undefined ? { ...tool, execution: { taskSupport: 'optional' } } : tool
}

export function withoutExecution(tool: Tool): Tool {
  if (tool.execution === undefined) return tool
  const { execution: _, ...rest } = tool
  return rest
}

export function withTools(result: Body, change: (tools: readonly Tool[]) => readonly Tool[]): Body {
  const { tools } = result
  if (!Array.isArray(tools)) return result
  const changed = change(tools as Tool[])
  return changed === tools ? result : { ...result, tools: [...changed] }
}
