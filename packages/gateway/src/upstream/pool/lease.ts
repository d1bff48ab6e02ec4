/** A conversation for one request. */
import type { Conversation } from '../conversation/conversation.ts'

export interface Lease {
  readonly conversation: Conversation
  /** The handle that the client sends with its next request to get the same conversation. */
  readonly handle: string | undefined
  release(): void
}

/** A lease of a conversation that stays open in any case. */
export function leaseOf(conversation: Conversation): Lease {
  return { conversation, handle: undefined, release: conversation.use() }
}
