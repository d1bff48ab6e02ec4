/** Counts kept bytes up to a limit. A budget can be part of a larger one. */

/** A text of at most this length may use all of a budget. */
const SMALL = 8 * 1024
/**
 * This part of a budget is reserved for small messages, so that a client with a full budget can still end its requests.
 */
const RESERVE = 1 / 16

export class ByteBudget {
  /** The setting with the limit. */
  readonly setting: string
  readonly limit: number
  readonly #parent: ByteBudget | undefined
  #used = 0

  constructor(setting: string, limit: number, parent?: ByteBudget) {
    this.setting = setting
    this.limit = limit
    this.#parent = parent
  }

  get used(): number {
    return this.#used
  }

  /**
   * The budget without room for so many more bytes: this one, or one that it is part of. `isUrgent`: the reserve is for
   * this, too.
   */
  fullFor(bytes: number, isUrgent = bytes <= SMALL): ByteBudget | undefined {
    const limit = isUrgent ? this.limit : this.limit * (1 - RESERVE)
    return this.#used + bytes > limit ? this : this.#parent?.fullFor(bytes, isUrgent)
  }

  /** Counts the bytes, whether there is room or not. */
  add(bytes: number): void {
    this.#used += bytes
    this.#parent?.add(bytes)
  }

  give(bytes: number): void {
    this.add(-bytes)
  }
}

/** Bytes that were counted, until they are given back. */
export class Charge {
  readonly #budget: ByteBudget
  #bytes: number

  constructor(budget: ByteBudget, bytes: number) {
    this.#budget = budget
    this.#bytes = bytes
    budget.add(bytes)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** A second call does nothing. */
  give(): void {
    this.#budget.give(this.#bytes)
    this.#bytes = 0
  }
}
