/** Notification handlers that outlive sessions: each session of a client gets them all. */
import type { Body } from '../../jsonrpc/index.ts'
import type { NotificationHandler, Session } from '../../session/index.ts'

interface Registration {
  readonly method: string
  readonly handler: NotificationHandler
  /** How to take the handler away from each session that has it. */
  readonly removals: Map<Session, () => void>
}

export class Listeners {
  readonly #registrations = new Set<Registration>()
  readonly #sessions = new Set<Session>()
  readonly #onError: (error: unknown, during: string) => void
  readonly #onChange: (method: string) => void

  /** `onChange` is told of every method somebody begins or ceases to listen to. */
  constructor(onError: (error: unknown, during: string) => void, onChange: (method: string) => void = () => {}) {
    this.#onError = onError
    this.#onChange = onChange
  }

  /** `*` hears everything. */
  add(method: string, handler: NotificationHandler): () => void {
    // A function of its own, so that the same handler may be given twice.
    const registration: Registration = {
      method,
      handler: (params, actual) => handler(params, actual),
      removals: new Map(),
    }
    this.#registrations.add(registration)
    for (const session of this.#sessions) listen(session, registration)
    this.#onChange(method)
    return () => {
      if (!this.#registrations.delete(registration)) return
      for (const remove of registration.removals.values()) remove()
      this.#onChange(method)
    }
  }

  /** Whether a notification of the method would reach anybody. */
  hears(method: string): boolean {
    for (const registration of this.#registrations)
      if (registration.method === method || registration.method === '*') return true
    return false
  }

  /** Before the handshake, because servers may speak right after it. */
  attach(session: Session): void {
    this.#sessions.add(session)
    for (const registration of this.#registrations) listen(session, registration)
    session.onClose(() => {
      this.#sessions.delete(session)
      for (const { removals } of this.#registrations) removals.delete(session)
    })
  }

  /** Tells handlers of something no server has said. False when nobody listens. */
  presume(method: string, params: Body): boolean {
    const concerned = [...this.#registrations].filter(
      (registration) => registration.method === method || registration.method === '*',
    )
    for (const { handler } of concerned) {
      try {
        const outcome = handler(params, method)
        if (outcome instanceof Promise) outcome.catch((error) => this.#onError(error, `handler of ${method}`))
      } catch (error) {
        this.#onError(error, `handler of ${method}`)
      }
    }
    return concerned.length > 0
  }
}

function listen(session: Session, { method, handler, removals }: Registration): void {
  removals.set(session, session.onNotification(method, handler))
}
