/** Objects that come and go with every message, where a `Set` would keep them from being collected (see `IdTable`). Each can be in one crowd. */

export interface Member {
  /** Where it stands in its crowd; undefined outside of one. Belongs to the crowd. */
  seat: number | undefined
}

export class Crowd<T extends Member> {
  readonly #members: T[] = []

  get size(): number {
    return this.#members.length
  }

  has(member: T): boolean {
    return member.seat !== undefined && this.#members[member.seat] === member
  }

  add(member: T): void {
    if (this.has(member)) return
    member.seat = this.#members.push(member) - 1
  }

  /** The last one takes the place that becomes free. */
  delete(member: T): boolean {
    if (!this.has(member)) return false
    const last = this.#members.pop() as T
    if (last !== member) {
      this.#members[member.seat as number] = last
      last.seat = member.seat
    }
    member.seat = undefined
    return true
  }

  clear(): void {
    for (const member of this.#members.splice(0)) member.seat = undefined
  }

  /** Those there are now, in no particular order; what happens meanwhile does not change the list. */
  all(): T[] {
    return this.#members.slice()
  }
}
