/** Parameters of a question that travels inside a result: it has no id, no metadata and is no task (D-48, D-49). */
import type { Body } from '../../jsonrpc/index.ts'

export function embedded(params: Body | undefined): Body | undefined {
  if (params === undefined) return undefined
  const { elicitationId: _i, _meta: _m, task: _t, ...rest } = params
  return rest
}
