/** The stage that logs a client without a session when its first request comes. */
import type { Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'

export const logClient: Stage<Call> = (call, next) => {
  call.from.address.clientLog.spoke(call)
  return next(call)
}
