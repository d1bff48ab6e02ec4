/** Compares two observations: every place where they differ, as a path with both values. */

const isObject = (value) => value !== null && typeof value === 'object'
const keysOf = (value) => (isObject(value) ? Object.keys(value) : [])

/** Undefined and absent are the same. Arrays are compared by position. */
export function differences(direct, seen, path = '') {
  if (Object.is(direct, seen)) return []
  const alike = isObject(direct) && isObject(seen) && Array.isArray(direct) === Array.isArray(seen)
  if (!alike) return [{ path, direct, seen }]
  const keys = new Set([...keysOf(direct), ...keysOf(seen)])
  return [...keys].flatMap((key) => differences(direct[key], seen[key], `${path}/${key}`))
}

/** How many values were compared. */
export const sizeOf = (value) =>
  isObject(value) ? Object.values(value).reduce((total, each) => total + sizeOf(each), 0) : 1

/** Of entries that vary all are taken to vary, whichever of them did so at last. */
const withoutPositions = (path) => `${path.replaceAll(/\/\d+(?=\/|$)/g, '/*')}/`

/** Leaves out places that differ between two direct observations already, and what is in them. */
export function besides(found, varying) {
  const places = [...new Set(varying.map(withoutPositions))]
  return found.filter(({ path }) => !places.some((place) => withoutPositions(path).startsWith(place)))
}
