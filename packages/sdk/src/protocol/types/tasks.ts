/** Tasks of 2025-11-25: a request that is answered later. */
import type { Meta, NotificationParams, PaginatedParams, PaginatedResult, RequestParams } from './common.ts'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** Asks for a task; `ttl` in milliseconds. */
export type TaskMetadata = { ttl?: number }

/** Under `io.modelcontextprotocol/related-task` in `_meta`. */
export type RelatedTaskMetadata = { taskId: string }

export type Task = {
  taskId: string
  status: TaskStatus
  statusMessage?: string
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601. */
  lastUpdatedAt: string
  /** Milliseconds from its creation for which the task is kept; null is for ever. */
  ttl: number | null
  /** Milliseconds to wait between two looks. */
  pollInterval?: number
}

export type CreateTaskResult = { task: Task; _meta?: Meta }

export type GetTaskParams = RequestParams & { taskId: string }

export type GetTaskResult = Task & { _meta?: Meta }

export type GetTaskPayloadParams = RequestParams & { taskId: string }

/** The result of the request that became the task. */
export type GetTaskPayloadResult = { _meta?: Meta; [key: string]: unknown }

export type CancelTaskParams = RequestParams & { taskId: string }

export type CancelTaskResult = Task & { _meta?: Meta }

export type ListTasksParams = PaginatedParams

export type ListTasksResult = PaginatedResult & { tasks: Task[] }

export type TaskStatusParams = NotificationParams & Task
