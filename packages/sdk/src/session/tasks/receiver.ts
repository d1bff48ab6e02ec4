/** Runs requests of peers as tasks, and answers what peers ask about them (F8, C-24). The same for servers and clients. */
import { fromWire, ParleyError, toParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { hasExpired, type TaskChange, type TaskRecord } from '../../stores/index.ts'
import type { Clock } from '../clock.ts'
import type { Inbound } from '../endpoint.ts'
import type { Session } from '../session.ts'
import { grantedTtl, type TaskOptions, type TaskSettings, taskSettings } from './options.ts'
import { relatedTo } from './related.ts'
import { RunningTask } from './running-task.ts'
import { isTerminal, sourcesOf } from './status.ts'
import { readPosition, viewOf, writePosition } from './view.ts'

/** Answers the request behind a task; what it throws is the task's outcome. */
export type TaskRun = (task: Inbound) => Body | Promise<Body>

type Ending = Omit<TaskChange, 'updatedAt'>

/** What earlier processes left in a store is looked for at most this often, in milliseconds. */
const SWEEP_INTERVAL = 60_000
const MAX_MESSAGE = 500

export class TaskReceiver {
  readonly #settings: TaskSettings
  readonly #onError: ((error: unknown, during: string) => void) | undefined
  readonly #running = new Map<string, RunningTask>()
  /** Cancels the timer that ends a task's time. */
  readonly #expiries = new Map<string, () => void>()
  #sweptAt = Number.NEGATIVE_INFINITY

  /** `onError` is told what no peer is. */
  constructor(options?: TaskOptions, onError?: (error: unknown, during: string) => void) {
    this.#settings = taskSettings(options)
    this.#onError = onError
  }

  /** How many tasks are running. */
  get running(): number {
    return this.#running.size
  }

  /** Accepts a request that has a `task`: answers that there is one now, and runs it after that. */
  async accept(request: Inbound, run: TaskRun): Promise<Body> {
    const { store, principal, maxTasks, pollInterval } = this.#settings
    const { session, method } = request
    const ttl = grantedTtl(request.params['task'], this.#settings)
    const { task: _, _meta, ...params } = request.params
    const now = session.clock.now()
    void this.#guard('expiry', this.#sweep(now))
    const taskId = session.mint()
    const record: TaskRecord = { taskId, principal: principal(session), method, params, status: 'working', createdAt: now, updatedAt: now, ttl, pollInterval }
    if (!(await store.create(record, maxTasks))) {
      throw new ParleyError('too_many_requests', {
        message: `${maxTasks} tasks are already kept for this requestor; cancelled and finished ones count until their ttl is over`,
      })
    }
    const task: RunningTask = new RunningTask(request, taskId, {
      move: (status, statusMessage) => this.#change(task, statusMessage === undefined ? { status } : { status, statusMessage }),
      remark: async (statusMessage) => void (await store.update(taskId, ['working'], { status: 'working', statusMessage, updatedAt: session.clock.now() })),
    })
    this.#running.set(taskId, task)
    this.#expireLater(record, session.clock)
    request.afterAnswer(() => void this.#guard(method, request.cancelled ? this.#remove(taskId, 'The request was cancelled') : this.#run(task, run)))
    return { task: viewOf(record) }
  }

  /** Answers `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`. */
  answer(request: Inbound): Promise<Body> {
    switch (request.method) {
      case 'tasks/get':
        return this.#own(request).then(viewOf)
      case 'tasks/result':
        return this.#result(request)
      case 'tasks/list':
        return this.#list(request)
      case 'tasks/cancel':
        return this.#cancel(request)
      default:
        throw new ParleyError('method_not_found', { message: `Method not found: ${request.method.slice(0, 200)}` })
    }
  }

  /** The session has ended: tasks that belong to it alone can never be asked for again. */
  release(session: Session): void {
    void this.#guard('the end of a session', this.#forget(session))
  }

  /** Stops all that runs. What is kept stays until its time is over. */
  async close(): Promise<void> {
    const error = new ParleyError('shutting_down', { message: 'The task was ended by a shutdown' })
    const endings = [...this.#running.values()].map(async (task) => {
      task.cancel(error.message)
      await this.#end(task, { status: 'failed', statusMessage: error.message, outcome: { error: error.toWire(task.session.version) } })
    })
    for (const stop of this.#expiries.values()) stop()
    this.#expiries.clear()
    await this.#guard('a shutdown', Promise.all(endings))
  }

  async #run(task: RunningTask, run: TaskRun): Promise<void> {
    let ending: Ending
    try {
      ending = endingOf(task.method, asJson(await run(task)))
    } catch (thrown) {
      const error = toParleyError(thrown)
      // What is masked on purpose was reported where that was decided.
      if (error !== thrown && !task.cancelled) this.#onError?.(thrown, `the task of ${task.method}`)
      ending = { status: 'failed', statusMessage: error.message.slice(0, MAX_MESSAGE), outcome: { error: error.toWire(task.session.version) } }
    }
    await this.#end(task, ending)
  }

  async #end(task: RunningTask, ending: Ending): Promise<void> {
    try {
      await this.#change(task, ending)
    } finally {
      this.#running.delete(task.taskId)
      task.finish()
    }
  }

  async #change(task: RunningTask, change: Ending): Promise<void> {
    const after = await this.#settings.store.update(task.taskId, sourcesOf(change.status), { ...change, updatedAt: task.session.clock.now() })
    if (after !== undefined) task.announce(viewOf(after))
  }

  /** Foreign tasks are as unknown as those that never were. */
  async #own(request: Inbound): Promise<TaskRecord> {
    const { taskId } = request.params
    if (typeof taskId !== 'string') throw new ParleyError('invalid_params', { message: '"taskId" must be a string' })
    const { store, principal } = this.#settings
    const record = await store.get(taskId)
    if (record === undefined || record.principal !== principal(request.session) || hasExpired(record, request.session.clock.now())) {
      throw new ParleyError('task_not_found', { message: 'Task not found: it is unknown, or its time is over' })
    }
    return record
  }

  async #result(request: Inbound): Promise<Body> {
    for (;;) {
      // Before the record is read: a task that ends in between is still seen.
      const task = this.#running.get(String(request.params['taskId']))
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
    const records = await store.list(principal(session), after, pageSize + 1)
    const tasks = records
      .slice(0, pageSize)
      .filter((record) => !hasExpired(record, now))
      .map(viewOf)
    return records.length > pageSize ? { tasks, nextCursor: writePosition(records[pageSize - 1] as TaskRecord) } : { tasks }
  }

  async #cancel(request: Inbound): Promise<Body> {
    const { taskId, status } = await this.#own(request)
    const error = new ParleyError('request_cancelled', { message: 'The task was cancelled' }).toWire(request.session.version)
    const change: TaskChange = { status: 'cancelled', statusMessage: 'Cancelled by the requestor', outcome: { error }, updatedAt: request.session.clock.now() }
    const after = await this.#settings.store.update(taskId, sourcesOf('cancelled'), change)
    if (after === undefined) {
      const now = (await this.#settings.store.get(taskId))?.status ?? status
      throw new ParleyError('invalid_params', { message: `Cannot cancel the task: it is already ${now}` })
    }
    const task = this.#running.get(taskId)
    this.#running.delete(taskId)
    task?.announce(viewOf(after))
    task?.cancel('The task was cancelled by the requestor')
    return viewOf(after)
  }

  #expireLater({ taskId, createdAt, ttl }: TaskRecord, clock: Clock): void {
    if (ttl === null) return
    const due = createdAt + ttl
    // Clocks may be early, and have a longest wait.
    const arm = () =>
      this.#expiries.set(
        taskId,
        clock.after(Math.max(0, due - clock.now()), () => {
          if (clock.now() < due) arm()
          else void this.#guard('the end of a ttl', this.#remove(taskId, 'The time of the task is over'))
        }),
      )
    arm()
  }

  async #remove(taskId: string, reason: string): Promise<void> {
    this.#drop(taskId, reason)
    await this.#settings.store.delete(taskId)
  }

  #drop(taskId: string, reason: string): void {
    this.#expiries.get(taskId)?.()
    this.#expiries.delete(taskId)
    this.#running.get(taskId)?.cancel(reason)
    this.#running.delete(taskId)
  }

  async #sweep(now: number): Promise<void> {
    if (now - this.#sweptAt < SWEEP_INTERVAL) return
    this.#sweptAt = now
    for (const taskId of await this.#settings.store.expire(now)) this.#drop(taskId, 'The time of the task is over')
  }

  async #forget(session: Session): Promise<void> {
    const { store, principal, maxTasks } = this.#settings
    const owner = principal(session)
    if (owner !== session.id) return
    for (const { taskId } of await store.list(owner, undefined, maxTasks)) await this.#remove(taskId, 'The session has ended')
  }

  /** For work nobody waits for. */
  async #guard(during: string, work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#onError?.(error, `tasks: ${during}`)
    }
  }
}

