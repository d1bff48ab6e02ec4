/** The stage that logs a client without a session at its first request. */
import type { Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'

export const logClient: Stage<Call> = (call, next) => {
  call.from.address.clientLog.requested(call)
  return next(call)
}
