/**
 * Whose tasks those of a server of the stateless era are: it sees one caller, the gateway, so it is the gateway that
 * tells its clients apart.
 */
import { ParleyError } from 'parley-mcp'

/** Who owns what the gateway follows itself: no client may ask about it. */
export const GATEWAY: unique symbol = Symbol('gateway')

export type TaskOwner = string | typeof GATEWAY

/**
 * Most tasks that are remembered, of all and of one; the oldest are forgotten, so that nobody can have those of others
 * forgotten.
 */
const MOST = 50_000
const MOST_OF_ONE = 1000

export interface TaskOwnersOptions {
  readonly most?: number
  readonly mostOfOne?: number
}

export class TaskOwners {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #owners = new Map<string, TaskOwner>()
  readonly #tasks = new Map<TaskOwner, Set<string>>()

  constructor({ most = MOST, mostOfOne = MOST_OF_ONE }: TaskOwnersOptions = {}) {
    this.#most = most
    this.#mostOfOne = mostOfOne
  }

  get size(): number {
    return this.#owners.size
  }

  /** A server that begins to count anew gives ids again: the last to get one has it; without an owner, everybody. */
  remember(taskId: string, owner: TaskOwner | undefined): void {
    this.#forget(taskId)
    if (owner === undefined) return
    this.#owners.set(taskId, owner)
    const own = this.#tasks.get(owner) ?? new Set()
    this.#tasks.set(owner, own.add(taskId))
    if (own.size > this.#mostOfOne) this.#forgetFirst(own)
    if (this.#owners.size > this.#most) this.#forgetFirst(this.#owners.keys())
  }

  /** Tasks nobody knows of, as those of before a restart, are left to the server. */
  mayAsk(taskId: unknown, principal: string | undefined): boolean {
    const owner = typeof taskId === 'string' ? this.#owners.get(taskId) : undefined
    return owner === undefined || owner === principal
  }

  /** In the words for a task that there is not: whether there is one is nobody else's business. */
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
