/** The stage that refuses calls to a server that is down, before anything is done for them. */
import type { Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'

export const requireServer: Stage<Call> = (call, next) => {
  call.site.upstream.demandUp()
  return next(call)
}
