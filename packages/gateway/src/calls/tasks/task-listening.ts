/**
 * Listens for changes of tasks at a server of the stateless era. Listens again when the stream or connection is lost.
 */
import { Backoff, type Body, type Session } from 'parley-mcp/engine'
import type { Conversation } from '../../upstream/index.ts'

/** Delays between attempts in one session, in milliseconds. */
const backoff = new Backoff([1000, 2000, 5000, 15_000, 30_000])

/** Changes during a gap are not reported. A client that follows a task must also poll it. */
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

  /** Resolves with the tasks that the server will report. Without the server's consent it stops, with no tasks. */
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
    // A refused request has no end to wait for.
    acknowledged.then(
      () => ended.then(lost, lost),
      () => {},
    )
    return acknowledged
  }

  /** A new session listens again by itself. */
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
