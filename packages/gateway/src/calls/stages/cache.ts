/**
 * The stages that cache lists and resources of servers of the stateless era, for clients of either era (D-42). The
 * server says how long a result stays fresh.
 */
import { eraOf } from 'parley-mcp'
import { type Answered, type Body, type Stage, unframed, wasAsked } from 'parley-mcp/engine'
import { abilitiesOf, type Conversation } from '../../upstream/index.ts'
import type { Call } from '../call.ts'
import { asksForReport } from '../report.ts'
import { shownTools } from './show-tools.ts'

/** Answers from the cache. */
export const cache: Stage<Call> = (call, next) => {
  if (!usesCache(call)) return next(call)
  if (eraOf(call.caller.version) === 'stateless') return cached(call, true) ?? next(call)
  const own = call.site.ownConversation(call)
  const answer = ({ stateless }: Conversation): Answered => (stateless ? cached(call, false) : undefined) ?? next(call)
  return own instanceof Promise ? own.then(answer) : answer(own)
}

/** Caches results as the server wrote them. They are changed for a client each time they are used. */
export const keepResult: Stage<Call> = async (call, next) => {
  if (!usesCache(call)) return next(call)
  const { method, params, principal } = call
  const { resultCache } = call.site.upstream
  const generation = resultCache.generationOf(method)
  const answer = await next(call)
  const { received } = call
  // A result that depends on a client's answer to a question is not for other clients.
  if (received?.isUntouched && !wasAsked(received.body))
    resultCache.keep(method, params, principal, received.body, generation, declaredBy(call))
  return answer
}

function cached(call: Call, isEnveloped: boolean): Body | undefined {
  const { resultCache, tools } = call.site.upstream
  const found = resultCache.find(call.method, call.params, call.principal, declaredBy(call))
  if (found === undefined || (isEnveloped && !tools.changesLists)) return found
  const body = isEnveloped ? found : unframed(found)
  return shownTools(call)?.(body) ?? body
}

/** A client that asks for translation losses gets a new answer. */
function usesCache(call: Call): boolean {
  return call.site.upstream.config.cache && !asksForReport(call)
}

function declaredBy({ caller }: Call): string {
  return abilitiesOf(caller.capabilities).declaration.key
}
