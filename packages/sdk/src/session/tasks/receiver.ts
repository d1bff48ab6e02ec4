/**
 * Runs requests of peers as tasks, and answers requests about tasks in the form of the peer (F8, C-24, D7). The same
 * for servers and clients.
 */
import { ParleyError, toParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { hasExpired, type TaskChange, type TaskRecord } from '../../stores/index.ts'
import { Backoff } from '../../timing/index.ts'
import { pushRounds } from '../asking/push-rounds.ts'
import { type Answer, type Inbound, InputRequired } from '../endpoint.ts'
import { costOf } from '../memory/budgets.ts'
import type { SessionView } from '../session-view.ts'
import { createdOf, detailOf, usesExtension } from './extension.ts'
import { grantedTtl, type TaskOptions, type TaskSettings, taskSettings } from './options.ts'
import { asJson, type Ending, endingOf, failureOf, resultOf } from './outcome.ts'
import { TaskRetention } from './retention.ts'
import { RunningTask } from './running-task.ts'
import { isTerminal, sourcesOf } from './status.ts'
import { readPosition, viewOf, writePosition } from './view.ts'

/** Answers the request behind a task; what it throws is the task's outcome. */
export type TaskRun = (task: Inbound) => Answer | Promise<Answer>

/** Called for each change of a task. `detailed` is the task as the extension shows it. */
export type TaskObserver = (taskId: string, principal: string, detailed: Body) => void

/** Shortest time between two searches for expired tasks of earlier processes, in milliseconds. */
const SWEEP_INTERVAL = 60_000
/** Most times a handler is run again with what it asked for. */
const MAX_ROUNDS = 32
const EXPIRED = 'The time of the task is over'
const ACKNOWLEDGED: Body = {}

export class TaskReceiver {
  readonly #settings: TaskSettings
  readonly #onError: ((error: unknown, during: string) => void) | undefined
  readonly #running = new Map<string, RunningTask>()
  readonly #retention = new TaskRetention()
  /** Those that have tasks of their own. */
  readonly #owners = new WeakSet<SessionView>()
  readonly #observers = new Set<TaskObserver>()
  #sweptAt = Number.NEGATIVE_INFINITY

  /** `onError` gets the errors that no peer gets. */
  constructor(options?: TaskOptions, onError?: (error: unknown, during: string) => void) {
    this.#settings = taskSettings(options)
    this.#onError = onError
  }

  /** How many tasks are running. */
  get running(): number {
    return this.#running.size
  }

  /** The returned function takes the observer away. */
  onChange(observer: TaskObserver): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  /** The ids of tasks that the request may ask about. */
  async owned(request: Inbound, taskIds: readonly string[]): Promise<string[]> {
    const found = await Promise.all(taskIds.map((taskId) => this.#find(taskId, request)))
    return found.flatMap((record) => (record === undefined ? [] : [record.taskId]))
  }

  /** Answers the request with a task, and runs the request after that. */
  async accept(request: Inbound, run: TaskRun): Promise<Body> {
    const { store, principal, maxTasks, pollInterval } = this.#settings
    const { session, method } = request
    const isExtension = usesExtension(request)
    const ttl = grantedTtl(isExtension ? {} : request.params['task'], this.#settings)
    const { task: _t, _meta, inputResponses: _i, requestState: _s, ...params } = request.params
    const now = session.clock.now()
    void this.#guard('expiry', this.#sweep(now))
    const taskId = session.mint()
    const owner = principal(session, request)
    const record: TaskRecord = {
      taskId,
      principal: owner,
      method,
      params,
      status: 'working',
      createdAt: now,
      updatedAt: now,
      ttl,
      pollInterval,
    }
    const give = request.keep(costOf(params), 'a task')
    if (!(await this.#created(record, give))) {
      throw new ParleyError('too_many_requests', {
        message: `${maxTasks} tasks are already kept for this requestor; cancelled and finished ones count until their ttl is over`,
      })
    }
    this.#retention.count(taskId, give)
    if (owner === session.id) this.#owners.add(session)
    const task: RunningTask = new RunningTask(request, taskId, {
      move: (status, statusMessage) =>
        this.#change(task, statusMessage === undefined ? { status } : { status, statusMessage }),
      remark: async (statusMessage) =>
        this.#tell(
          await store.update(taskId, ['working'], { status: 'working', statusMessage, updatedAt: session.clock.now() }),
        ),
      show: (questions, statusMessage) =>
        this.#change(task, { status: 'input_required', statusMessage, questions }, ['working', 'input_required']),
    })
    this.#running.set(taskId, task)
    this.#retention.expireLater(
      record,
      session.clock,
      () => void this.#guard('the end of a ttl', this.#remove(taskId, EXPIRED)),
    )
    request.afterAnswer(
      () =>
        void this.#guard(
          method,
          request.cancelled ? this.#remove(taskId, 'The request was cancelled') : this.#run(task, run),
        ),
    )
    return isExtension ? createdOf(this.#paced(record, now)) : { task: viewOf(record) }
  }

  /** False when there are too many tasks. Then its bytes are given back. */
  async #created(record: TaskRecord, give: () => void): Promise<boolean> {
    const { store, maxTasks } = this.#settings
    let isCreated = false
    try {
      isCreated = await store.create(record, maxTasks)
      return isCreated
    } finally {
      if (!isCreated) give()
    }
  }

  /**
   * Answers what is asked about tasks: with `tasks/result` and `tasks/list` in 2025-11-25, with `tasks/update` in the
   * extension.
   */
  answer(request: Inbound): Promise<Body> {
    const isExtension = usesExtension(request)
    switch (request.method) {
      case 'tasks/get':
        return this.#own(request).then((record) =>
          isExtension ? detailOf(this.#paced(record, request.session.clock.now())) : viewOf(record),
        )
      case 'tasks/cancel':
        return isExtension ? this.#end(request) : this.#cancel(request)
      case isExtension ? 'tasks/update' : undefined:
        return this.#update(request)
      case isExtension ? undefined : 'tasks/result':
        return this.#result(request)
      case isExtension ? undefined : 'tasks/list':
        return this.#list(request)
      default:
        throw new ParleyError('method_not_found', { message: `Method not found: ${request.method.slice(0, 200)}` })
    }
  }

  /** The session has ended: tasks that belong to it alone can never be asked for again. */
  release(session: SessionView): void {
    void this.#guard('the end of a session', this.#forget(session))
  }

  /** Stops all that runs. What is kept stays until its time is over. */
  async close(): Promise<void> {
    const error = new ParleyError('shutting_down', { message: 'The task was ended by a shutdown' })
    const endings = [...this.#running.values()].map(async (task) => {
      task.cancel(error.message)
      await this.#conclude(task, failureOf(error, task.caller.version))
    })
    this.#retention.stopTimers()
    await this.#guard('a shutdown', Promise.all(endings))
    this.#retention.clear()
  }

  async #run(task: RunningTask, run: TaskRun): Promise<void> {
    let ending: Ending
    try {
      const result = asJson(await answerOf(task, run))
      this.#keepResult(task, result)
      ending = endingOf(task.method, result)
    } catch (thrown) {
      const error = toParleyError(thrown)
      // Masked errors are reported where they are masked.
      if (error !== thrown && !task.cancelled) this.#onError?.(thrown, `the task of ${task.method}`)
      ending = failureOf(error, task.caller.version)
    }
    await this.#conclude(task, ending)
  }

  /** Counts the result if the store is in memory. Throws when there is no room. */
  #keepResult(task: RunningTask, result: Body): void {
    if (this.#settings.store.inMemory === true && this.#retention.has(task.taskId))
      this.#retention.count(task.taskId, task.keep(costOf(result), 'the result of a task'))
  }

  async #conclude(task: RunningTask, ending: Ending): Promise<void> {
    try {
      await this.#change(task, ending)
    } finally {
      this.#running.delete(task.taskId)
      if (this.#settings.store.inMemory !== true) this.#retention.give(task.taskId)
      task.finish()
    }
  }

  async #change(task: RunningTask, change: Ending, from = sourcesOf(change.status)): Promise<void> {
    const after = await this.#settings.store.update(task.taskId, from, {
      ...change,
      updatedAt: task.session.clock.now(),
    })
    if (after === undefined) return
    task.announce(viewOf(after))
    this.#tell(after)
  }

  /** The older the task, the longer requestors that poll are asked to wait, so that a short task ends soon. */
  #paced(record: TaskRecord, now: number): TaskRecord {
    const { firstLook } = this.#settings
    if (firstLook === undefined) return record
    const grown = (now - record.createdAt) * (Backoff.growth - 1)
    return { ...record, pollInterval: Math.min(record.pollInterval, Math.max(firstLook, grown)) }
  }

  #tell(record: TaskRecord | undefined): void {
    if (record === undefined || this.#observers.size === 0) return
    const detailed = detailOf(this.#paced(record, record.updatedAt))
    for (const observer of [...this.#observers]) {
      try {
        observer(record.taskId, record.principal, detailed)
      } catch (error) {
        this.#onError?.(error, 'tasks: an observer')
      }
    }
  }

  async #own(request: Inbound): Promise<TaskRecord> {
    const { taskId } = request.params
    if (typeof taskId !== 'string') throw new ParleyError('invalid_params', { message: '"taskId" must be a string' })
    const record = await this.#find(taskId, request)
    if (record === undefined)
      throw new ParleyError('task_not_found', { message: 'Task not found: it is unknown, or its time is over' })
    return record
  }

  /** A task of another requestor is unknown, like one that does not exist. */
  async #find(taskId: string, request: Inbound): Promise<TaskRecord | undefined> {
    const { store, principal } = this.#settings
    const record = await store.get(taskId)
    if (record === undefined || record.principal !== principal(request.session, request)) return undefined
    return hasExpired(record, request.session.clock.now()) ? undefined : record
  }

  /** Answers are for questions that are open here; others, and what has not the form of an answer, change nothing. */
  async #update(request: Inbound): Promise<Body> {
    const { inputResponses } = request.params
    if (!isObject(inputResponses))
      throw new ParleyError('invalid_params', { message: '"inputResponses" must be an object' })
    const { taskId, status } = await this.#own(request)
    const task = this.#running.get(taskId)
    // Not acknowledged, so that it is brought again: the next request may come to the right process.
    if (task === undefined && !isTerminal(status))
      throw new ParleyError('internal_error', { message: 'The task does not run here: no answer can be taken' })
    task?.answer(inputResponses)
    return ACKNOWLEDGED
  }

  async #result(request: Inbound): Promise<Body> {
    for (;;) {
      // Before the record is read: a task that ends in between is still seen.
      const task = this.#running.get(request.params['taskId'] as string)
      const record = await this.#own(request)
      if (isTerminal(record.status)) return resultOf(record, request.session)
      if (request.cancelled) throw new ParleyError('request_cancelled')
      await (task === undefined ? pause(request, record.pollInterval) : untilOver(task, request))
    }
  }

  async #list(request: Inbound): Promise<Body> {
    const { store, principal, pageSize } = this.#settings
    const { session, params } = request
    const now = session.clock.now()
    const after = params['cursor'] === undefined ? undefined : readPosition(params['cursor'])
    void this.#guard('expiry', this.#sweep(now))
    const records = await store.list(principal(session, request), after, pageSize + 1)
    const tasks = records
      .slice(0, pageSize)
      .filter((record) => !hasExpired(record, now))
      .map(viewOf)
    return records.length > pageSize
      ? { tasks, nextCursor: writePosition(records[pageSize - 1] as TaskRecord) }
      : { tasks }
  }

  async #cancel(request: Inbound): Promise<Body> {
    const { taskId, status } = await this.#own(request)
    const after = await this.#stop(taskId, request)
    if (after !== undefined) return viewOf(after)
    const now = (await this.#settings.store.get(taskId))?.status ?? status
    throw new ParleyError('invalid_params', { message: `Cannot cancel the task: it is already ${now}` })
  }

  /** The extension takes the wish for what it is: a task that is over needs no end. */
  async #end(request: Inbound): Promise<Body> {
    const { taskId } = await this.#own(request)
    await this.#stop(taskId, request)
    return ACKNOWLEDGED
  }

  /** The task as it is then; `undefined` when it was over. */
  async #stop(taskId: string, request: Inbound): Promise<TaskRecord | undefined> {
    const error = new ParleyError('request_cancelled', { message: 'The task was cancelled' }).toWire(
      request.caller.version,
    )
    const change: TaskChange = {
      status: 'cancelled',
      statusMessage: 'Cancelled by the requestor',
      outcome: { error },
      updatedAt: request.session.clock.now(),
    }
    const after = await this.#settings.store.update(taskId, sourcesOf('cancelled'), change)
    if (after === undefined) return undefined
    const task = this.#running.get(taskId)
    this.#running.delete(taskId)
    task?.announce(viewOf(after))
    this.#tell(after)
    task?.cancel('The task was cancelled by the requestor')
    return after
  }

  async #remove(taskId: string, reason: string): Promise<void> {
    this.#drop(taskId, reason)
    await this.#settings.store.delete(taskId)
  }

  #drop(taskId: string, reason: string): void {
    this.#retention.drop(taskId)
    this.#running.get(taskId)?.cancel(reason)
    this.#running.delete(taskId)
  }

  async #sweep(now: number): Promise<void> {
    if (now - this.#sweptAt < SWEEP_INTERVAL) return
    this.#sweptAt = now
    for (const taskId of await this.#settings.store.expire(now)) this.#drop(taskId, EXPIRED)
  }

  async #forget(session: SessionView): Promise<void> {
    if (!this.#owners.delete(session)) return
    const { store, maxTasks } = this.#settings
    for (const { taskId } of await store.list(session.id, undefined, maxTasks))
      await this.#remove(taskId, 'The session has ended')
  }

  /** For work without a caller. Its errors are reported. */
  async #guard(during: string, work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#onError?.(error, `tasks: ${during}`)
    }
  }
}

/** A handler that asks before it answers is run again with what it was told. */
async function answerOf(task: RunningTask, run: TaskRun): Promise<Answer> {
  const answer = await run(task)
  return answer instanceof InputRequired ? pushRounds(task, answer, MAX_ROUNDS, run) : answer
}

/** Until the task is over, or the request is cancelled. */
function untilOver(task: RunningTask, request: Inbound): Promise<void> {
  const stopListening = task.listen(request)
  return new Promise<void>((resolve) => {
    request.signal.addEventListener('abort', () => resolve(), { once: true })
    void task.over.then(resolve)
  }).finally(stopListening)
}

/** The task runs in another process. Only the store knows its end. */
function pause(request: Inbound, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = request.session.clock.after(ms, resolve)
    request.signal.addEventListener(
      'abort',
      () => {
        stop()
        resolve()
      },
      { once: true },
    )
  })
}
