/** The client as handlers see it. */
import type { ClientCapabilities, Implementation } from '../protocol/index.ts'
import type { Session } from '../session/index.ts'
import { offers } from './question.ts'

export class ClientView {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  get info(): Implementation | undefined {
    return this.#session.peer?.info
  }

  get capabilities(): ClientCapabilities {
    return this.#session.peer?.capabilities ?? {}
  }

  /** Whether the client can be asked: `'elicitation'`, `'elicitation.url'`, `'sampling'`, `'sampling.tools'`, `'roots'`. */
  can(capability: string): boolean {
    return offers(this.#session, capability)
  }
}
