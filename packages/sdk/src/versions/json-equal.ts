/** Equality of JSON values, whatever the order of keys. */
import { isObject } from '../jsonrpc/index.ts'

export function jsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((value, at) => jsonEqual(value, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  const keys = presentKeys(one)
  return (
    keys.length === presentKeys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && jsonEqual(one[key], other[key]))
  )
}

/** JSON has no undefined: a key with that value is not written. */
function presentKeys(value: Record<string, unknown>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined)
}
