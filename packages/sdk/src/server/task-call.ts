/** Tools that run as tasks: whether a call may, must or must not become one (F8, C-23). */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import { type Inbound, runsTasks, type TaskRun } from '../session/index.ts'
import type { Conversation } from './conversation.ts'
import type { DefinedTool } from './tool.ts'

/** The answer that there is a task now; `undefined` when the call runs as any other. Throws when the caller chose the wrong way. */
export function asTask(conversation: Conversation, inbound: Inbound, tool: DefinedTool, run: TaskRun): Promise<Body> | undefined {
  // Where the version has no tasks, or none were declared, the wish is ignored and even a tool that wants to be a task simply runs (C-24).
  if (!runsTasks(inbound.session, 'tools/call')) return undefined
  const wanted = inbound.params['task'] !== undefined
  if (wanted && tool.taskSupport === 'forbidden') throw wrongWay(tool, 'cannot run as a task; call it without "task"')
  if (!wanted && tool.taskSupport === 'required') throw wrongWay(tool, 'runs only as a task; call it with "task"')
  return wanted ? conversation.host.tasks.accept(inbound, run) : undefined
}

function wrongWay(tool: DefinedTool, why: string): ParleyError {
  return new ParleyError('method_not_found', { message: `Tool "${tool.key}" ${why}`, data: { tool: tool.key, taskSupport: tool.taskSupport } })
}
