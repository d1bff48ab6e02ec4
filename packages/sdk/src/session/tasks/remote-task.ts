/**
 * A request of this side that the peer runs as a task: its status, its result and its end. The same for clients and
 * servers.
 */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Task } from '../../protocol/index.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { EngineRequestOptions, Progress } from '../request-options.ts'
import type { SessionView } from '../session-view.ts'
import { wholeMilliseconds } from './options.ts'
import { isTerminal } from './status.ts'
import { isTaskAnswer, readTask } from './view.ts'

export interface TaskRequestOptions {
  /** How long the peer should keep the task, from its creation. Default: the peer decides. */
  ttl?: Duration
  /**
   * Time between two polls of the task, for listeners of its status. Default: the interval that the peer asks for, else
   * 1 s.
   */
  pollInterval?: Duration
  onProgress?: (progress: Progress) => void
  /** Aborting it cancels the task. */
  signal?: AbortSignal
  /** For the request that begins the task. */
  timeout?: Duration
}

/** The connection to the peer that runs the task. It may use several sessions, one after the other. */
export interface TaskPeer {
  /** The current one. */
  readonly session: SessionView
  /** Sends what begins the task and what waits for its result. */
  request(method: string, params: Body, options?: EngineRequestOptions): Promise<Body>
  onNotification(method: string, handler: (params: Body) => void): () => void
  /** Calls `end` when the connection has ended for ever. */
  onEnd(end: () => void): () => void
}

type StatusListener = (task: Task) => void

const DEFAULT_POLL_INTERVAL = 1000

/** A task has no time-out: its ttl ends it. */
const UNLIMITED: EngineRequestOptions = { timeout: Number.POSITIVE_INFINITY }

/** Sends a request that is to run as a task. A peer that ignores the wish answers with the result itself. */
export async function requestAsTask(
  peer: TaskPeer,
  method: string,
  params: Body,
  options: TaskRequestOptions = {},
): Promise<{ task: RemoteTask } | { result: Body }> {
  const { ttl, onProgress, signal, timeout } = options
  const augmented: Body = { ...params, task: ttl === undefined ? {} : { ttl: wholeMilliseconds(ttl) } }
  if (signal?.aborted) throw givenUp(method, signal)
  const token = onProgress === undefined ? undefined : peer.session.mint()
  const stopProgress = token === undefined ? () => {} : peer.session.expectProgress(token, onProgress as never)
  if (token !== undefined) augmented['_meta'] = { ...(params['_meta'] as Body | undefined), progressToken: token }
  try {
    const answering = peer.request(method, augmented, timeout === undefined ? {} : { timeout })
    const answer = signal === undefined ? await answering : await unlessGivenUp(peer, method, answering, signal)
    if (isTaskAnswer(answer))
      return {
        task: new RemoteTask(peer, readTask(method, answer['task']), { ...options, method, params, stopProgress }),
      }
    stopProgress()
    return { result: answer }
  } catch (error) {
    stopProgress()
    throw error
  }
}

/** After an abort the answer is still read: only its id makes it possible to cancel a task that was begun meanwhile. */
function unlessGivenUp(peer: TaskPeer, method: string, answering: Promise<Body>, signal: AbortSignal): Promise<Body> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(givenUp(method, signal))
      answering.then((answer) => endAbandoned(peer, method, answer)).catch(() => {})
    }
    signal.addEventListener('abort', abort, { once: true })
    answering.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

async function endAbandoned(peer: TaskPeer, method: string, answer: Body): Promise<void> {
  if (isTaskAnswer(answer)) await new RemoteTask(peer, readTask(method, answer['task']), { method }).cancel()
}

function givenUp(method: string, signal: AbortSignal): ParleyError {
  return new ParleyError('request_cancelled', {
    message: `${method} was cancelled by the caller`,
    cause: signal.reason,
  })
}

/** What is known of the request a task came from. */
export interface TaskOrigin extends Pick<TaskRequestOptions, 'pollInterval' | 'signal'> {
  readonly method: string
  readonly params?: Body
  readonly stopProgress?: () => void
}

export class RemoteTask {
  readonly id: string
  #latest: Task
  readonly #peer: TaskPeer
  readonly #origin: TaskOrigin
  readonly #listeners = new Set<StatusListener>()
  #result: Promise<Body> | undefined
  #stopWatching: (() => void) | undefined
  readonly #onAbort = () => void this.cancel().catch(() => {})

  constructor(peer: TaskPeer, task: Task, origin: TaskOrigin) {
    this.id = task.taskId
    this.#peer = peer
    this.#latest = task
    this.#origin = origin
    if (isTerminal(task.status)) this.#over()
    else origin.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** The last known state. */
  get latest(): Task {
    return this.#latest
  }

  async status(options?: EngineRequestOptions): Promise<Task> {
    return this.#learn(
      readTask('tasks/get', await this.#peer.session.request('tasks/get', { taskId: this.id }, options)),
    )
  }

  async cancel(options?: EngineRequestOptions): Promise<Task> {
    return this.#learn(
      readTask('tasks/cancel', await this.#peer.session.request('tasks/cancel', { taskId: this.id }, options)),
    )
  }

  /** Waits for the end. Returns or throws what the request itself would have. A second call gets the same. */
  result(): Promise<Body> {
    this.#result ??= this.#fetch()
    return this.#result
  }

  /** While there are listeners, the task is polled: peers need not send changes. */
  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener)
    if (!isTerminal(this.#latest.status)) this.#stopWatching ??= this.#watch()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  async #fetch(): Promise<Body> {
    const { signal, method, params } = this.#origin
    try {
      const answer = await this.#peer.request(
        'tasks/result',
        { taskId: this.id },
        signal === undefined ? UNLIMITED : { ...UNLIMITED, signal },
      )
      return this.#peer.session.readResult(method, answer, params)
    } finally {
      // Listeners get the end, too.
      if (this.#listeners.size > 0 && !isTerminal(this.#latest.status) && this.#peer.session.open)
        await this.status().catch(() => {})
      this.#over()
    }
  }

  #learn(task: Task): Task {
    const before = this.#latest
    // Answers and notifications can overtake each other, but no change follows the end.
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
      this.#peer.session.reportError(error, 'onStatus of a task')
    }
  }

  #watch(): () => void {
    const peer = this.#peer
    let cancelTimer = () => {}
    let stopped = false
    const look = async () => {
      try {
        if (peer.session.open) await this.status()
      } catch {
        // A failed poll does no harm. The caller that waits for the result gets the error.
      }
      if (!stopped) arm()
    }
    const arm = () => {
      cancelTimer = peer.session.clock.after(this.#pollInterval(), look)
    }
    const ends = [
      peer.onNotification('notifications/tasks/status', (params) => {
        if (params['taskId'] === this.id) this.#learn(readTask('notifications/tasks/status', params))
      }),
      peer.onEnd(() => this.#over()),
    ]
    arm()
    return () => {
      stopped = true
      cancelTimer()
      for (const end of ends) end()
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
