/**
 * The stages that answer lists and resources from what a server of the stateless era said stays fresh for a while, for
 * clients of either era (D-42).
 */
import { eraOf } from 'parley-mcp'
import { type Answered, type Body, type Stage, unframed, wasAsked } from 'parley-mcp/engine'
import { abilitiesOf, type Conversation } from '../../upstream/index.ts'
import type { Call } from '../call.ts'
import { asksForReport } from '../report.ts'
import { shownTools } from './show-tools.ts'

/** Answers from what was kept. */
export const cache: Stage<Call> = (call, next) => {
  if (!usesCache(call)) return next(call)
  if (eraOf(call.caller.version) === 'stateless') return kept(call, true) ?? next(call)
  const own = call.site.ownConversation(call)
  const look = ({ stateless }: Conversation): Answered => (stateless ? kept(call, false) : undefined) ?? next(call)
  return own instanceof Promise ? own.then(look) : look(own)
}

/** Keeps results as the server said them. What clients are shown of them is made each time. */
export const keepResult: Stage<Call> = async (call, next) => {
  if (!usesCache(call)) return next(call)
  const { method, params, principal } = call
  const { resultCache } = call.site.upstream
  const generation = resultCache.generationOf(method)
  const answer = await next(call)
  const { received } = call
  // An answer that depends on what one client answered is for no other client.
  if (received?.isUntouched && !wasAsked(received.body))
    resultCache.keep(method, params, principal, received.body, generation, declaredBy(call))
  return answer
}

function kept(call: Call, isEnveloped: boolean): Body | undefined {
  const { resultCache, tools } = call.site.upstream
  const found = resultCache.find(call.method, call.params, call.principal, declaredBy(call))
  if (found === undefined || (isEnveloped && !tools.changesLists)) return found
  const body = isEnveloped ? found : unframed(found)
  return shownTools(call)?.(body) ?? body
}

/** A client that wants to know what was lost on the way gets an answer that was just made. */
function usesCache(call: Call): boolean {
  return call.site.upstream.config.cache && !asksForReport(call)
}

function declaredBy({ caller }: Call): string {
  return abilitiesOf(caller.capabilities).declaration.key
}
