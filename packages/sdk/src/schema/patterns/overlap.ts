/** Which characters of a pattern can stand for the same text. */

export type Overlap = (p: number, q: number) => boolean

/** Up to here every character is a sample. */
const LATIN = 0x180

/**
 * Two positions overlap when one character fits both. Tried out on samples that include every character and range end
 * of the pattern and its neighbours.
 */
export function overlapping(chars: readonly string[], source: string): Overlap {
  const distinct = [...new Set(chars)]
  const ids = chars.map((char) => distinct.indexOf(char))
  const known = new Map<number, boolean>()
  const rows: boolean[][] = []
  let samples: readonly string[] = []
  const row = (id: number): readonly boolean[] => {
    if (samples.length === 0) samples = samplesFor(source)
    const one = new RegExp(`^(?:${distinct[id]})$`, 'u')
    rows[id] ??= samples.map((sample) => one.test(sample))
    return rows[id]
  }
  /** A class by property can lie wholly between the samples, so it is taken to meet whatever goes beyond Latin. */
  const wide = (id: number): boolean =>
    row(id).some((fits, index) => fits && (samples[index]?.codePointAt(0) ?? 0) >= LATIN)
  const byProperty = (id: number): boolean => /\\p/i.test(distinct[id] as string)
  const mayMeetUnseen = (a: number, b: number): boolean =>
    (byProperty(a) && (byProperty(b) || wide(b))) || (byProperty(b) && wide(a))
  return (p, q) => {
    const [a, b] = [ids[p] as number, ids[q] as number]
    if (a === b) return true
    const key = a < b ? a * distinct.length + b : b * distinct.length + a
    const found = known.get(key)
    if (found !== undefined) return found
    const other = row(b)
    const result = row(a).some((fits, index) => fits && other[index] === true) || mayMeetUnseen(a, b)
    known.set(key, result)
    return result
  }
}

/** Where the ranges of `\s` and the gaps of `.` begin and end beyond Latin. */
const SPACES = [0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]
/** In the last alternative, any other escape: the backslash it names is not the beginning of the next one. */
const ESCAPE = /\\(?:u\{([\da-f]+)\}|(u[\da-f]{4})|x([\da-f]{2})|.)/gis

/** Two ranges that have a character in common have one at an end of one of them. */
function samplesFor(source: string): string[] {
  const points = new Set<number>()
  for (let point = 0; point < LATIN; point++) points.add(point)
  for (let point = LATIN; point < 0x20000; point += 257) points.add(point)
  const text = unescaped(source)
  const characters = Array.from(text, (char) => char.codePointAt(0) as number)
  // Halves that stand side by side are not always a pair, as in `\\u{d83d}\\u{de00}`.
  const units = text.split('').map((unit) => unit.charCodeAt(0))
  for (const point of [...SPACES, ...characters, ...units]) {
    for (const near of [point - 1, point, point + 1]) if (near >= 0 && near <= 0x10ffff) points.add(near)
  }
  return Array.from(points, (point) => String.fromCodePoint(point))
}

/** With its escapes as the characters they stand for: two that follow each other as halves of a pair become one. */
function unescaped(source: string): string {
  return source.replace(ESCAPE, (whole, braced?: string, unit?: string, byte?: string) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit.slice(1), 16))
    const digits = braced ?? byte
    return digits === undefined ? whole : String.fromCodePoint(Number.parseInt(digits, 16))
  })
}
