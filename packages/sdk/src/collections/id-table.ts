/**
 * Values by id, for what comes and goes with every message. A `Map` used like that is rebuilt every few entries, and V8
 * lets every table it leaves behind lead to the next one and to what was in it: as soon as one of them has grown old,
 * no minor collection frees any that follow, nor the messages in them.
 */
type Id = string | number

/** Places of the smallest table; always a power of two, and never more than half of them taken. */
const LEAST = 4
/** Characters of an id that decide on its place. */
const TELLING = 24
/** Of the golden ratio: numbers that follow each other come to lie far apart. */
const SPREAD = 0x9e3779b1

export class IdTable<V> {
  #ids: (Id | undefined)[] | undefined
  #values: (V | undefined)[] = []
  /** When each came, in numbers that grow. */
  #turns: number[] = []
  #size = 0
  #lastTurn = 0

  get size(): number {
    return this.#size
  }

  has(id: Id): boolean {
    return this.#find(id) !== -1
  }

  get(id: Id): V | undefined {
    const at = this.#find(id)
    return at === -1 ? undefined : this.#values[at]
  }

  set(id: Id, value: V): void {
    const at = this.#find(id)
    if (at !== -1) {
      this.#values[at] = value
      return
    }
    if (this.#ids === undefined || 2 * (this.#size + 1) > this.#ids.length)
      this.#rebuild(Math.max(LEAST, 2 * this.#values.length))
    this.#add(id, value, ++this.#lastTurn)
  }

  delete(id: Id): boolean {
    const at = this.#find(id)
    if (at === -1) return false
    this.#close(at)
    this.#size--
    const places = this.#values.length
    if (places > LEAST && 8 * this.#size < places) this.#rebuild(places / 2)
    return true
  }

  clear(): void {
    this.#ids = undefined
    this.#values = []
    this.#turns = []
    this.#size = 0
  }

  /** Those there are now, as they came; what happens meanwhile does not change the list. */
  values(): V[] {
    const places: number[] = []
    this.#ids?.forEach((id, at) => {
      if (id !== undefined) places.push(at)
    })
    const turns = this.#turns
    places.sort((one, other) => (turns[one] as number) - (turns[other] as number))
    return places.map((at) => this.#values[at] as V)
  }

  #find(id: Id): number {
    const ids = this.#ids
    if (ids === undefined) return -1
    const last = ids.length - 1
    for (let at = placeOf(id, last); ; at = (at + 1) & last) {
      const there = ids[at]
      if (there === id) return at
      if (there === undefined) return -1
    }
  }

  /** `id` is not there, and there is room. */
  #add(id: Id, value: V, turn: number): void {
    const ids = this.#ids as (Id | undefined)[]
    const last = ids.length - 1
    let at = placeOf(id, last)
    while (ids[at] !== undefined) at = (at + 1) & last
    ids[at] = id
    this.#values[at] = value
    this.#turns[at] = turn
    this.#size++
  }

  /** Empties a slot. Later entries of the same run move up, so that searches can stop at the first empty slot. */
  #close(empty: number): void {
    const ids = this.#ids as (Id | undefined)[]
    const last = ids.length - 1
    let hole = empty
    for (let at = (hole + 1) & last; ; at = (at + 1) & last) {
      const id = ids[at]
      if (id === undefined) break
      const away = (at - placeOf(id, last)) & last
      if (away < ((at - hole) & last)) continue
      ids[hole] = id
      this.#values[hole] = this.#values[at]
      this.#turns[hole] = this.#turns[at] as number
      hole = at
    }
    ids[hole] = undefined
    this.#values[hole] = undefined
  }

  #rebuild(places: number): void {
    const ids = this.#ids ?? []
    const values = this.#values
    const turns = this.#turns
    this.#ids = new Array<Id | undefined>(places).fill(undefined)
    this.#values = new Array<V | undefined>(places).fill(undefined)
    this.#turns = new Array<number>(places).fill(0)
    this.#size = 0
    ids.forEach((id, at) => {
      if (id !== undefined) this.#add(id, values[at] as V, turns[at] as number)
    })
  }
}

function placeOf(id: Id, last: number): number {
  const hash = Math.imul(typeof id === 'number' ? id : hashOf(id), SPREAD)
  return (hash ^ (hash >>> 16)) & last
}

/** The end is where ids differ. */
function hashOf(id: string): number {
  let hash = id.length
  for (let at = Math.max(0, id.length - TELLING); at < id.length; at++)
    hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0
  return hash
}
