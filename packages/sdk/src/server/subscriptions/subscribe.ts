/** Answers `resources/subscribe` and `resources/unsubscribe`. */
import { ParleyError } from '../../errors/index.ts'
import type { EmptyResult } from '../../protocol/index.ts'
import { costOfTexts, type Inbound } from '../../session/index.ts'
import type { Conversation } from '../conversation.ts'
import { uriOf } from '../resources/read.ts'
import { notFound } from '../resources/resource.ts'

export function subscribe(conversation: Conversation, inbound: Inbound): EmptyResult {
  const uri = uriOf(inbound)
  const { registry, subscriptions, maxSubscriptions } = conversation.host
  const found = registry.find(uri)
  if (found === undefined) throw notFound(uri)
  if (!found.definition.subscribable) throw refused(uri, 'this resource does not tell of changes')
  if (subscriptions.has(conversation, uri)) return {}
  if (subscriptions.count(conversation) >= maxSubscriptions)
    throw refused(uri, `a session may have ${maxSubscriptions} subscriptions`)
  subscriptions.add(conversation, uri, inbound.keep(costOfTexts([uri]), 'a subscription'))
  return {}
}

/** Ending what never began is fine: the outcome is what the client wants. */
export function unsubscribe(conversation: Conversation, inbound: Inbound): EmptyResult {
  conversation.host.subscriptions.remove(conversation, uriOf(inbound))
  return {}
}

function refused(uri: string, why: string): ParleyError {
  return new ParleyError('subscription_failed', { message: `Subscription failed: ${why}`, data: { uri } })
}
