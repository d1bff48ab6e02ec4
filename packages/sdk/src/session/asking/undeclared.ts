/** A server must not ask what its client has not declared with the request that is to show the question. */
import { ParleyError } from '../../errors/index.ts'
import type { Caller } from '../endpoint.ts'

const CAPABILITIES: Readonly<Record<string, string>> = { 'elicitation/create': 'elicitation', 'sampling/createMessage': 'sampling', 'roots/list': 'roots' }

/** Why the question may not be shown; `undefined` when it may. */
export function undeclared(caller: Caller, method: string): ParleyError | undefined {
  if (caller.can(method)) return undefined
  const capability = CAPABILITIES[method]
  return new ParleyError('missing_client_capability', {
    message: `${method} cannot be asked of this client: it does not declare the capability`,
    ...(capability === undefined ? {} : { data: { requiredCapabilities: { [capability]: {} } } }),
  })
}
