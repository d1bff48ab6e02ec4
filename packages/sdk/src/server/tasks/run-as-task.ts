/** Tools that run as tasks: whether a call may, must or must not become one (F8, C-23, D7). */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { TASKS_EXTENSION } from '../../protocol/index.ts'
import {
  declaresExtension,
  extensionMissing,
  type Inbound,
  isTask,
  runsTasks,
  type TaskRun,
} from '../../session/index.ts'
import { eraOf } from '../../versions/index.ts'
import type { Conversation } from '../conversation.ts'
import type { DefinedTool } from '../tools/tool.ts'

/**
 * The answer that there is a task now; `undefined` when the call runs as any other. Throws when the caller chose the
 * wrong way.
 */
export function asTask(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  run: TaskRun,
): Promise<Body> | undefined {
  if (eraOf(inbound.caller.version) === 'stateless') return ifTaken(conversation, inbound, tool, run)
  // Where the version has no tasks, or none were declared, the wish is ignored and even a tool that wants to be a task
  // simply runs (C-24).
  if (!runsTasks(inbound.session, 'tools/call')) return undefined
  const wanted = inbound.params['task'] !== undefined
  if (wanted && tool.taskSupport === 'forbidden') throw wrongWay(tool, 'cannot run as a task; call it without "task"')
  if (!wanted && tool.taskSupport === 'required') throw wrongWay(tool, 'runs only as a task; call it with "task"')
  return wanted ? conversation.host.tasks.accept(inbound, run) : undefined
}

/** The same for the rest of a call that has been running so far. */
export function restAsTask(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  run: TaskRun,
): Promise<Body> | undefined {
  return takesTask(inbound, tool) && !isTask(inbound) ? conversation.host.tasks.accept(inbound, run) : undefined
}

/**
 * The server decides, and only for callers that say with this very request that they can wait for a task; what they
 * wish is nothing it looks at.
 */
function ifTaken(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  run: TaskRun,
): Promise<Body> | undefined {
  if (takesTask(inbound, tool)) return tool.deferTask ? undefined : conversation.host.tasks.accept(inbound, run)
  if (tool.taskSupport === 'required') throw extensionMissing(TASKS_EXTENSION)
  return undefined
}

function takesTask({ caller }: Inbound, { taskSupport }: DefinedTool): boolean {
  return (
    taskSupport !== 'forbidden' &&
    eraOf(caller.version) === 'stateless' &&
    declaresExtension(caller.capabilities, TASKS_EXTENSION)
  )
}

function wrongWay(tool: DefinedTool, why: string): ParleyError {
  return new ParleyError('method_not_found', {
    message: `Tool "${tool.key}" ${why}`,
    data: { tool: tool.key, taskSupport: tool.taskSupport },
  })
}
