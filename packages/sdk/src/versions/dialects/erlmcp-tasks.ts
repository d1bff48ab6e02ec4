/** Tasks as erlmcp has them: made by a request of their own, with other names for their states (D). */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { EditContext } from '../operation.ts'

/** Words of both sides for how a task stands; those that are missing are the same. */
const standardStatus: ReadonlyMap<unknown, string> = new Map([
  ['pending', 'working'],
  ['processing', 'working'],
])
const erlmcpStatus: ReadonlyMap<unknown, string> = new Map([
  ['working', 'processing'],
  ['input_required', 'processing'],
])

/** `tools/call` with `task` → `tasks/create`. */
export function createFromCall(call: Body): Body {
  const { name, arguments: parameters = {}, task, _meta, ...rest } = call
  const { ttl, ...wishes } = objectOr(task)
  const { progressToken, ...meta } = objectOr(_meta)
  const metadata = {
    ...wishes,
    ...(progressToken === undefined ? {} : { progressToken }),
    ...(ttl === undefined ? {} : { timeout: ttl }),
  }
  return {
    ...rest,
    action: { type: name, parameters },
    metadata,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  }
}

/** `tasks/create` → `tools/call` with `task`. Some peers name the tool as a call does. */
export function callFromCreate(creation: Body): Body {
  const { action, metadata, _meta, ...rest } = creation
  const { progressToken, timeout, ...wishes } = objectOr(metadata)
  const meta = progressToken === undefined ? _meta : { ...objectOr(_meta), progressToken }
  return {
    ...rest,
    ...(isObject(action) ? { name: action['type'], arguments: action['parameters'] ?? {} } : {}),
    task: { ...objectOr(rest['task']), ...wishes, ...(timeout === undefined ? {} : { ttl: timeout }) },
    ...(meta === undefined ? {} : { _meta: meta }),
  }
}

/** The answer to `tasks/create` tells the id first. A call that was answered at once stays as it is. */
export function createdToErlmcp(result: Body): Body {
  const { task } = result
  return isObject(task) ? { ...result, taskId: task['taskId'] } : result
}

/** With the id alone, or with the task beside it. */
export function createdFromErlmcp(result: Body, context: EditContext): Body {
  const { taskId, task, _meta, ...rest } = result
  const told = isObject(task) ? { taskId, ...task } : { taskId, ...rest }
  if (typeof told.taskId !== 'string') return result
  const asked = objectOr(context.request?.['metadata'])['timeout']
  const whole = taskFromErlmcp(told, context, { status: 'working', ttl: typeof asked === 'number' ? asked : null })
  return { ...(isObject(task) ? rest : {}), ...(_meta === undefined ? {} : { _meta }), task: whole }
}

export function taskToErlmcp(task: Body, context: EditContext): Body {
  const status = erlmcpStatus.get(task['status'])
  if (task['status'] === 'input_required')
    context.lose('told that the task is being worked on, though it waits for input', { path: 'status' })
  return status === undefined ? task : { ...task, status }
}

/** The answer to `tasks/get`; the task may be inside. */
export function gottenFromErlmcp(result: Body, context: EditContext): Body {
  return taskFromErlmcp(inside(result), context, requested(context))
}

/** The answer to `tasks/cancel`; one that says nothing says that it is done. */
export function cancelledFromErlmcp(result: Body, context: EditContext): Body {
  return taskFromErlmcp(inside(result), context, { ...requested(context), status: 'cancelled' })
}

/**
 * With what 2025-11-25 requires of a task. What its peer does not tell is taken from `known`; times become those at
 * which it was heard of.
 */
export function taskFromErlmcp(task: Body, context: EditContext, known: Body = {}): Body {
  const heardOf = new Date(context.now?.() ?? 0).toISOString()
  const status = task['status'] ?? known['status']
  const word = typeof status === 'string' ? status.toLowerCase() : status
  const whole: Body = { ...known, ...task, status: standardStatus.get(word) ?? word }
  for (const key of ['createdAt', 'lastUpdatedAt']) whole[key] = isoTime(whole[key]) ?? heardOf
  whole['ttl'] ??= null
  return same(whole, task) ? task : whole
}

/** Whether a tool runs as a task is not told: it is tried, and the server refuses where it does not. */
export function toolFromErlmcp(tool: Body): Body {
  const execution = objectOr(tool['execution'])
  return execution['taskSupport'] === undefined
    ? { ...tool, execution: { ...execution, taskSupport: 'optional' } }
    : tool
}

/** A time in milliseconds as text; text stays. */
function isoTime(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const time = new Date(typeof value === 'number' ? value : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

function inside(result: Body): Body {
  const task = result['task']
  return isObject(task) ? task : result
}

function requested({ request }: EditContext): Body {
  const taskId = request?.['taskId']
  return taskId === undefined ? {} : { taskId }
}

function objectOr(value: unknown): Body {
  return isObject(value) ? value : {}
}

function same(one: Body, other: Body): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
