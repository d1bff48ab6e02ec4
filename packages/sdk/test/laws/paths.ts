/** Places in a message, written the way losses are reported: `tools[3].inputSchema`. */
import { isObject } from '../../src/jsonrpc/index.ts'

export interface Found {
  readonly path: string
  readonly value: unknown
}

/** Every field with the given name, at any depth. */
export function fieldsNamed(name: string, value: unknown, path = ''): Found[] {
  if (Array.isArray(value)) return value.flatMap((inner, index) => fieldsNamed(name, inner, `${path}[${index}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = path === '' ? key : `${path}.${key}`
    return key === name ? [{ path: here, value: inner }] : fieldsNamed(name, inner, here)
  })
}

/** True when `path` is `outer` or lies inside it. */
export function isInside(path: string, outer: string): boolean {
  return outer === '' || path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)
}
