/**
 * A first-in, first-out queue whose entries can leave from any position in constant time. A `Set` is slow after many
 * removals at its front.
 */

export interface QueueEntry<T> {
  readonly value: T
  previous: QueueEntry<T> | undefined
  next: QueueEntry<T> | undefined
  /** Whether the entry is still in the queue. */
  waiting: boolean
}

export class WaitQueue<T> {
  #first: QueueEntry<T> | undefined
  #last: QueueEntry<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first?.value
  }

  join(value: T): QueueEntry<T> {
    const entry: QueueEntry<T> = { value, previous: this.#last, next: undefined, waiting: true }
    if (this.#last === undefined) this.#first = entry
    else this.#last.next = entry
    this.#last = entry
    this.#size++
    return entry
  }

  leave(entry: QueueEntry<T>): void {
    if (!entry.waiting) return
    entry.waiting = false
    this.#size--
    if (entry.previous === undefined) this.#first = entry.next
    else entry.previous.next = entry.next
    if (entry.next === undefined) this.#last = entry.previous
    else entry.next.previous = entry.previous
    // A caller that still holds this entry must not keep its neighbours in memory.
    entry.previous = undefined
    entry.next = undefined
  }

  /** Removes and returns the first value. */
  next(): T | undefined {
    const entry = this.#first
    if (entry !== undefined) this.leave(entry)
    return entry?.value
  }
}
