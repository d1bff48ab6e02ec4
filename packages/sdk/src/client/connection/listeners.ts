/** Notification handlers of a client. They are registered on every session. */
import type { Body } from '../../jsonrpc/index.ts'
import type { NotificationHandler, Session } from '../../session/index.ts'

interface Registration {
  readonly method: string
  readonly handler: NotificationHandler
  /** Removes the handler from each session that has it. */
  readonly removals: Map<Session, () => void>
}

export class Listeners {
  readonly #registrations = new Set<Registration>()
  readonly #sessions = new Set<Session>()
  readonly #onError: (error: unknown, during: string) => void
  readonly #onChange: (method: string) => void

  /** `onChange` gets the method of every handler that is added or removed. */
  constructor(onError: (error: unknown, during: string) => void, onChange: (method: string) => void = () => {}) {
    this.#onError = onError
    this.#onChange = onChange
  }

  /** `*` gets every notification. */
  add(method: string, handler: NotificationHandler): () => void {
    // A new function, so that the same handler can be added twice.
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

  /** Whether a handler would get notifications of this method. */
  hasListener(method: string): boolean {
    for (const registration of this.#registrations)
      if (registration.method === method || registration.method === '*') return true
    return false
  }

  /** Call this before the handshake: servers may notify right after it. */
  attach(session: Session): void {
    this.#sessions.add(session)
    for (const registration of this.#registrations) listen(session, registration)
    session.onClose(() => {
      this.#sessions.delete(session)
      for (const { removals } of this.#registrations) removals.delete(session)
    })
  }

  /** Calls handlers although the server sent nothing. False when there is no handler. */
  presume(method: string, params: Body): boolean {
    const interested = [...this.#registrations].filter(
      (registration) => registration.method === method || registration.method === '*',
    )
    for (const { handler } of interested) {
      try {
        const outcome = handler(params, method)
        if (outcome instanceof Promise) outcome.catch((error) => this.#onError(error, `handler of ${method}`))
      } catch (error) {
        this.#onError(error, `handler of ${method}`)
      }
    }
    return interested.length > 0
  }
}

function listen(session: Session, { method, handler, removals }: Registration): void {
  removals.set(session, session.onNotification(method, handler))
}
