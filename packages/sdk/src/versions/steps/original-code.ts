/** Keeps the code of an error in its data while another one has to stand in for it. */
import { type Body, isObject } from '../../jsonrpc/index.ts'

/**
 * Fields of an object keep their names beside the code; anything that could not be told apart again moves to
 * `data.data`.
 */
export function keepCode(data: unknown, originalCode: number): Body {
  if (data === undefined) return { originalCode }
  const mixes =
    isObject(data) &&
    Object.keys(data).length > 0 &&
    !Object.hasOwn(data, 'originalCode') &&
    !Object.hasOwn(data, 'data')
  return mixes ? { ...data, originalCode } : { originalCode, data }
}

/** The data as it was. */
export function withoutCode(kept: Body): unknown {
  const { originalCode, ...rest } = kept
  const keys = Object.keys(rest)
  if (keys.length === 0) return undefined
  return keys.length === 1 && keys[0] === 'data' ? rest['data'] : rest
}
