/** The stage that counts the requests of one client, and refuses those beyond its rate limit. */
import type { Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'

export const limitClient: Stage<Call> = (call, next) => {
  const refused = call.from.kind === 'part' ? undefined : call.from.address.limit?.(call)
  if (refused !== undefined) throw refused
  return next(call)
}
