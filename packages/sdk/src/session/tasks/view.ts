/** A task as its requestor sees it, and positions in the list of tasks. */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { Task } from '../../protocol/index.ts'
import type { TaskPosition, TaskRecord } from '../../stores/index.ts'
import { isTaskStatus } from './status.ts'

export function viewOf({ taskId, status, statusMessage, createdAt, updatedAt, ttl, pollInterval }: TaskRecord): Task {
  const task: Task = { taskId, status, createdAt: iso(createdAt), lastUpdatedAt: iso(updatedAt), ttl, pollInterval }
  if (statusMessage !== undefined) task.statusMessage = statusMessage
  return task
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

/** A task in a peer's answer; throws `invalid_answer` for what is none. */
export function readTask(method: string, task: unknown): Task {
  if (isObject(task) && typeof task['taskId'] === 'string' && isTaskStatus(task['status'])) return task as Task
  throw new ParleyError('invalid_answer', { message: `The answer to ${method} is not a task` })
}

/** Whether a request was answered with a task instead of its result. */
export function isTaskAnswer(answer: Body): boolean {
  return isObject(answer['task']) && answer['content'] === undefined && answer['action'] === undefined
}

export function writePosition({ createdAt, taskId }: TaskPosition): string {
  return btoa(`tasks ${createdAt} ${encodeURIComponent(taskId)}`)
}

export function readPosition(cursor: unknown): TaskPosition {
  const match = /^tasks (\d{1,16}) (\S+)$/.exec(decoded(cursor))
  if (match === null)
    throw new ParleyError('invalid_cursor', {
      message: 'Invalid cursor: use the nextCursor of an earlier tasks/list result',
    })
  return { createdAt: Number(match[1]), taskId: decodeURIComponent(match[2] as string) }
}

function decoded(cursor: unknown): string {
  try {
    const text = typeof cursor === 'string' ? atob(cursor) : ''
    decodeURIComponent(text)
    return text
  } catch {
    return ''
  }
}
