/** The stage that answers what a client wants to hear of: log levels, subscriptions and listening. */
import type { Stage } from 'parley-mcp/engine'
import { type Call, conversationOf } from './call.ts'

export const FOLLOWING_METHODS: readonly string[] = [
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]

export const follow: Stage<Call> = (call) => call.site.follow(call, conversationOf(call))
