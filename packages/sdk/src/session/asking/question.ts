/** Rules for a question that a server puts into a result. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Caller } from '../endpoint.ts'

/** The parameters of such a question. It has no id and no metadata, and it is not a task (D-48, D-49). */
export function embedded(params: Body | undefined): Body | undefined {
  if (params === undefined) return undefined
  const { elicitationId: _i, _meta: _m, task: _t, ...rest } = params
  return rest
}

const CAPABILITIES: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** The error for a question that the client does not declare with its request; `undefined` when it does. */
export function undeclared(caller: Caller, method: string): ParleyError | undefined {
  if (caller.can(method)) return undefined
  const capability = CAPABILITIES[method]
  return new ParleyError('missing_client_capability', {
    message: `${method} cannot be asked of this client: it does not declare the capability`,
    ...(capability === undefined ? {} : { data: { requiredCapabilities: { [capability]: {} } } }),
  })
}
