/** Suggestions for a name that does not exist. More tolerant than `nearest` of the configuration. */
import { distance } from '../../config/index.ts'

const LONGEST = 80

/** Up to `most` similar names, the most similar first. */
export function similarNames(wanted: string, names: readonly string[], most = 3): string[] {
  const asked = wanted.slice(0, LONGEST).toLowerCase()
  const limit = Math.max(2, Math.floor(asked.length / 2.5))
  return names
    .map((name) => ({ name, far: far(asked, name.slice(0, LONGEST).toLowerCase()) }))
    .filter(({ far: distance }) => distance <= limit)
    .sort((one, other) => one.far - other.far)
    .slice(0, most)
    .map(({ name }) => name)
}

/** A contained name counts as more similar than any misspelling of two letters. */
function far(asked: string, name: string): number {
  const contained = asked.length > 2 && (name.includes(asked) || asked.includes(name)) && name.length > 2
  return contained ? Math.min(1.5, distance(asked, name)) : distance(asked, name)
}

/** The end of an error message: `; did you mean "a" or "b"?`. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const found = similarNames(wanted, names).map((name) => JSON.stringify(name))
  return found.length === 0 ? '' : `; did you mean ${found.join(' or ')}?`
}
