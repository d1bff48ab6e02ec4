/** Takes results of the stateless era out of their envelope (D-02, D-03). */
import { type Body, isObject } from '../../../../jsonrpc/index.ts'
import { META } from '../../../../versions/index.ts'

/** Results of servers that say nothing about it are whole. */
export function isComplete(result: Body): boolean {
  const type = result['resultType']
  return type === 'complete' || type === undefined
}

/**
 * The result in the newest vocabulary: how long it stays fresh is part of it, of what kind it is and who made it is
 * not.
 */
export function unframed(result: Body): Body {
  const { resultType, _meta, ...own } = result
  if (_meta === undefined) return own
  const meta = isObject(_meta) ? withoutServer(_meta) : _meta
  if (meta !== undefined) own['_meta'] = meta
  return own
}

function withoutServer(meta: Body): Body | undefined {
  if (!Object.hasOwn(meta, META.serverInfo)) return meta
  const { [META.serverInfo]: _, ...rest } = meta
  return Object.keys(rest).length === 0 ? undefined : rest
}