function endingOf(method: string, result: Body): Ending {
  if (method !== 'tools/call' || result['isError'] !== true) return { status: 'completed', outcome: { result } }
  return { status: 'failed', statusMessage: firstText(result['content']), outcome: { result } }
}

function firstText(content: unknown): string {
  const block: unknown = Array.isArray(content) ? content.find((each) => isObject(each) && each['type'] === 'text') : undefined
  return isObject(block) ? String(block['text']).slice(0, MAX_MESSAGE) : 'The tool failed'
}

/** As it would have travelled: a copy nobody can change any more. */
function asJson(result: Body): Body {
  return JSON.parse(JSON.stringify(result)) as Body
}

/** Exactly what the request itself would have been answered with. */
function resultOf({ taskId, method, params, outcome }: TaskRecord, session: Session): Body {
  if (outcome === undefined) throw new ParleyError('internal_error', { message: 'The task has no result' })
  if ('error' in outcome) throw fromWire(outcome.error)
  return relatedTo(taskId, session.translateResult(method, outcome.result, params))
}

/** Until the task is over, or nobody wants to know any more. */
function untilOver(task: RunningTask, request: Inbound): Promise<void> {
  const stopListening = task.listen(request)
  return new Promise<void>((resolve) => {
    request.signal.addEventListener('abort', () => resolve(), { once: true })
    void task.over.then(resolve)
  }).finally(stopListening)
}

/** The task runs elsewhere, and only the store will tell. */
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
