/** Counts what clients leave unread on all connections together; over the limit, whoever leaves most is hung up on. */
import { type ByteBudget, Charge } from '../collections/index.ts'

/** What is needed of a socket, or of a stream of HTTP/2. */
export interface Carrier {
  readonly writableLength: number
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  destroy(): unknown
}

/** Less than this goes out soon, or harms nobody. */
const LEAST = 64 * 1024

export class Unread {
  readonly #budget: ByteBudget
  /** Those that leave much unread. Few do, and not for long. */
  readonly #slow = new Map<Carrier, Charge>()

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /** Called after each write. */
  note(carrier: Carrier): void {
    const waiting = carrier.writableLength
    if (waiting < LEAST) return
    const before = this.#slow.get(carrier)
    before?.give()
    this.#slow.set(carrier, new Charge(this.#budget, waiting))
    if (before === undefined) this.#watch(carrier)
    while (this.#budget.used > this.#budget.limit) this.#hangUpOnSlowest()
  }

  #watch(carrier: Carrier): void {
    const done = (): void => {
      carrier.off('drain', done)
      carrier.off('close', done)
      this.#forget(carrier)
    }
    carrier.once('drain', done)
    carrier.once('close', done)
  }

  #forget(carrier: Carrier): void {
    this.#slow.get(carrier)?.give()
    this.#slow.delete(carrier)
  }

  #hangUpOnSlowest(): void {
    let slowest: [Carrier, Charge] | undefined
    for (const entry of this.#slow) if (slowest === undefined || entry[1].bytes > slowest[1].bytes) slowest = entry
    const [carrier] = slowest as [Carrier, Charge]
    this.#forget(carrier)
    carrier.destroy()
  }
}
