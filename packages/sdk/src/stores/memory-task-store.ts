/** Tasks in memory: they end with the process. */
import type { TaskStatus } from '../protocol/index.ts'
import { hasExpired, type TaskChange, type TaskPosition, type TaskRecord, type TaskStore } from './task-store.ts'

export class MemoryTaskStore implements TaskStore {
  readonly inMemory = true
  readonly #records = new Map<string, TaskRecord>()
  readonly #byPrincipal = new Map<string, Set<string>>()

  /** The number of tasks. */
  get size(): number {
    return this.#records.size
  }

  create(record: TaskRecord, limit: number): boolean {
    if (this.#records.has(record.taskId))
      throw new TypeError(`There is a task ${JSON.stringify(record.taskId)} already`)
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
