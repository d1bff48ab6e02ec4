/** One slow timer for everything that is open: it beats only while there is something to beat for. */
import { Bag, type BagEntry } from '../collections/index.ts'
import type { Clock } from '../session/index.ts'

export interface Beating extends BagEntry {
  /** The beat at which something last happened; set by whoever makes it happen. */
  lastBeat: number
  beat(now: number): void
}

export class Pulse {
  /** How many beats there were so far. */
  now = 0
  readonly #clock: Clock
  readonly #every: number
  readonly #items = new Bag<Beating>()
  #cancel: (() => void) | undefined

  constructor(clock: Clock, every: number) {
    this.#clock = clock
    this.#every = every
  }

  get size(): number {
    return this.#items.size
  }

  add(item: Beating): void {
    item.lastBeat = this.now
    this.#items.add(item)
    if (this.#cancel === undefined) this.#arm()
  }

  remove(item: Beating): void {
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
    // The timer outlives an empty moment, so that quick work does not start and stop it all the time. Who came during
    // this very beat has set it already.
    if (this.#items.size > 0 && this.#cancel === undefined) this.#arm()
  }
}
