/** Tool calls that run as tasks (F8, D7). */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { TASKS_EXTENSION, type Task } from '../../protocol/index.ts'
import {
  type Clock,
  type Duration,
  declaresExtension,
  milliseconds,
  PolledTask,
  type Progress,
  peerRunsTasks,
  RemoteTask,
  readFlatTask,
  requestAsTask,
  StatusProgress,
  type TaskPeer,
} from '../../session/index.ts'
import type { CallOutcome } from '../calls/call-outcome.ts'
import type { Connection } from '../connection/connection.ts'
import type { CallOptions } from '../options.ts'
import { LocalTask } from './local-task.ts'

/** A tool call that runs as a task. */
export interface TaskHandle<Value = unknown> {
  /** `client.task(id)` finds the task again. */
  readonly id: string
  /** The last known status. */
  readonly latest: Task
  /** Asks the server for the status. */
  status(): Promise<Task>
  /** Waits for the end. Returns or throws what `call` would. */
  result(): Promise<CallOutcome<Value>>
  /** Cancels the task. Fails if it has ended. */
  cancel(): Promise<Task>
  /** Returns a function that removes the listener. */
  onStatus(listener: (task: Task) => void): () => void
}

/** `timeout` limits the start of the task. The result may take until the end of `ttl`. */
export interface TaskCallOptions extends CallOptions {
  /**
   * How long the server should keep the task after its creation. Default: the server decides, and always since
   * 2026-07-28.
   */
  ttl?: Duration
  /** The time between two polls while the status has listeners. Default: what the server asks for. */
  pollInterval?: Duration
  onStatus?: (task: Task) => void
}

/** A task that runs at the server. */
type ServerTask = RemoteTask | PolledTask

const METHOD_NOT_FOUND = -32601

type Convert = (result: Body) => CallOutcome | Promise<CallOutcome>

export class ClientTasks {
  readonly #connection: Connection
  #peerOfTasks: TaskPeer | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Created with the first task, because most connections have none. */
  get #peer(): TaskPeer {
    this.#peerOfTasks ??= peerOf(this.#connection)
    return this.#peerOfTasks
  }

  /** Whether the server runs tool calls as tasks. */
  get isSupported(): boolean {
    return peerRunsTasks(this.#connection.session, 'tools/call')
  }

  /** Whether the server may answer a call with a task. While there is no session, the next server might. */
  get mayReceiveTasks(): boolean {
    const { session } = this.#connection
    return (
      (session.era !== 'handshake' || !session.open) && declaresExtension(session.self.capabilities, TASKS_EXTENSION)
    )
  }

  /** Calls the tool. If the server answers with a task, waits for its end. */
  call(params: Body, options: CallOptions | undefined, convert: Convert): Promise<CallOutcome> {
    const progress = this.#progressOf(options)
    const onTask = (answer: Body): Promise<CallOutcome> =>
      this.#follow(readFlatTask('tools/call', answer), options ?? {}, convert, progress)
    return this.#connection.request('tools/call', params, { ...options, ...progressOption(progress), onTask }, convert)
  }

  /** Throws if the version has no list of tasks. */
  requireList(): void {
    const { session } = this.#connection
    if (session.stateful) return
    throw new ParleyError('method_not_found', {
      message: `Servers do not list tasks in protocol version ${session.version}: keep their ids, and find each with client.task(id)`,
    })
  }

  /**
   * `possible`: whether the tool can run as a task. If not, or without tasks, the handle wraps an ordinary call (C-24).
   */
  async begin(params: Body, options: TaskCallOptions, convert: Convert, possible: boolean): Promise<TaskHandle> {
    const handle = await this.#begin(params, options, convert, possible)
    if (options.onStatus !== undefined) handle.onStatus(options.onStatus)
    return handle
  }

  /** Starts the task and waits for its end. Tasks may be slow, so there are no default time limits. */
  async run(params: Body, { timeout, maxTimeout, ...options }: CallOptions, convert: Convert): Promise<CallOutcome> {
    const limit = new TimeLimit(this.#connection.session.clock, timeout, maxTimeout)
    const onProgress = (progress: Progress) => {
      limit.rearm()
      options.onProgress?.(progress)
    }
    const signal = options.signal === undefined ? limit.signal : AbortSignal.any([options.signal, limit.signal])
    const watched = options.onProgress === undefined && timeout === undefined ? options : { ...options, onProgress }
    try {
      const handle = await this.begin(params, { ...watched, signal }, convert, true)
      return await handle.result()
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error
    } finally {
      limit.stop()
    }
  }

  /** C-23: an unlisted tool may only run as a task. The server refused the call, so it is repeated as a task. */
  async runIfRequired(
    error: unknown,
    params: Body,
    options: CallOptions | undefined,
    convert: Convert,
  ): Promise<CallOutcome> {
    if (taskSupportIn(error) !== 'required') throw error
    return await this.run(params, options ?? {}, convert)
  }

  /** Finds a task that was started earlier, perhaps before a reconnect. */
  find(taskId: string, convert: Convert): TaskHandle {
    if (typeof taskId !== 'string' || taskId === '')
      throw new ParleyError('invalid_params', { message: 'A task is found by its id' })
    const unknown: Task = { taskId, status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null }
    const isPolled = !this.#connection.session.stateful
    return handleOf(
      isPolled
        ? new PolledTask(this.#peer, unknown, {}, false)
        : new RemoteTask(this.#peer, unknown, { method: 'tools/call' }),
      convert,
    )
  }

  async #begin(params: Body, options: TaskCallOptions, convert: Convert, possible: boolean): Promise<TaskHandle> {
    const isPolled = !this.#connection.session.stateful
    if (!possible || !(isPolled ? this.mayReceiveTasks : this.isSupported)) return this.#local(params, options, convert)
    return isPolled
      ? await this.#beginPolled(params, options, convert)
      : await this.#beginRemote(params, options, convert)
  }

  /** The server decides whether the call becomes a task, so this waits for its answer. */
  async #beginPolled(params: Body, options: TaskCallOptions, convert: Convert): Promise<TaskHandle> {
    const { ttl, pollInterval, signal, onStatus, ...rest } = options
    const progress = this.#progressOf(options)
    const onTask = (answer: Body): TaskHandle => {
      const task = new PolledTask(this.#peer, readFlatTask('tools/call', answer), options)
      progress?.follow(task)
      return handleOf(task, convert)
    }
    const local = (answer: Body): TaskHandle => new LocalTask(this.#connection.session, async () => convert(answer))
    return await this.#connection.request<TaskHandle>(
      'tools/call',
      params,
      { ...rest, ...progressOption(progress), ...(signal && { signal }), onTask },
      local,
    )
  }

  async #follow(
    task: Task,
    { timeout, maxTimeout, signal }: CallOptions,
    convert: Convert,
    progress: StatusProgress | undefined,
  ): Promise<CallOutcome> {
    const limit = new TimeLimit(this.#connection.session.clock, timeout, maxTimeout)
    const polled = new PolledTask(this.#peer, task, {
      signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    })
    // Called before `onStatus`: only waiting for the result keeps the process alive.
    const result = polled.result()
    // A status shows activity, like progress.
    const stopListening = timeout === undefined ? () => {} : polled.onStatus(() => limit.rearm())
    const stopProgress = progress?.follow(polled)
    try {
      return await convert(await result)
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error
    } finally {
      stopListening()
      stopProgress?.()
      limit.stop()
    }
  }

  #progressOf(options: CallOptions | undefined): StatusProgress | undefined {
    const tell = options?.onProgress
    return (
      tell && new StatusProgress(tell, (error) => this.#connection.session.reportError(error, 'onProgress of a task'))
    )
  }

  async #beginRemote(params: Body, options: TaskCallOptions, convert: Convert): Promise<TaskHandle> {
    const begun = await requestAsTask(this.#peer, 'tools/call', params, options).catch((error: unknown) => {
      if (taskSupportIn(error) !== 'forbidden') throw error
    })
    if (begun === undefined) return this.#local(params, options, convert)
    if ('task' in begun) return handleOf(begun.task, convert)
    return new LocalTask(this.#connection.session, async () => convert(begun.result))
  }

  #local(params: Body, { signal, ...options }: TaskCallOptions, convert: Convert): TaskHandle {
    const { session } = this.#connection
    return new LocalTask(session, (own) => {
      const limited = { ...options, signal: signal === undefined ? own : AbortSignal.any([signal, own]) }
      return this.mayReceiveTasks
        ? this.call(params, limited, convert)
        : this.#connection.request('tools/call', params, limited, convert)
    })
  }
}

