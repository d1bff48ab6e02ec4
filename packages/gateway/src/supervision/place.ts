/** One place inside a bulkhead, which whoever has it may give back for as long as it waits for somebody else. */

/** What a place does to the bulkhead it belongs to. */
export interface Host {
  leave(): void
  /** Without a turn: who comes back was let in before. */
  rejoin(): void
}

export class Place {
  readonly #host: Host
  #state: 'inside' | 'away' | 'over' = 'inside'

  constructor(host: Host) {
    this.#host = host
  }

  giveBack(): void {
    if (this.#state !== 'inside') return
    this.#state = 'away'
    this.#host.leave()
  }

  takeAgain(): void {
    if (this.#state !== 'away') return
    this.#state = 'inside'
    this.#host.rejoin()
  }

  /** The work is over, wherever it was. */
  end(): void {
    const wasInside = this.#state === 'inside'
    this.#state = 'over'
    if (wasInside) this.#host.leave()
  }
}
