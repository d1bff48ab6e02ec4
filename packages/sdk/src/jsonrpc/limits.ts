/** Limits for messages that are read and written. Each of them is an option. */

export interface MessageLimits {
  /**
   * Longest message that is read, in bytes of UTF-8. Default 4 MiB for what clients send, 64 MiB for what servers send.
   */
  maxBytes: number
  /** Longest message that is written. Default: what the other side reads, or `maxBytes` where that is set. */
  maxSentBytes: number
  /** Deepest nesting of arrays and objects. Default 128 for what clients send, 1000 for what servers send. */
  maxDepth: number
  /** Most messages in one batch. */
  maxBatch: number
}

const MIB = 1024 * 1024

/** For messages of clients, which the server may not know. */
export const DEFAULT_LIMITS: MessageLimits = { maxBytes: 4 * MIB, maxSentBytes: 64 * MIB, maxDepth: 128, maxBatch: 100 }

/**
 * For what servers send: a page of a document has megabytes, and one schema that is too deep must not cost a whole
 * list.
 */
const SERVER_MESSAGES: MessageLimits = { maxBytes: 64 * MIB, maxSentBytes: 4 * MIB, maxDepth: 1000, maxBatch: 100 }

/** The limits of one side of a conversation. */
export function limitsOf(role: 'client' | 'server', given: Partial<MessageLimits> = {}): MessageLimits {
  const usual = role === 'client' ? SERVER_MESSAGES : DEFAULT_LIMITS
  return { ...usual, ...given, maxSentBytes: given.maxSentBytes ?? given.maxBytes ?? usual.maxSentBytes }
}

/** UTF-8 takes one to three bytes per UTF-16 unit, so most texts need no counting. */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true
  if (text.length * 3 <= maxBytes) return false
  return new TextEncoder().encode(text).length > maxBytes
}