class TimeLimit {
  readonly #controller = new AbortController()
  readonly #clock: Clock
  readonly #timeout: Duration | undefined
  readonly #stopHard: (() => void) | undefined
  #stopSoft: (() => void) | undefined

  constructor(clock: Clock, timeout: Duration | undefined, maxTimeout: Duration | undefined) {
    this.#clock = clock
    this.#timeout = timeout
    if (maxTimeout !== undefined) this.#stopHard = this.#expireAfter(milliseconds(maxTimeout), 'the hard maximum')
    this.rearm()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  rearm(): void {
    this.#stopSoft?.()
    if (this.#timeout !== undefined)
      this.#stopSoft = this.#expireAfter(milliseconds(this.#timeout), 'no answer and no progress')
  }

  stop(): void {
    this.#stopSoft?.()
    this.#stopHard?.()
  }

  #expireAfter(ms: number, limit: string): () => void {
    return this.#clock.after(ms, () => {
      this.#controller.abort(
        new ParleyError('request_timeout', { message: `The task of tools/call timed out after ${ms} ms (${limit})` }),
      )
    })
  }
}

function progressOption(progress: StatusProgress | undefined): Pick<CallOptions, 'onProgress'> | undefined {
  return progress && { onProgress: progress.onProgress }
}

/** The task support of a tool, from the error of a server that refused how it was called. */
function taskSupportIn(error: unknown): unknown {
  return error instanceof ParleyError && error.receivedCode === METHOD_NOT_FOUND
    ? error.data?.['taskSupport']
    : undefined
}

function handleOf(task: ServerTask, convert: Convert): TaskHandle {
  let outcome: Promise<CallOutcome> | undefined
  return {
    id: task.id,
    get latest() {
      return task.latest
    },
    status: () => task.status(),
    result: () => {
      outcome ??= task.result().then(convert)
      return outcome
    },
    cancel: () => task.cancel(),
    onStatus: (listener) => task.onStatus(listener),
  }
}

function peerOf(connection: Connection): TaskPeer {
  return {
    get session() {
      return connection.session
    },
    request: (method, params, options) => connection.request(method, params, options),
    onNotification: (method, handler) => connection.listeners.add(method, handler),
    onEnd: (end) => connection.stateChanges.add(({ to }) => to === 'closed' && end()),
  }
}
