/** Ceilings on what is read and written; every one of them is an option. */

export interface MessageLimits {
  /** Longest message in bytes of UTF-8. */
  maxBytes: number
  /** Deepest nesting of arrays and objects. */
  maxDepth: number
  /** Most messages in one batch. */
  maxBatch: number
}

export const DEFAULT_LIMITS: MessageLimits = { maxBytes: 4 * 1024 * 1024, maxDepth: 128, maxBatch: 100 }

/** UTF-8 takes one to three bytes per UTF-16 unit, so most texts need no counting. */
export function exceedsBytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true
  if (text.length * 3 <= maxBytes) return false
  return new TextEncoder().encode(text).length > maxBytes
}
