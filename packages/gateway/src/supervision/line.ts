/** A waiting line that can be left from anywhere at the same small cost, which a Set with many entries removed from its front cannot promise. */

export interface Place<T> {
  readonly value: T
  before: Place<T> | undefined
  behind: Place<T> | undefined
  /** Whether it is still in the line. */
  waiting: boolean
}

export class Line<T> {
  #first: Place<T> | undefined
  #last: Place<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first?.value
  }

  join(value: T): Place<T> {
    const place: Place<T> = { value, before: this.#last, behind: undefined, waiting: true }
    if (this.#last === undefined) this.#first = place
    else this.#last.behind = place
    this.#last = place
    this.#size++
    return place
  }

  leave(place: Place<T>): void {
    if (!place.waiting) return
    place.waiting = false
    this.#size--
    if (place.before === undefined) this.#first = place.behind
    else place.before.behind = place.behind
    if (place.behind === undefined) this.#last = place.before
    else place.behind.before = place.before
    // Whoever still holds the place must not hold its neighbours.
    place.before = undefined
    place.behind = undefined
  }

  /** The first, who is no longer in the line. */
  next(): T | undefined {
    const place = this.#first
    if (place !== undefined) this.leave(place)
    return place?.value
  }
}
