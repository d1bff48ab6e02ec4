/** Ids of tasks of many servers: each leads back to the server that runs the task, without anything to remember. */
export interface TaskRoute {
  readonly server: string
  /** The id at the server. */
  readonly taskId: string
}

/** No server's name holds it. */
const SEPARATOR = '/'
/** Most tasks the gateway runs itself that are remembered; the oldest go first. */
const MAX_HELD_TASKS = 100_000

export class TaskIds {
  /** Tasks that the gateway runs for servers without them, by their id, which nobody else can have. */
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
