/** Tells lines that are no message from those that are, for servers that write their log to standard output. */
import { DEFAULT_LIMITS } from './limits.ts'
import type { Incoming } from './message.ts'
import { parse } from './parse.ts'

/** A message of any size is a message; whether it is too large, its reader decides. */
const NO_LIMITS = {
  ...DEFAULT_LIMITS,
  maxBytes: Number.POSITIVE_INFINITY,
  maxDepth: Number.POSITIVE_INFINITY,
  maxBatch: Number.POSITIVE_INFINITY,
}

/** True for a line that is neither empty nor a JSON-RPC message: `[INFO] starting` as well as `{"level":"info"}`. */
export function isStrayLine(text: string): boolean {
  return text.trim() !== '' && !isMessage(parse(text, NO_LIMITS))
}

function isMessage(read: Incoming): boolean {
  return read.kind === 'batch' ? read.items.some(isMessage) : read.kind !== 'invalid'
}
