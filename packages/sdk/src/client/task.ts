/** Tool calls that run as tasks: begun now, fetched later (F8, D7). */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import { TASKS_EXTENSION, type Task } from '../protocol/index.ts'
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
} from '../session/index.ts'
import type { Connection } from './connection.ts'
import { LocalTask } from './local-task.ts'
import type { CallOptions } from './options.ts'
import type { CallOutcome } from './outcome.ts'

/** A call that goes on by itself. */
export interface TaskHandle<Value = unknown> {
  /** With it the task can be found again: `client.task(id)`. */
  readonly id: string
  /** How it stood when last heard of. */
  readonly latest: Task
  /** Asks the server how it stands. */
  status(): Promise<Task>
  /** Waits for the end; gives or throws what `call` would have. */
  result(): Promise<CallOutcome<Value>>
  /** Ends it; fails when it is over already. */
  cancel(): Promise<Task>
  /** The returned function takes the listener away. */
  onStatus(listener: (task: Task) => void): () => void
}

/** `timeout` is for beginning the task, not for its result: that has until the end of the ttl. */
export interface TaskCallOptions extends CallOptions {
  /**
   * How long the server is asked to keep the task, from its creation. Default: as long as it likes, and since
   * 2026-07-28 always.
   */
  ttl?: Duration
  /** Time between two looks while somebody listens to the status. Default: what the server asks for. */
  pollInterval?: Duration
  onStatus?: (task: Task) => void
}

/** What a task that runs at the server is followed with. */
type Followed = RemoteTask | PolledTask

const METHOD_NOT_FOUND = -32601

type Convert = (result: Body) => CallOutcome | Promise<CallOutcome>

export class ClientTasks {
  readonly #connection: Connection
  #peerOfTasks: TaskPeer | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Made with the first task: most connections never have one. */
  get #peer(): TaskPeer {
    this.#peerOfTasks ??= peerOf(this.#connection)
    return this.#peerOfTasks
  }

  /** Whether the server runs tool calls as tasks. */
  get offered(): boolean {
    return peerRunsTasks(this.#connection.session, 'tools/call')
  }

  /**
   * Whether the server may answer calls with tasks of its own accord; while there is no session, it might be one that
   * does.
   */
  get follows(): boolean {
    const { session } = this.#connection
    return (
      (session.era !== 'handshake' || !session.open) && declaresExtension(session.self.capabilities, TASKS_EXTENSION)
    )
  }

  /** Calls, and follows what is answered with a task to its end. */
  call(params: Body, options: CallOptions | undefined, convert: Convert): Promise<CallOutcome> {
    const progress = this.#progressOf(options)
    const onTask = (answer: Body): Promise<CallOutcome> =>
      this.#follow(readFlatTask('tools/call', answer), options ?? {}, convert, progress)
    return this.#connection.request('tools/call', params, { ...options, ...heardBy(progress), onTask }, convert)
  }

  /** Throws where servers have no list of tasks. */
  demandList(): void {
    const { session } = this.#connection
    if (session.stateful) return
    throw new ParleyError('method_not_found', {
      message: `Servers do not list tasks in protocol version ${session.version}: keep their ids, and find each with client.task(id)`,
    })
  }

  /**
   * `possible` is false for tools that cannot: those, and all of servers without tasks, run as ever behind the same
   * handle (C-24).
   */
  async begin(params: Body, options: TaskCallOptions, convert: Convert, possible: boolean): Promise<TaskHandle> {
    const handle = await this.#begin(params, options, convert, possible)
    if (options.onStatus !== undefined) handle.onStatus(options.onStatus)
    return handle
  }

  /** Begins the task and waits for its end. A task takes its time, so only limits the caller sets count. */
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

  /**
   * C-23: a tool that was not listed may turn out to run only as a task; the refused call has not run, so it is made
   * again as one.
   */
  async runIfRequired(
    error: unknown,
    params: Body,
    options: CallOptions | undefined,
    convert: Convert,
  ): Promise<CallOutcome> {
    if (refusedFor(error) !== 'required') throw error
    return await this.run(params, options ?? {}, convert)
  }

  /** A task that was begun earlier, perhaps before a reconnect. */
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
    if (!possible || !(isPolled ? this.follows : this.offered)) return this.#local(params, options, convert)
    return isPolled
      ? await this.#beginPolled(params, options, convert)
      : await this.#beginRemote(params, options, convert)
  }

  /** The server decides whether there is a task, so its answer is waited for. */
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
      { ...rest, ...heardBy(progress), ...(signal && { signal }), onTask },
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
    // Before anybody listens: only who waits for the result keeps the program from ending.
    const result = polled.result()
    // A sign of life, where there is no progress.
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
      if (refusedFor(error) !== 'forbidden') throw error
    })
    if (begun === undefined) return this.#local(params, options, convert)
    if ('task' in begun) return handleOf(begun.task, convert)
    return new LocalTask(this.#connection.session, async () => convert(begun.result))
  }

  #local(params: Body, { signal, ...options }: TaskCallOptions, convert: Convert): TaskHandle {
    const { session } = this.#connection
    return new LocalTask(session, (own) => {
      const limited = { ...options, signal: signal === undefined ? own : AbortSignal.any([signal, own]) }
      return this.follows
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

function heardBy(progress: StatusProgress | undefined): Pick<CallOptions, 'onProgress'> | undefined {
  return progress && { onProgress: progress.onProgress }
}

/** What a server that refuses the way a tool was called says of it. */
function refusedFor(error: unknown): unknown {
  return error instanceof ParleyError && error.receivedCode === METHOD_NOT_FOUND
    ? error.data?.['taskSupport']
    : undefined
}

function handleOf(task: Followed, convert: Convert): TaskHandle {
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
