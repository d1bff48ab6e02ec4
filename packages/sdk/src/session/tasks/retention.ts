/** What this process keeps of tasks: the memory they are charged for, and the timers that end their time. */
import type { TaskRecord } from '../../stores/index.ts'
import type { Clock } from '../clock.ts'

export class TaskRetention {
  /** By task: the functions that give back its memory. */
  readonly #charges = new Map<string, (() => void)[]>()
  /** By task: cancels the timer that ends its time. */
  readonly #timers = new Map<string, () => void>()

  has(taskId: string): boolean {
    return this.#charges.has(taskId)
  }

  /** `give` is called when the task is dropped. */
  count(taskId: string, give: () => void): void {
    const charges = this.#charges.get(taskId)
    if (charges === undefined) this.#charges.set(taskId, [give])
    else charges.push(give)
  }

  /** Calls `expire` when the time of the task is over. */
  expireLater({ taskId, createdAt, ttl }: TaskRecord, clock: Clock, expire: () => void): void {
    if (ttl === null) return
    const due = createdAt + ttl
    const ring = (): void => (clock.now() < due ? arm() : expire())
    // A clock may ring early, and has a longest wait.
    const arm = (): void => void this.#timers.set(taskId, clock.after(Math.max(0, due - clock.now()), ring))
    arm()
  }

  /** Gives back the memory of the task. */
  give(taskId: string): void {
    for (const give of this.#charges.get(taskId) ?? []) give()
    this.#charges.delete(taskId)
  }

  drop(taskId: string): void {
    this.#timers.get(taskId)?.()
    this.#timers.delete(taskId)
    this.give(taskId)
  }

  stopTimers(): void {
    for (const stop of this.#timers.values()) stop()
    this.#timers.clear()
  }

  clear(): void {
    for (const taskId of [...this.#charges.keys()]) this.give(taskId)
  }
}
