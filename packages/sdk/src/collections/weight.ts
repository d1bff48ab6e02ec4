/** Estimates how many bytes of memory a value takes that was read from JSON. */

/** What every value, and every member of an object, takes besides its text. */
const EACH = 16
/** What an object or an array takes besides its members. */
const NEST = 48

/** Counts no further than a little over `most`. */
export function weightOf(value: unknown, most: number = Number.POSITIVE_INFINITY): number {
  let weight = 0
  // Without recursion: the value may be deep.
  const left: unknown[] = [value]
  while (left.length > 0 && weight <= most) {
    const next = left.pop()
    weight += EACH
    if (typeof next === 'string') weight += next.length
    else if (Array.isArray(next)) {
      weight += NEST
      for (const item of next) left.push(item)
    } else if (typeof next === 'object' && next !== null) {
      weight += NEST
      for (const [key, member] of Object.entries(next)) {
        weight += key.length
        left.push(member)
      }
    }
  }
  return weight
}
