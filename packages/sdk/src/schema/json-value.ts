/** A value as JSON would carry it, copied: the form in which the library may look at it. */
import { isRecord, put } from './keywords.ts'

export interface JsonCopy {
  readonly value: unknown
  readonly size: number
  readonly longestString: number
  /** Of the names of properties. */
  readonly longestName: number
  /** The names of all properties together, with one more for each. */
  readonly namesLength: number
}

const MAX_DEPTH = 200
const MAX_SIZE = 1_000_000

/** The value, or what keeps it from being JSON. */
export function jsonValue(source: unknown): JsonCopy | string {
  let size = 0
  let longestString = 0
  let longestName = 0
  let namesLength = 0
  const copy = (given: unknown, depth: number): unknown => {
    if (++size > MAX_SIZE) throw new NotJson(`is too large: more than ${MAX_SIZE} values`)
    if (depth > MAX_DEPTH) throw new NotJson('is nested too deeply or contains itself')
    const value = hasToJson(given) ? given.toJSON() : given
    if (typeof value === 'string') longestString = Math.max(longestString, value.length)
    if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
      return value
    if (Array.isArray(value)) {
      return value.map((item) => (item === undefined ? null : copy(item, depth + 1)))
    }
    if (!isRecord(value))
      throw new NotJson(
        `contains ${typeof value === 'number' ? String(value) : `a value of type ${typeof value}`}, which JSON cannot carry`,
      )
    const result: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const item = value[key]
      if (item === undefined) continue
      longestName = Math.max(longestName, key.length)
      namesLength += key.length + 1
      put(result, key, copy(item, depth + 1))
    }
    return result
  }
  try {
    const value = copy(source, 0)
    return { value, size, longestString: Math.max(longestString, longestName), longestName, namesLength }
  } catch (error) {
    if (error instanceof NotJson) return error.message
    throw error
  }
}

class NotJson extends Error {}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function'
}
