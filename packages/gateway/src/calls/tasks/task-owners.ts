/**
 * The owners of the tasks at a server of the stateless era. The server sees one caller, the gateway, so the gateway
 * must tell its clients apart.
 */
import { ParleyError } from 'parley-mcp'

/** The owner of tasks that the gateway follows itself. No client may ask about them. */
export const GATEWAY: unique symbol = Symbol('gateway')

export type TaskOwner = string | typeof GATEWAY

const MAX_TASKS = 50_000
/** The oldest tasks of an owner are forgotten first, so that no owner can displace the tasks of the others. */
const MAX_TASKS_OF_ONE = 1000

export interface TaskOwnersOptions {
  readonly maxTasks?: number
  readonly maxTasksOfOne?: number
}

export class TaskOwners {
  readonly #maxTasks: number
  readonly #maxTasksOfOne: number
  readonly #owners = new Map<string, TaskOwner>()
  readonly #tasks = new Map<TaskOwner, Set<string>>()

  constructor({ maxTasks = MAX_TASKS, maxTasksOfOne = MAX_TASKS_OF_ONE }: TaskOwnersOptions = {}) {
    this.#maxTasks = maxTasks
    this.#maxTasksOfOne = maxTasksOfOne
  }

  get size(): number {
    return this.#owners.size
  }

  /** A restarted server may use an id again, so the last owner counts. Without an owner, every client may ask. */
  remember(taskId: string, owner: TaskOwner | undefined): void {
    this.#forget(taskId)
    if (owner === undefined) return
    this.#owners.set(taskId, owner)
    const own = this.#tasks.get(owner) ?? new Set()
    this.#tasks.set(owner, own.add(taskId))
    if (own.size > this.#maxTasksOfOne) this.#forgetFirst(own)
    if (this.#owners.size > this.#maxTasks) this.#forgetFirst(this.#owners.keys())
  }

  /** For unknown tasks, for example from before a restart, the server decides. */
  mayAsk(taskId: unknown, principal: string | undefined): boolean {
    const owner = typeof taskId === 'string' ? this.#owners.get(taskId) : undefined
    return owner === undefined || owner === principal
  }

  /** Refuses in the same words as for an unknown task, so that other clients cannot find out whether it exists. */
  demand(taskId: unknown, principal: string | undefined): void {
    if (!this.mayAsk(taskId, principal))
      throw new ParleyError('task_not_found', { message: 'Task not found: it is unknown, or its time is over' })
  }

  #forgetFirst(taskIds: Iterable<string>): void {
    for (const first of taskIds) return this.#forget(first)
  }

  #forget(taskId: string): void {
    const owner = this.#owners.get(taskId)
    if (owner === undefined) return
    this.#owners.delete(taskId)
    const own = this.#tasks.get(owner)
    own?.delete(taskId)
    if (own?.size === 0) this.#tasks.delete(owner)
  }
}
