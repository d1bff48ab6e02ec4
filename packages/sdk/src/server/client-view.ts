/** The client as handlers see it. */
import type { ClientCapabilities, Implementation } from '../protocol/index.ts'
import type { Caller } from '../session/index.ts'
import { offers } from './question.ts'

export class ClientView {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  get info(): Implementation | undefined {
    return this.#caller.info
  }

  get capabilities(): ClientCapabilities {
    return this.#caller.capabilities
  }

  /** Whether the client can be asked: `'elicitation'`, `'elicitation.url'`, `'sampling'`, `'sampling.tools'`, `'roots'`. */
  can(capability: string): boolean {
    return offers(this.#caller, capability)
  }
}
