/** Removes the envelope of results of the stateless era (D-02, D-03). */
import { type Body, isObject } from '../../../../jsonrpc/index.ts'
import { META } from '../../../../versions/index.ts'

/** Without a type the result is complete. */
export function isComplete(result: Body): boolean {
  const type = result['resultType']
  return type === 'complete' || type === undefined
}

/** The result in the newest vocabulary. It keeps how long it stays fresh, but not its type and its server. */
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
