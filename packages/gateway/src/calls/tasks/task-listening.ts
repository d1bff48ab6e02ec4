/**
 * Listens at a server of the stateless era to what becomes of tasks, and does so again when that was lost, alone or
 * with the connection.
 */
import { Backoff, type Body, type Session } from 'parley-mcp/engine'
import type { Conversation } from '../../upstream/index.ts'

/** Before the next attempt in the same session. */
const backoff = new Backoff([1000, 2000, 5000, 15_000, 30_000])

/** What was told meanwhile is not told again: whoever follows a task also looks at it. */
export class TaskListening {
  readonly #client: Conversation['client']
  readonly #taskIds: ReadonlySet<string>
  readonly #abort = new AbortController()
  readonly #undo: (() => void)[] = []
  #stopWaiting: (() => void) | undefined
  #failures = 0

  constructor({ client }: Conversation, taskIds: readonly string[], tell: (task: Body) => void) {
    this.#client = client
    this.#taskIds = new Set(taskIds)
    this.#undo.push(
      client.onNotification(
        'notifications/tasks',
        (task: Body) => this.#taskIds.has(task['taskId'] as string) && tell(task),
      ),
    )
  }

  /** Those that the server tells of from now on; none, and it is over, when it does not agree. */
  async begin(): Promise<string[]> {
    try {
      const { taskIds = [] } = await this.#listen()
      this.#undo.push(this.#client.onState(({ to }) => to === 'connected' && this.#again()))
      return taskIds.filter((taskId) => this.#taskIds.has(taskId))
    } catch {
      this.stop()
      return []
    }
  }

  stop(): void {
    this.#stopWaiting?.()
    for (const each of this.#undo.splice(0)) each()
    this.#abort.abort()
  }

  #listen(): ReturnType<Session['listen']>['acknowledged'] {
    const { session } = this.#client
    const since = session.clock.now()
    const { acknowledged, ended } = session.listen({ taskIds: [...this.#taskIds] }, { signal: this.#abort.signal })
    const lost = (): void => {
      if (session.clock.now() - since >= backoff.longest) this.#failures = 0
      this.#againLater(session)
    }
    // What it never agreed to it has not ended either.
    acknowledged.then(
      () => ended.then(lost, lost),
      () => {},
    )
    return acknowledged
  }

  /** The one that comes after this session has it taken up itself. */
  #againLater(session: Session): void {
    if (this.#abort.signal.aborted || !session.open || session !== this.#client.session) return
    this.#stopWaiting = session.clock.after(backoff.delayBefore(this.#failures++), () => this.#again())
  }

  #again(): void {
    this.#stopWaiting?.()
    const { session } = this.#client
    if (this.#abort.signal.aborted || session.era !== 'stateless') return
    this.#listen().catch(() => this.#againLater(session))
  }
}
