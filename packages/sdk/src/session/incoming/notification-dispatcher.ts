/** Delivers notifications to handlers by method or to all; a failing or slow handler never harms the others. */
import { Charge } from '../../collections/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { SessionCore } from '../core.ts'
import { costOf } from '../memory/budgets.ts'
import type { NotificationHandler } from '../session-view.ts'

export class NotificationDispatcher {
  readonly #core: SessionCore
  #handlers: Map<string, Set<NotificationHandler>> | undefined
  #waiting: { method: string; params: Body; charge: Charge }[] | undefined
  /** Handlers that returned a promise which has not settled. */
  #running = 0

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** The method `*` stands for all methods. */
  on(method: string, handler: NotificationHandler): () => void {
    this.#handlers ??= new Map()
    const handlers = this.#handlers.get(method) ?? new Set<NotificationHandler>()
    this.#handlers.set(method, handlers.add(handler))
    return () => {
      handlers.delete(handler)
      if (handlers.size === 0) this.#handlers?.delete(method)
    }
  }

  get queued(): number {
    return (this.#waiting?.length ?? 0) + this.#running
  }

  /** `length`: of the text of the message, if known. */
  dispatch(method: string, params: Body, length?: number): void {
    const { budget, paused, settings, stats } = this.#core
    if (this.#handlers === undefined && !paused) return
    const cost = costOf(params, length)
    if (this.queued >= settings.maxQueuedNotifications || budget.fullFor(cost) !== undefined) {
      stats.droppedNotifications++
      return
    }
    if (!paused) return this.#deliver(method, params, cost)
    this.#waiting ??= []
    this.#waiting.push({ method, params, charge: new Charge(budget, cost) })
  }

  /** Delivers the notifications that waited while the session was paused. */
  flush(): void {
    for (const { method, params, charge } of this.#waiting?.splice(0) ?? []) {
      const { bytes } = charge
      charge.give()
      this.#deliver(method, params, bytes)
    }
  }

  clear(): void {
    for (const { charge } of this.#waiting ?? []) charge.give()
    this.#waiting = undefined
    this.#handlers = undefined
  }

  #deliver(method: string, params: Body, cost: number): void {
    for (const handler of this.#handlers?.get(method) ?? []) this.#call(handler, method, params, cost)
    for (const handler of this.#handlers?.get('*') ?? []) this.#call(handler, method, params, cost)
  }

  #call(handler: NotificationHandler, method: string, params: Body, cost: number): void {
    this.guarded(method, () => handler(params, method), cost)
  }

  /** Runs a handler. Its errors, now or later, are counted and reported. */
  guarded(method: string, run: () => unknown, cost = 0): void {
    try {
      const outcome = run()
      if (outcome instanceof Promise) this.#await(outcome, method, cost)
    } catch (error) {
      this.#failed(error, method)
    }
  }

  #await(outcome: Promise<unknown>, method: string, cost: number): void {
    this.#running++
    const charge = new Charge(this.#core.budget, cost)
    const over = (): void => {
      this.#running--
      charge.give()
    }
    outcome.then(over, (error) => {
      over()
      this.#failed(error, method)
    })
  }

  #failed(error: unknown, method: string): void {
    this.#core.stats.failedHandlers++
    this.#core.reportError(error, `handler of ${method}`)
  }
}
