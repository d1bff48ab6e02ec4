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

const QUOTE = 34
const BACKSLASH = 92

/** True when brackets outside of strings nest deeper than `maxDepth`. Runs before parsing. */
export function exceedsDepth(text: string, maxDepth: number): boolean {
  // A text that deep has at least that many openers and closers.
  if (text.length < maxDepth * 2) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = endOfString(text, at)
    } else if (unit === 123 || unit === 91) {
      if (++depth > maxDepth) return true
    } else if (unit === 125 || unit === 93) {
      depth--
    }
  }
  return false
}

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (at === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
}
