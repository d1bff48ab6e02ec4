/**
 * A request of the peer that runs as a task: to its handler it looks like any other, and what it sends is marked as
 * part of the task.
 */
import { ParleyError } from '../../errors/index.ts'
import type { Body, RequestId } from '../../jsonrpc/index.ts'
import type { TaskStatus } from '../../protocol/index.ts'
import type { Loss } from '../../versions/index.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { Caller, Inbound, MessageContext, Retry } from '../endpoint.ts'
import { onAbort } from '../eras/stateless/client/question.ts'
import type { EngineRequestOptions } from '../request-options.ts'
import type { SessionView } from '../session-view.ts'
import { usesExtension } from './extension.ts'
import { TaskQuestions } from './questions.ts'
import { relatedTo } from './related.ts'

/** Writes down what becomes of a task. */
export interface TaskJournal {
  /** Does nothing when the change is not legal, for example after a cancellation. */
  move(status: TaskStatus, statusMessage?: string): Promise<void>
  /** Another message for the status it has. */
  remark(statusMessage: string): Promise<void>
  /** Input is required: these questions are open now. */
  show(questions: Body, statusMessage: string): Promise<void>
}

/** The destination of a message of the task: the session, and the open `tasks/result` it belongs to. */
interface MessageTarget {
  readonly session: SessionView
  readonly relatedTo?: RequestId
}

/** How long a question waits for a listener, unless the handler says otherwise. */
const QUESTION_TIMEOUT: Duration = '10m'

/** Whether a request has become a task already. */
export function isTask(request: Inbound): boolean {
  return request instanceof RunningTask
}

export class RunningTask implements Inbound {
  readonly taskId: string
  readonly id: RequestId
  readonly method: string
  readonly params: Body
  readonly session: SessionView
  readonly caller: Caller
  readonly principal: string | undefined
  /** A task has no log level of its own. */
  readonly logLevel = undefined
  readonly owner = undefined
  /** Set when the handler is run again with what it asked for. */
  retry: Retry | undefined
  readonly context: MessageContext
  /** Resolves when the task is over, however. */
  readonly over: Promise<void>
  #controller = new AbortController()
  #isOver = false
  #resolveOver: () => void = () => {}
  #lastProgress = Number.NEGATIVE_INFINITY
  #questions = 0
  /** Changes of status, one after the other. */
  #moving: Promise<unknown> = Promise.resolve()
  readonly #request: Inbound
  readonly #journal: TaskJournal
  /** Open `tasks/result` requests: the peer listens there. */
  readonly #listeners = new Set<Inbound>()
  /** Questions that wait for a listener. */
  readonly #parked = new Set<(target: MessageTarget) => void>()
  /** For requestors that only poll: nothing is sent for the task, and questions wait here. */
  readonly #waiting: TaskQuestions | undefined

