/** An object without one of its fields; the same reference when it has no such field. */
import type { Body } from '../../jsonrpc/index.ts'

export function without(object: Body, key: string): Body {
  if (!Object.hasOwn(object, key)) return object
  const { [key]: _, ...rest } = object
  return rest
}
