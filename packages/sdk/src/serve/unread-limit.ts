/** Limits the unread bytes of all connections. Over the limit, the connection with the most unread bytes is closed. */
import { type ByteBudget, Charge } from '../collections/index.ts'

/** A socket, or a stream of HTTP/2. */
export interface WritableConnection {
  readonly writableLength: number
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  destroy(): unknown
}

/** Connections with fewer unread bytes are not counted. */
const MIN_COUNTED_BYTES = 64 * 1024

export class UnreadLimit {
  readonly #budget: ByteBudget
  /** Connections with many unread bytes. There are few of them, and only for a short time. */
  readonly #slow = new Map<WritableConnection, Charge>()

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /** Called after each write. */
  check(connection: WritableConnection): void {
    const waiting = connection.writableLength
    if (waiting < MIN_COUNTED_BYTES) return
    const before = this.#slow.get(connection)
    before?.give()
    this.#slow.set(connection, new Charge(this.#budget, waiting))
    if (before === undefined) this.#watch(connection)
    while (this.#budget.used > this.#budget.limit) this.#closeSlowest()
  }

  #watch(connection: WritableConnection): void {
    const done = (): void => {
      connection.off('drain', done)
      connection.off('close', done)
      this.#forget(connection)
    }
    connection.once('drain', done)
    connection.once('close', done)
  }

  #forget(connection: WritableConnection): void {
    this.#slow.get(connection)?.give()
    this.#slow.delete(connection)
  }

  #closeSlowest(): void {
    let slowest: [WritableConnection, Charge] | undefined
    for (const entry of this.#slow) if (slowest === undefined || entry[1].bytes > slowest[1].bytes) slowest = entry
    const [connection] = slowest as [WritableConnection, Charge]
    this.#forget(connection)
    connection.destroy()
  }
}
