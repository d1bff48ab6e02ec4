/** Where tasks are kept, so that a requestor can come back for them (F8). Records are plain JSON: a store may write them down anywhere. */
import type { WireError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { TaskStatus } from '../protocol/index.ts'

/** How the request behind a task ended; results are in the newest vocabulary. */
export type TaskOutcome = { readonly result: Body } | { readonly error: WireError }

export interface TaskRecord {
  readonly taskId: string
  /** Whom the task belongs to; nobody else hears of it. */
  readonly principal: string
  /** The request that became the task. */
  readonly method: string
  readonly params: Body
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** Milliseconds since the epoch, as all times here. */
  readonly createdAt: number
  readonly updatedAt: number
  /** From its creation; null is for ever. */
  readonly ttl: number | null
  readonly pollInterval: number
  /** Open questions by their keys, while input is required of who can only look. */
  readonly questions?: Body
  /** Once there is one. */
  readonly outcome?: TaskOutcome
}

export interface TaskChange {
  readonly status: TaskStatus
  readonly updatedAt: number
  /** Without it, the task has none any more. */
  readonly statusMessage?: string
  /** So here. */
  readonly questions?: Body
  readonly outcome?: TaskOutcome
}

/** A place in the list of a principal's tasks: after this one. */
export type TaskPosition = Pick<TaskRecord, 'createdAt' | 'taskId'>

type Eventually<T> = T | Promise<T>

export interface TaskStore {
  /** False, and nothing is kept, when the principal has `limit` tasks already. */
  create(record: TaskRecord, limit: number): Eventually<boolean>
  get(taskId: string): Eventually<TaskRecord | undefined>
  /** Atomic: nothing is changed, and `undefined` given, unless the status is one of `from`. Otherwise gives the record as it is now. */
  update(taskId: string, from: readonly TaskStatus[], change: TaskChange): Eventually<TaskRecord | undefined>
  /** By time of creation, then by id; at most `limit`. */
  list(principal: string, after: TaskPosition | undefined, limit: number): Eventually<readonly TaskRecord[]>
  delete(taskId: string): Eventually<boolean>
  /** Removes all whose time is over, and says which. */
  expire(now: number): Eventually<readonly string[]>
}

export function hasExpired({ createdAt, ttl }: Pick<TaskRecord, 'createdAt' | 'ttl'>, now: number): boolean {
  return ttl !== null && createdAt + ttl <= now
}

export class MemoryTaskStore implements TaskStore {
  readonly #records = new Map<string, TaskRecord>()
  readonly #byPrincipal = new Map<string, Set<string>>()

  /** How many tasks are kept. */
  get size(): number {
    return this.#records.size
  }

  create(record: TaskRecord, limit: number): boolean {
    if (this.#records.has(record.taskId)) throw new TypeError(`There is a task ${JSON.stringify(record.taskId)} already`)
    const own = this.#byPrincipal.get(record.principal) ?? new Set()
    if (own.size >= limit) return false
    this.#byPrincipal.set(record.principal, own.add(record.taskId))
    this.#records.set(record.taskId, record)
    return true
  }

  get(taskId: string): TaskRecord | undefined {
    return this.#records.get(taskId)
  }

  update(taskId: string, from: readonly TaskStatus[], change: TaskChange): TaskRecord | undefined {
    const before = this.#records.get(taskId)
    if (before === undefined || !from.includes(before.status)) return undefined
    const { statusMessage: _, questions: _q, ...kept } = before
    const after: TaskRecord = { ...kept, ...change }
    this.#records.set(taskId, after)
    return after
  }

  list(principal: string, after: TaskPosition | undefined, limit: number): readonly TaskRecord[] {
    const own = [...(this.#byPrincipal.get(principal) ?? [])].map((taskId) => this.#records.get(taskId) as TaskRecord)
    const following = after === undefined ? own : own.filter((record) => inOrder(after, record) < 0)
    return following.sort(inOrder).slice(0, limit)
  }

  delete(taskId: string): boolean {
    const record = this.#records.get(taskId)
    if (record === undefined) return false
    this.#records.delete(taskId)
    const own = this.#byPrincipal.get(record.principal)
    own?.delete(taskId)
    if (own?.size === 0) this.#byPrincipal.delete(record.principal)
    return true
  }

  expire(now: number): readonly string[] {
    const expired = [...this.#records.values()].filter((record) => hasExpired(record, now)).map(({ taskId }) => taskId)
    for (const taskId of expired) this.delete(taskId)
    return expired
  }
}

function inOrder(a: TaskPosition, b: TaskPosition): number {
  return a.createdAt - b.createdAt || (a.taskId < b.taskId ? -1 : a.taskId > b.taskId ? 1 : 0)
}
