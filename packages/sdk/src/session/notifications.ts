/** Delivers notifications to handlers by method or to all; a failing or slow handler never harms the others. */
import type { Body } from '../jsonrpc/index.ts'
import type { SessionCore } from './core.ts'

export type NotificationHandler = (params: Body, method: string) => unknown

export class Notifications {
  readonly #core: SessionCore
  #handlers: Map<string, Set<NotificationHandler>> | undefined
  #waiting: { method: string; params: Body }[] | undefined
  /** Handlers that returned a promise which has not settled. */
  #running = 0

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** `*` hears everything. */
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

  dispatch(method: string, params: Body): void {
    if (this.queued >= this.#core.settings.maxQueuedNotifications) {
      this.#core.stats.droppedNotifications++
      return
    }
    if (!this.#core.paused) return this.#deliver(method, params)
    this.#waiting ??= []
    this.#waiting.push({ method, params })
  }

  /** Delivers what waited while the session was paused. */
  flush(): void {
    for (const { method, params } of this.#waiting?.splice(0) ?? []) this.#deliver(method, params)
  }

  clear(): void {
    this.#waiting = undefined
    this.#handlers = undefined
  }

  #deliver(method: string, params: Body): void {
    for (const handler of this.#handlers?.get(method) ?? []) this.#call(handler, method, params)
    for (const handler of this.#handlers?.get('*') ?? []) this.#call(handler, method, params)
  }

  #call(handler: NotificationHandler, method: string, params: Body): void {
    this.guarded(method, () => handler(params, method))
  }

  /** Runs somebody else's code; what it throws, now or later, is counted and reported. */
  guarded(method: string, run: () => unknown): void {
    try {
      const outcome = run()
      if (outcome instanceof Promise) this.#await(outcome, method)
    } catch (error) {
      this.#failed(error, method)
    }
  }

  #await(outcome: Promise<unknown>, method: string): void {
    this.#running++
    outcome.then(
      () => this.#running--,
      (error) => {
        this.#running--
        this.#failed(error, method)
      },
    )
  }

  #failed(error: unknown, method: string): void {
    this.#core.stats.failedHandlers++
    this.#core.reportError(error, `handler of ${method}`)
  }
}
