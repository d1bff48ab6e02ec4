/** Lists and resources that a server of the stateless era said stay true for a while, for clients of either era (D-42). */
import { type Body, cacheableMethods, type Inbound, wasAsked } from 'parley-mcp/engine'
import { type BridgedCall, profileOf, type Upstream } from '../upstream/index.ts'
import { asksForReport } from './relay.ts'

const cacheable: ReadonlySet<string> = new Set(cacheableMethods)

/** As the server said it: what clients are shown of it is made each time. In the newest vocabulary, and perhaps in the envelope of the stateless era. */
export function keptAnswer(inbound: Inbound, upstream: Upstream, params: Body): Body | undefined {
  const { method, principal } = inbound
  return mayKeep(inbound, upstream) ? upstream.shelf.find(method, params, principal, declaredBy(inbound)) : undefined
}

/** Has the answer to the call, which is made now, kept if it may be. */
export function keepAnswer(call: BridgedCall, upstream: Upstream, params: Body): void {
  const { inbound } = call
  if (!mayKeep(inbound, upstream)) return
  const { method, principal } = inbound
  const { shelf } = upstream
  const declared = declaredBy(inbound)
  const generation = shelf.generationOf(method)
  // What was said to one client's answers is for no other.
  call.keep = (result) => !wasAsked(result) && shelf.keep(method, params, principal, result, generation, declared)
}

function declaredBy({ caller }: Inbound): string {
  return profileOf(caller.capabilities).declaration.key
}

/** Who wants to know what was lost on the way gets an answer that has made it. */
function mayKeep(inbound: Inbound, { config }: Upstream): boolean {
  return config.cache && cacheable.has(inbound.method) && !asksForReport(inbound)
}
