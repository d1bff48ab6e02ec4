/** An ordinary call with the API of a task, for servers and versions without tasks (C-24). */
import { ParleyError, ToolError } from '../../errors/index.ts'
import type { Task, TaskStatus } from '../../protocol/index.ts'
import { isTerminal, type Session } from '../../session/index.ts'
import type { CallOutcome } from '../calls/call-outcome.ts'
import type { TaskHandle } from './client-tasks.ts'

export class LocalTask implements TaskHandle {
  readonly #session: Session
  readonly #controller = new AbortController()
  readonly #outcome: Promise<CallOutcome>
  readonly #listeners = new Set<(task: Task) => void>()
  #latest: Task

  constructor(session: Session, call: (signal: AbortSignal) => Promise<CallOutcome>) {
    this.#session = session
    const now = this.#now()
    this.#latest = { taskId: session.mint(), status: 'working', createdAt: now, lastUpdatedAt: now, ttl: null }
    this.#outcome = call(this.#controller.signal)
    // Also handles a failure, so that it is no unhandled rejection if the caller never reads the result.
    this.#outcome.then(
      ({ isError, text }) => this.#setStatus(isError ? 'failed' : 'completed', isError ? text : undefined),
      (error: unknown) =>
        this.#setStatus(
          'failed',
          error instanceof ParleyError || error instanceof ToolError ? error.message : undefined,
        ),
    )
  }

  get id(): string {
    return this.#latest.taskId
  }

  get latest(): Task {
    return this.#latest
  }

  async status(): Promise<Task> {
    return this.#latest
  }

  result(): Promise<CallOutcome<never>> {
    return this.#outcome as Promise<CallOutcome<never>>
  }

  async cancel(): Promise<Task> {
    if (isTerminal(this.#latest.status)) {
      throw new ParleyError('invalid_params', {
        message: `Cannot cancel the task: it is already ${this.#latest.status}`,
      })
    }
    this.#setStatus('cancelled')
    this.#controller.abort()
    return this.#latest
  }

  onStatus(listener: (task: Task) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #setStatus(status: TaskStatus, statusMessage?: string): void {
    if (isTerminal(this.#latest.status)) return
    this.#latest = {
      ...this.#latest,
      status,
      lastUpdatedAt: this.#now(),
      ...(statusMessage === undefined ? {} : { statusMessage }),
    }
    for (const listener of [...this.#listeners]) {
      try {
        listener(this.#latest)
      } catch (error) {
        this.#session.reportError(error, 'onStatus of a task')
      }
    }
  }

  #now(): string {
    return new Date(this.#session.clock.now()).toISOString()
  }
}
