/** A conversation for one request. */
import type { Conversation } from '../conversation/conversation.ts'

export interface Lease {
  readonly conversation: Conversation
  /** To be given back to the client, so that its next request gets the same conversation. */
  readonly handle: string | undefined
  release(): void
}

/** Of one that is there in any case. */
export function leaseOf(conversation: Conversation): Lease {
  conversation.users++
  let isReleased = false
  const release = (): void => {
    if (isReleased) return
    isReleased = true
    conversation.users--
  }
  return { conversation, handle: undefined, release }
}
