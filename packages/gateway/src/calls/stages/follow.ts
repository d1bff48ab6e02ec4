/** The stage that answers requests about notifications: log levels, subscriptions and listening. */
import { ParleyError } from 'parley-mcp'
import type { Body, Stage } from 'parley-mcp/engine'
import { type Call, conversationOf } from '../call.ts'

export const FOLLOWING_METHODS: readonly string[] = [
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]

export const follow: Stage<Call> = (call) => call.site.follow(call, conversationOf(call))

/** The resource that a client subscribes to or unsubscribes from. */
export function uriIn({ uri }: Body): string {
  if (typeof uri === 'string') return uri
  throw new ParleyError('invalid_params', { message: '"uri" must be a string' })
}
