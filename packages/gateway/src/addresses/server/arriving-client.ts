/**
 * A client that is still shaking hands: what its server asks and tells meanwhile waits until it can be asked and told.
 */
import { ParleyError } from 'parley-mcp'
import type { Inbound, Session } from 'parley-mcp/engine'

/** Messages that are kept for a client that is not there yet; more are dropped. */
const MAX_EARLY_MESSAGES = 100

export class ArrivingClient {
  #session: Session | undefined
  #waiting: Set<(session: Session | undefined) => void> | undefined
  #early: ((session: Session) => void)[] = []

  /** The client as soon as it is there, unless the server takes its question back before. */
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
