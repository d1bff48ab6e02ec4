/** Public ids of tasks. Each leads back to its server, without a table for the tasks that servers run. */
export interface TaskRoute {
  readonly server: string
  /** At the server. */
  readonly taskId: string
}

/** No name of a server contains it. */
const SEPARATOR = '/'
/** Remembered tasks that the gateway runs itself. The oldest are forgotten first. */
const MAX_HELD_TASKS = 100_000

export class TaskIds {
  /** Id → server, for tasks that the gateway runs for servers without tasks. The gateway makes these ids unique. */
  readonly #held = new Map<string, string>()

  hold(taskId: string, server: string): void {
    this.#held.set(taskId, server)
    const [oldest] = this.#held.keys()
    if (this.#held.size > MAX_HELD_TASKS && oldest !== undefined) this.#held.delete(oldest)
  }

  publicId(server: string, taskId: string): string {
    return this.#held.get(taskId) === server ? taskId : server + SEPARATOR + taskId
  }

  route(taskId: string): TaskRoute | undefined {
    const holder = this.#held.get(taskId)
    if (holder !== undefined) return { server: holder, taskId }
    const at = taskId.indexOf(SEPARATOR)
    return at === -1 ? undefined : { server: taskId.slice(0, at), taskId: taskId.slice(at + 1) }
  }

  forget(server: string): void {
    for (const [taskId, holder] of this.#held) if (holder === server) this.#held.delete(taskId)
  }
}