  constructor(request: Inbound, taskId: string, journal: TaskJournal) {
    const { task: _t, inputResponses: _i, requestState: _s, ...params } = request.params
    this.taskId = taskId
    this.id = request.id
    this.method = request.method
    this.params = params
    this.session = request.session
    this.caller = request.caller
    this.principal = request.principal
    this.context = request.context
    this.#request = request
    this.#journal = journal
    if (usesExtension(request)) this.#waiting = new TaskQuestions(request.session.clock, () => this.#writeQuestions())
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve
    })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get cancelled(): boolean {
    return this.#controller.signal.aborted
  }

  keep(cost: number, what: string): () => void {
    return this.#request.keep(cost, what)
  }

  get sent(): Body {
    return this.params
  }

  onCancel(run: (reason: string) => void): () => void {
    return onAbort(this.signal, run)
  }

  /** Nothing more is sent for the task. */
  finish(): void {
    this.#isOver = true
    this.#waiting?.end()
    this.#resolveOver()
  }

  /** Stops the handler. */
  cancel(reason: string): void {
    this.#controller.abort(new ParleyError('request_cancelled', { message: reason }))
    this.finish()
  }

  /**
   * C-32: the token of the request is valid as long as the task runs. A requestor that polls reads the message in the
   * status.
   */
  progress(progress: number, total?: number, message?: string, more?: Body): void {
    if (this.#isOver || !(progress > this.#lastProgress)) return
    this.#lastProgress = progress
    // A failed status message does no harm.
    if (message !== undefined) this.#then(async () => this.#isAsking || this.#journal.remark(message)).catch(() => {})
    if (this.#waiting !== undefined) return
    const token = (this.params['_meta'] as Body | undefined)?.['progressToken']
    if (typeof token !== 'string' && typeof token !== 'number') return
    const params: Body = { ...more, progressToken: token, progress }
    if (total !== undefined) params['total'] = total
    if (message !== undefined) params['message'] = message
    this.#send('notifications/progress', relatedTo(this.taskId, params), this.#target(this.session))
  }

  notify(method: string, params?: Body): void {
    if (!this.#isOver && this.#waiting === undefined) this.#send(method, relatedTo(this.taskId, params), this.#target())
  }

  /** Sends a change to the requestor. A message about the task itself carries no mark. */
  announce(task: Body): void {
    if (this.#waiting === undefined) this.#send('notifications/tasks/status', task, this.#target())
  }

  release(retry?: Duration): void {
    for (const listener of this.#listeners) listener.release(retry)
  }

  async request(method: string, params?: Body, options: EngineRequestOptions = {}): Promise<Body> {
    const signal = options.signal === undefined ? this.signal : AbortSignal.any([options.signal, this.signal])
    if (this.#waiting !== undefined) return this.#waitFor(this.#waiting, method, params, { ...options, signal })
    await this.#ask(method)
    try {
      const target = await this.#targetFor(method, signal, options.timeout)
      const marked = method.startsWith('tasks/') ? params : relatedTo(this.taskId, params)
      const { relatedTo: _, ...rest } = options
      return await target.session.request(method, marked, {
        ...rest,
        signal,
        ...(target.relatedTo === undefined ? {} : { relatedTo: target.relatedTo }),
      })
    } finally {
      await this.#asked()
    }
  }

  written(result: Body, onLoss?: (loss: Loss) => void): Body {
    return this.#request.written(result, onLoss)
  }

  afterAnswer(run: () => void): void {
    void this.over.then(run)
  }

  /** Adds a `tasks/result` on which the peer listens. Returns how to end that. */
  listen(listener: Inbound): () => void {
    this.#listeners.add(listener)
    for (const deliver of this.#parked) deliver({ session: listener.session, relatedTo: listener.id })
    this.#parked.clear()
    return () => this.#listeners.delete(listener)
  }

  /** Answers that the requestor brought to the task. */
  answer(responses: unknown): void {
    this.#waiting?.answer(responses)
  }

  get #isAsking(): boolean {
    return this.#questions > 0 || (this.#waiting?.size ?? 0) > 0
  }

  #waitFor(
    waiting: TaskQuestions,
    method: string,
    params: Body | undefined,
    options: EngineRequestOptions,
  ): Promise<Body> {
    if (this.#isOver) throw tooLate(method)
    if (!this.caller.can(method)) throw unaskable(method)
    return waiting.ask(method, params, options)
  }

  #writeQuestions(): Promise<unknown> {
    return this.#then(async () => {
      const waiting = this.#waiting as TaskQuestions
      if (waiting.size === 0) return this.#journal.move('working')
      const [{ method }] = Object.values(waiting.shown()) as [{ method: string }]
      return this.#journal.show(waiting.shown(), `Waiting for the answer to ${method}`)
    })
  }

  #ask(method: string): Promise<unknown> {
    if (this.#isOver) throw tooLate(method)
    return this.#then(
      async () =>
        this.#questions++ === 0 && this.#journal.move('input_required', `Waiting for the answer to ${method}`),
    )
  }

  #asked(): Promise<unknown> {
    return this.#then(async () => --this.#questions === 0 && this.#journal.move('working'))
  }

  #then(move: () => Promise<unknown>): Promise<unknown> {
    const moved = this.#moving.then(move)
    this.#moving = moved.catch(() => {})
    return moved
  }

  /** The latest listener, or the session the task came from. */
  #target(session?: SessionView): MessageTarget | undefined {
    const listener = [...this.#listeners].filter((each) => session === undefined || each.session === session).pop()
    if (listener !== undefined) return { session: listener.session, relatedTo: listener.id }
    return this.session.open ? { session: this.session } : undefined
  }

  #send(method: string, params: Body, target: MessageTarget | undefined): void {
    target?.session.notify(method, params, target.relatedTo === undefined ? undefined : { relatedTo: target.relatedTo })
  }

  /**
   * A question is sent at once if the peer reads it. Otherwise it waits until the peer, which sees `input_required`,
   * listens.
   */
  #targetFor(
    method: string,
    signal: AbortSignal,
    timeout: Duration = QUESTION_TIMEOUT,
  ): Promise<MessageTarget> | MessageTarget {
    const target = this.#target()
    if (target !== undefined && (target.relatedTo !== undefined || target.session.reachable)) return target
    return new Promise((resolve, reject) => {
      const done = () => {
        stopTimer()
        signal.removeEventListener('abort', abort)
        this.#parked.delete(deliver)
      }
      const abort = () => {
        done()
        reject(signal.reason)
      }
      const deliver = (found: MessageTarget) => {
        done()
        resolve(found)
      }
      const stopTimer = this.session.clock.after(milliseconds(timeout), () => {
        done()
        reject(
          new ParleyError('request_timeout', { message: `No listener of the task could be asked ${method} in time` }),
        )
      })
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      this.#parked.add(deliver)
    })
  }
}

function tooLate(method: string): ParleyError {
  return new ParleyError('request_cancelled', { message: `The task was over before ${method} could be sent` })
}

function unaskable(method: string): ParleyError {
  const capability = method.split('/', 1)[0] as string
  return new ParleyError('missing_client_capability', {
    message: `${method} cannot be asked of this client: it does not declare the capability`,
    data: { requiredCapabilities: { [capability]: {} } },
  })
}
