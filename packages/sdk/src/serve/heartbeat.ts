/** One slow timer for all open streams and responses. It runs only while there are any. */
import { Bag, type BagEntry } from '../collections/index.ts'
import type { Clock } from '../session/index.ts'

export interface HeartbeatItem extends BagEntry {
  /** The beat of the last activity. */
  lastBeat: number
  beat(now: number): void
}

export class Heartbeat {
  /** The number of beats so far. */
  now = 0
  readonly #clock: Clock
  readonly #every: number
  readonly #items = new Bag<HeartbeatItem>()
  #cancel: (() => void) | undefined

  constructor(clock: Clock, every: number) {
    this.#clock = clock
    this.#every = every
  }

  get size(): number {
    return this.#items.size
  }

  add(item: HeartbeatItem): void {
    item.lastBeat = this.now
    this.#items.add(item)
    if (this.#cancel === undefined) this.#arm()
  }

  remove(item: HeartbeatItem): void {
    this.#items.delete(item)
  }

  stop(): void {
    this.#items.clear()
    this.#cancel?.()
    this.#cancel = undefined
  }

  #arm(): void {
    this.#cancel = this.#clock.after(this.#every, this.#beat)
  }

  readonly #beat = (): void => {
    this.#cancel = undefined
    this.now++
    for (const item of this.#items.all()) if (this.#items.has(item)) item.beat(this.now)
    // Removing the last item does not stop the timer, so that short work does not restart it again and again. An item
    // that was added during this beat has started it already.
    if (this.#items.size > 0 && this.#cancel === undefined) this.#arm()
  }
}
