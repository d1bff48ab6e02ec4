/** Ids of tasks of many servers: each leads back to the server that runs the task, without anything to remember. */
export interface TaskRoute {
  readonly server: string
  /** The id at the server. */
  readonly own: string
}

/** No server's name holds it. */
const SEPARATOR = '/'
/** Most tasks the gateway runs itself that are remembered; the oldest go first. */
const MOST_HELD = 100_000

export class TaskIds {
  /** Tasks that the gateway runs for servers without them, by their id, which nobody else can have. */
  readonly #held = new Map<string, string>()

  hold(taskId: string, server: string): void {
    this.#held.set(taskId, server)
    const [oldest] = this.#held.keys()
    if (this.#held.size > MOST_HELD && oldest !== undefined) this.#held.delete(oldest)
  }

  publicId(server: string, own: string): string {
    return this.#held.get(own) === server ? own : server + SEPARATOR + own
  }

  route(taskId: string): TaskRoute | undefined {
    const holder = this.#held.get(taskId)
    if (holder !== undefined) return { server: holder, own: taskId }
    const at = taskId.indexOf(SEPARATOR)
    return at === -1 ? undefined : { server: taskId.slice(0, at), own: taskId.slice(at + 1) }
  }

  forget(server: string): void {
    for (const [taskId, holder] of this.#held) if (holder === server) this.#held.delete(taskId)
  }
}
