/** A client before its handshake is complete. Questions and notifications of its server wait until then. */
import { ParleyError } from 'parley-mcp'
import type { Inbound, Session } from 'parley-mcp/engine'

/** Notifications kept for a client before its handshake is complete. Further ones are dropped. */
const MAX_EARLY_MESSAGES = 100

export class ArrivingClient {
  #session: Session | undefined
  #waiting: Set<(session: Session | undefined) => void> | undefined
  #early: ((session: Session) => void)[] = []

  /** Resolves with the client's session. Rejects if the server cancels its question or the client leaves first. */
  whenHere({ signal }: Inbound): Promise<Session> {
    if (this.#session !== undefined) return Promise.resolve(this.#session)
    return new Promise((resolve, reject) => {
      const settle = (session: Session | undefined): void => {
        this.#waiting?.delete(settle)
        signal.removeEventListener('abort', giveUp)
        if (session === undefined)
          reject(new ParleyError('not_initialized', { message: 'The client did not complete its handshake' }))
        else resolve(session)
      }
      const giveUp = (): void => settle(undefined)
      this.#waiting ??= new Set()
      this.#waiting.add(settle)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  tell(message: (session: Session) => void): void {
    if (this.#session !== undefined) message(this.#session)
    else if (this.#early.length < MAX_EARLY_MESSAGES) this.#early.push(message)
  }

  arrive(session: Session): void {
    this.#session = session
    const early = this.#early
    this.#early = []
    for (const message of early) message(session)
    for (const settle of [...(this.#waiting ?? [])]) settle(session)
  }

  leave(): void {
    this.#early = []
    for (const settle of [...(this.#waiting ?? [])]) settle(undefined)
  }
}
