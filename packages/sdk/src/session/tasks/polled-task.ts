/**
 * A request of this side that the peer runs as a task of the extension. Polls the task, answers its questions and
 * reports its end (D7, SEP-2663).
 */
import { fromWire, ParleyError, type WireError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { Task } from '../../protocol/index.ts'
import { outcomeOfTask, readInputRequired, taskFromExtension } from '../../versions/index.ts'
import { type Duration, milliseconds } from '../duration.ts'
import { unframed } from '../eras/stateless/client/result.ts'
import { answerFor } from './answered.ts'
import type { TaskPeer } from './remote-task.ts'
import { isTerminal } from './status.ts'
import { readTask } from './view.ts'

export interface PollOptions {
  /** Time between two polls. Default: the interval that the peer asks for, else 1 s. */
  pollInterval?: Duration
  /** Aborting it cancels the task. */
  signal?: AbortSignal
  /** The caller. Passed to the handler of questions. */
  owner?: unknown
}

type StatusListener = (task: Task) => void

/** One question of the task, which is asked once. */
interface Asked {
  readonly controller: AbortController
  answer?: Body
  /** On its way, or there. */
  sent: boolean
}

type Ending = { readonly result: Body } | { readonly error: unknown }

const DEFAULT_INTERVAL = 1000
/** Shortest interval, also for peers that ask for a shorter one. */
const SHORTEST_INTERVAL = 100
/** Most polls that may fail in a row. */
const MAX_FAILURES = 3
const PASSING: readonly string[] = ['request_timeout', 'too_many_requests']

/** Whether a request was answered with a task of the extension. */
export function isFlatTask(answer: Body): boolean {
  return answer['resultType'] === 'task'
}

/** The task in such an answer; throws `invalid_answer` for what is none. */
export function readFlatTask(method: string, answer: Body): Task {
  return readTask(method, taskFromExtension(answer))
}

export class PolledTask {
  readonly id: string
  #latest: Task
  readonly #peer: TaskPeer
  readonly #options: PollOptions
  readonly #listeners = new Set<StatusListener>()
  readonly #asked = new Map<string, Asked>()
  #ending: Ending | undefined
  #result: Promise<Body> | undefined
  #settle: ((ending: Ending) => void) | undefined
  #polling = false
  #lookAtOnce: boolean
  #failures = 0
  #wake = () => {}
  readonly #onAbort = () => this.#giveUp()

  /** `isKnown`: the state of the task is up to date. */
  constructor(peer: TaskPeer, task: Task, options: PollOptions, isKnown = true) {
    this.id = task.taskId
    this.#peer = peer
    this.#latest = task
    this.#options = options
    this.#lookAtOnce = !isKnown || task.status !== 'working'
    if (options.signal?.aborted) this.#giveUp()
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** The last known state. */
  get latest(): Task {
    return this.#latest
  }

  async status(): Promise<Task> {
    return this.#learn(await this.#look())
  }

  /** The peer only notes the wish, so the task is polled afterwards. */
  async cancel(): Promise<Task> {
    if (!isTerminal(this.#latest.status)) {
      await this.#peer.request('tasks/cancel', { taskId: this.id })
      const task = await this.status()
      if (task.status === 'cancelled' || !isTerminal(task.status)) return task
    }
    throw new ParleyError('invalid_params', { message: `Cannot cancel the task: it is already ${this.#latest.status}` })
  }

  /** Waits for the end. Returns or throws what the request itself would have. A second call gets the same. */
  result(): Promise<Body> {
    this.#result ??= new Promise((resolve, reject) => {
      this.#settle = (ending) => ('result' in ending ? resolve(ending.result) : reject(ending.error))
      if (this.#ending !== undefined) this.#settle(this.#ending)
      else this.#poll()
    })
    return this.#result
  }

  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener)
    this.#poll()
    return () => {
      this.#listeners.delete(listener)
      if (!this.#isWanted) this.#wake()
    }
  }

  get #isWanted(): boolean {
    return this.#ending === undefined && (this.#settle !== undefined || this.#listeners.size > 0)
  }

  #poll(): void {
    if (this.#polling || !this.#isWanted) return
    this.#polling = true
    const stopEnd = this.#peer.onEnd(() => this.#wake())
    void this.#looks().finally(() => {
      stopEnd()
      this.#polling = false
    })
  }

  async #looks(): Promise<void> {
    while (this.#isWanted) {
      if (!this.#lookAtOnce) await this.#pause()
      this.#lookAtOnce = false
      if (!this.#isWanted) return
      try {
        const detailed = await this.#look()
        this.#failures = 0
        this.#learn(detailed)
        if (this.#ending === undefined) this.#answer(detailed)
      } catch (error) {
        if (isTemporary(error) && ++this.#failures <= MAX_FAILURES) continue
        return this.#fail(error)
      }
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      // The program must not end before the result is there.
      const stop = this.#peer.session.clock.after(this.#interval(), resolve, this.#settle !== undefined)
      this.#wake = () => {
        stop()
        resolve()
      }
    })
  }

  #interval(): number {
    const { pollInterval } = this.#options
    const asked = pollInterval === undefined ? this.#latest.pollInterval : milliseconds(pollInterval)
    return typeof asked === 'number' && asked > 0 ? Math.max(asked, SHORTEST_INTERVAL) : DEFAULT_INTERVAL
  }

  #look(): Promise<Body> {
    return this.#peer.request('tasks/get', { taskId: this.id })
  }

  #learn(detailed: Body): Task {
    const before = this.#latest
    const task = readFlatTask('tasks/get', detailed)
    if (task.taskId !== this.id)
      throw new ParleyError('invalid_answer', { message: 'The answer to tasks/get is about another task' })
    // Answers can overtake each other, but no change follows the end.
    if (isTerminal(before.status) && !isTerminal(task.status)) return before
    this.#latest = task
    if (isTerminal(task.status)) this.#end(endingOf(detailed))
    if (before.status !== task.status || before.statusMessage !== task.statusMessage)
      for (const listener of [...this.#listeners]) this.#tell(listener, task)
    return task
  }

  #tell(listener: StatusListener, task: Task): void {
    try {
      listener(task)
    } catch (error) {
      this.#peer.session.reportError(error, 'onStatus of a task')
    }
  }

  /** Asks new questions. Drops questions that the task no longer shows. */
  #answer(detailed: Body): void {
    const demand = readInputRequired({
      inputRequests: detailed['status'] === 'input_required' ? (detailed['inputRequests'] ?? {}) : {},
    })
    if (typeof demand === 'string')
      throw new ParleyError('invalid_answer', { message: `The task asks what cannot be read: ${demand}` })
    for (const [key, { controller, answer }] of this.#asked) {
      if (answer === undefined && !demand.requests.has(key))
        controller.abort(new ParleyError('request_cancelled', { message: 'The question was taken back' }))
    }
    for (const [key, question] of demand.requests) {
      const asked = this.#asked.get(key)
      if (asked?.answer !== undefined && !asked.sent) void this.#bring(key, asked)
      if (asked !== undefined) continue
      const begun: Asked = { controller: new AbortController(), sent: false }
      this.#asked.set(key, begun)
      answerFor(this.#peer.session, key, question, begun.controller.signal, this.#options.owner).then(
        (answer) => {
          begun.answer = answer
          if (this.#ending === undefined && !begun.controller.signal.aborted) void this.#bring(key, begun)
        },
        (error) => {
          if (!begun.controller.signal.aborted) this.#abandon(error)
        },
      )
    }
  }

  /** An answer that was lost is sent again when the task still asks for it. */
  async #bring(key: string, asked: Asked): Promise<void> {
    asked.sent = true
    try {
      await this.#peer.request('tasks/update', { taskId: this.id, inputResponses: { [key]: asked.answer } })
    } catch (error) {
      asked.sent = false
      this.#peer.session.reportError(error, 'answering a question of a task')
    }
  }

  /** Without an answer the task would wait for ever. */
  #abandon(error: unknown): void {
    if (this.#ending !== undefined) return
    this.#peer.request('tasks/cancel', { taskId: this.id }).catch(() => {})
    this.#end({ error })
  }

  #giveUp(): void {
    this.#abandon(
      new ParleyError('request_cancelled', {
        message: 'The task was cancelled by the caller',
        cause: this.#options.signal?.reason,
      }),
    )
  }

  /** Listeners hear nothing more. The next call of `result` tries again. */
  #fail(error: unknown): void {
    this.#failures = 0
    this.#lookAtOnce = true
    if (this.#settle !== undefined) this.#end({ error })
  }

  #end(ending: Ending): void {
    if (this.#ending !== undefined) return
    this.#ending = ending
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    for (const { controller, answer } of this.#asked.values()) {
      if (answer === undefined) controller.abort(new ParleyError('request_cancelled', { message: 'The task is over' }))
    }
    this.#settle?.(ending)
    this.#wake()
  }
}

function endingOf(detailed: Body): Ending {
  const outcome = outcomeOfTask(detailed)
  if (outcome === undefined) {
    if (detailed['status'] === 'cancelled')
      return { error: new ParleyError('request_cancelled', { message: 'The task was cancelled' }) }
    return {
      error: new ParleyError('invalid_answer', {
        message: `The task is ${JSON.stringify(detailed['status'])}, but its end is not told`,
      }),
    }
  }
  if ('result' in outcome) return { result: unframed(outcome.result) }
  return isWireError(outcome.error)
    ? { error: fromWire(outcome.error) }
    : { error: new ParleyError('invalid_answer', { message: 'The error of the task has no code or message' }) }
}

function isWireError(error: unknown): error is WireError {
  return isObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string'
}

function isTemporary(error: unknown): boolean {
  return error instanceof ParleyError && PASSING.includes(error.kind)
}
