/**
 * An unordered collection of objects that come and go with every message. A `Set` would keep them from being collected
 * (see `IdTable`). An object can be in one bag at a time.
 */

export interface BagEntry {
  /** The position in its bag; undefined outside of one. Only the bag sets it. */
  bagIndex: number | undefined
}

export class Bag<T extends BagEntry> {
  readonly #entries: T[] = []

  get size(): number {
    return this.#entries.length
  }

  has(entry: T): boolean {
    return entry.bagIndex !== undefined && this.#entries[entry.bagIndex] === entry
  }

  add(entry: T): void {
    if (this.has(entry)) return
    entry.bagIndex = this.#entries.push(entry) - 1
  }

  /** The last entry moves to the position that becomes free. */
  delete(entry: T): boolean {
    if (!this.has(entry)) return false
    const last = this.#entries.pop() as T
    if (last !== entry) {
      this.#entries[entry.bagIndex as number] = last
      last.bagIndex = entry.bagIndex
    }
    entry.bagIndex = undefined
    return true
  }

  clear(): void {
    for (const entry of this.#entries.splice(0)) entry.bagIndex = undefined
  }

  /** A copy of the current entries, in no particular order. */
  all(): T[] {
    return this.#entries.slice()
  }
}
