/** Finds the known word that is closest to a misspelt one. */

const LONGEST = 64

/** The candidate at the smallest distance. Undefined if no distance is small for the length of its candidate. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined
  let found: string | undefined
  let best = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const limit = Math.max(1, Math.floor(candidate.length / 3))
    // Names may be very long. A large difference in length rules a candidate out without the costly comparison.
    if (Math.abs(candidate.length - word.length) > limit) continue
    const away = distance(word.toLowerCase(), candidate.toLowerCase())
    if (away <= limit && away < best) {
      best = away
      found = candidate
    }
  }
  return found
}

/** The number of letters that are added, left out, replaced, or swapped with their neighbour. */
export function distance(left: string, right: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1]
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const at = (list: readonly number[], index: number): number => list[index] ?? 0
      const replaced = at(last, column - 1) + (same ? 0 : 1)
      const plain = Math.min(replaced, at(last, column) + 1, at(current, column - 1) + 1)
      current.push(swapped ? Math.min(plain, at(beforeLast, column - 2) + 1) : plain)
    }
    beforeLast = last
    last = current
  }
  return last[right.length] ?? 0
}
