/** The stage that counts requests of all clients to one server, and refuses those beyond its rate limit. */
import type { Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'

/** A part of a list of several servers is not refused: the list would lack the server's part. */
export const limitServer: Stage<Call> = (call, next) => {
  if (!call.isPart) call.site.upstream.rate.demand()
  return next(call)
}
