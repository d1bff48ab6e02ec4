/**
 * Where tasks are stored, so that a requestor can come back for their results (F8). Records are plain JSON, so a store
 * may be a file or a database. `task-store.fixtures.ts` has the tests that every store must pass.
 */
import type { WireError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { TaskStatus } from '../protocol/index.ts'

/** How the request behind a task ended. Results are in the newest protocol version. */
export type TaskOutcome = { readonly result: Body } | { readonly error: WireError }

export interface TaskRecord {
  readonly taskId: string
  /** The owner of the task. No other principal can see it. */
  readonly principal: string
  /** The request that became the task. */
  readonly method: string
  readonly params: Body
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** All times are milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Milliseconds from its creation; null: without end. */
  readonly ttl: number | null
  readonly pollInterval: number
  /** Open questions by key, for requestors that poll and answer with `tasks/update`. */
  readonly questions?: Body
  /** Set when the request has ended. */
  readonly outcome?: TaskOutcome
}

export interface TaskChange {
  readonly status: TaskStatus
  readonly updatedAt: number
  /** Absent: the message of the record is removed. */
  readonly statusMessage?: string
  /** Absent: the questions of the record are removed. */
  readonly questions?: Body
  readonly outcome?: TaskOutcome
}

/** A position in the list of a principal's tasks: after this task. */
export type TaskPosition = Pick<TaskRecord, 'createdAt' | 'taskId'>

type MaybePromise<T> = T | Promise<T>

export interface TaskStore {
  /** True if records are held in the memory of this process. Then they count toward the server's memory limits. */
  readonly inMemory?: boolean
  /** Returns false and stores nothing if the principal has `limit` tasks already. Throws if the id exists. */
  create(record: TaskRecord, limit: number): MaybePromise<boolean>
  get(taskId: string): MaybePromise<TaskRecord | undefined>
  /**
   * Atomic. Changes the record only if its status is one of `from`, and returns the new record. Otherwise returns
   * `undefined`.
   */
  update(taskId: string, from: readonly TaskStatus[], change: TaskChange): MaybePromise<TaskRecord | undefined>
  /** Ordered by time of creation, then by id; at most `limit`. */
  list(principal: string, after: TaskPosition | undefined, limit: number): MaybePromise<readonly TaskRecord[]>
  delete(taskId: string): MaybePromise<boolean>
  /** Deletes the tasks whose time is over, and returns their ids. */
  expire(now: number): MaybePromise<readonly string[]>
}

export function hasExpired({ createdAt, ttl }: Pick<TaskRecord, 'createdAt' | 'ttl'>, now: number): boolean {
  return ttl !== null && createdAt + ttl <= now
}
