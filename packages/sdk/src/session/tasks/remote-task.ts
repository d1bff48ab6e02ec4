/** A request of ours that the peer runs as a task: how it stands, what comes of it, and its end. The same for clients and servers. */
import type { Body } from '../../jsonrpc/index.ts'
import type { Task } from '../../protocol/index.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { Progress, RequestOptions } from '../options.ts'
import type { Session } from '../session.ts'
import { wholeMilliseconds } from './options.ts'
import { isTerminal } from './status.ts'
import { isTaskAnswer, readTask } from './view.ts'

export interface TaskRequestOptions {
  /** How long the peer is asked to keep the task, from its creation. Default: as long as it likes. */
  ttl?: Duration
  /** Time between two looks at the task, for those who listen to its status. Default: what the peer asks for, else 1 s. */
  pollInterval?: Duration
  onProgress?: (progress: Progress) => void
  /** Aborting it cancels the task. */
  signal?: AbortSignal
  /** For the request that begins the task. */
  timeout?: Duration
  /** Sends the requests that should travel with something else; default: `session.request`. */
  ask?: (method: string, params: Body, options: RequestOptions) => Promise<Body>
}

type StatusListener = (task: Task) => void

const DEFAULT_POLL_INTERVAL = 1000

/** A task may take as long as it likes: its ttl is the end. */
const UNLIMITED: RequestOptions = { timeout: Number.POSITIVE_INFINITY }

/** Sends a request that is to run as a task. A peer that ignores the wish answers with the result itself. */
export async function requestAsTask(
  session: Session,
  method: string,
  params: Body,
  options: TaskRequestOptions = {},
): Promise<{ task: RemoteTask } | { result: Body }> {
  const { ttl, onProgress, signal, timeout } = options
  const augmented: Body = { ...params, task: ttl === undefined ? {} : { ttl: wholeMilliseconds(ttl) } }
  const token = onProgress === undefined ? undefined : session.mint()
  const stopProgress = token === undefined ? () => {} : session.expectProgress(token, onProgress as never)
  if (token !== undefined) augmented['_meta'] = { ...(params['_meta'] as Body | undefined), progressToken: token }
  try {
    const answer = await (options.ask ?? askOver(session))(method, augmented, { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) })
    if (isTaskAnswer(answer)) return { task: new RemoteTask(session, readTask(method, answer['task']), { ...options, method, params, stopProgress }) }
    stopProgress()
    return { result: answer }
  } catch (error) {
    stopProgress()
    throw error
  }
}

/** What is known of the request a task came from. */
export interface TaskOrigin extends Pick<TaskRequestOptions, 'ask' | 'pollInterval' | 'signal'> {
  readonly method: string
  readonly params?: Body
  readonly stopProgress?: () => void
}

export class RemoteTask {
  readonly id: string
  #latest: Task
  readonly #session: Session
  readonly #origin: TaskOrigin
  readonly #listeners = new Set<StatusListener>()
  #result: Promise<Body> | undefined
  #stopWatching: (() => void) | undefined
  readonly #onAbort = () => void this.cancel().catch(() => {})

  constructor(session: Session, task: Task, origin: TaskOrigin) {
    this.id = task.taskId
    this.#session = session
    this.#latest = task
    this.#origin = origin
    if (isTerminal(task.status)) this.#over()
    else origin.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** How it stood when last heard of. */
  get latest(): Task {
    return this.#latest
  }

  async status(options?: RequestOptions): Promise<Task> {
    return this.#learn(readTask('tasks/get', await this.#session.request('tasks/get', { taskId: this.id }, options)))
  }

  async cancel(options?: RequestOptions): Promise<Task> {
    return this.#learn(readTask('tasks/cancel', await this.#session.request('tasks/cancel', { taskId: this.id }, options)))
  }

  /** Waits for the end, and gives or throws what the request itself would have. Asked again, it tells the same. */
  result(): Promise<Body> {
    this.#result ??= this.#fetch()
    return this.#result
  }

  /** While somebody listens, the task is looked at from time to time; peers need not tell of changes by themselves. */
  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener)
    if (!isTerminal(this.#latest.status)) this.#stopWatching ??= this.#watch()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  async #fetch(): Promise<Body> {
    const { ask = askOver(this.#session), signal, method, params } = this.#origin
    try {
      const answer = await ask('tasks/result', { taskId: this.id }, signal === undefined ? UNLIMITED : { ...UNLIMITED, signal })
      return this.#session.readResult(method, answer, params)
    } finally {
      // Whoever listens wants to hear of the end, too.
      if (this.#listeners.size > 0 && !isTerminal(this.#latest.status) && this.#session.open) await this.status().catch(() => {})
      this.#over()
    }
  }

  #learn(task: Task): Task {
    const before = this.#latest
    // Answers and notices can overtake each other, but nothing follows the end.
    if (task.taskId !== this.id || isTerminal(before.status)) return task
    this.#latest = task
    if (before.status !== task.status || before.statusMessage !== task.statusMessage) {
      for (const listener of [...this.#listeners]) this.#tell(listener, task)
    }
    if (isTerminal(task.status)) this.#over()
    return task
  }

  #tell(listener: StatusListener, task: Task): void {
    try {
      listener(task)
    } catch (error) {
      this.#session.reportError(error, 'onStatus of a task')
    }
  }

  #watch(): () => void {
    const session = this.#session
    let cancelTimer = () => {}
    let stopped = false
    const look = () => {
      this.status()
        .catch(() => {})
        .finally(() => {
          if (!stopped) arm()
        })
    }
    const arm = () => {
      if (session.open) cancelTimer = session.clock.after(this.#pollInterval(), look)
    }
    const stopNotices = session.onNotification('notifications/tasks/status', (params) => {
      if (params['taskId'] === this.id) this.#learn(readTask('notifications/tasks/status', params))
    })
    const stopClose = session.onClose(() => cancelTimer())
    arm()
    return () => {
      stopped = true
      cancelTimer()
      stopNotices()
      stopClose()
    }
  }

  #pollInterval(): number {
    const { pollInterval } = this.#origin
    if (pollInterval !== undefined) return milliseconds(pollInterval)
    const asked = this.#latest.pollInterval
    return typeof asked === 'number' && asked > 0 ? asked : DEFAULT_POLL_INTERVAL
  }

  #stop(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
  }

  #over(): void {
    this.#stop()
    this.#origin.stopProgress?.()
    this.#origin.signal?.removeEventListener('abort', this.#onAbort)
  }
}

function askOver(session: Session): NonNullable<TaskRequestOptions['ask']> {
  return (method, params, options) => session.request(method, params, options)
}
