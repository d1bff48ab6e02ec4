/**
 * The result of an answer as the peer wrote it, to be passed on: numbers keep their digits, and the text is not written
 * again.
 */

import type { RequestId } from './message.ts'

const ID = /(?:-?\d{1,15}|"[^"\\]{0,200}")/.source
const BEFORE = /^\{"jsonrpc":"2\.0","id":(?:-?\d{1,15}|"[^"\\]{0,200}"),"result":(?=\{)/
const FIRST = '{"result":'
const BEHIND = /^,"jsonrpc":"2\.0","id":(?:-?\d{1,15}|"[^"\\]{0,200}")\}$/
const QUOTE = 34
const OPENING = 123
const CLOSING = 125
const BACKSLASH = 92

const ESCAPED = /\\u00(?:5f|6f|7[024])/i

/**
 * Members that parsing removes must not be passed on. Escaped letters could hide their name. Nearly no text gets as far
 * as the expression.
 */
export function mayHoldProto(text: string): boolean {
  return text.includes('__proto__') || (text.includes('\\u00') && ESCAPED.test(text))
}

/**
 * `frame` is known to be valid JSON. Undefined when the result is not all that is between its ends, not in one line, or
 * not what was read.
 */
export function resultIn(frame: string): string | undefined {
  if (frame.includes('\n') || frame.includes('\r') || mayHoldProto(frame)) return undefined
  const before = BEFORE.exec(frame)
  if (before !== null) {
    const start = before[0].length
    return endOfObject(frame, start) === frame.length - 1 ? frame.slice(start, -1) : undefined
  }
  if (!frame.startsWith(FIRST) || frame.charCodeAt(FIRST.length) !== OPENING) return undefined
  const end = endOfObject(frame, FIRST.length)
  return end !== -1 && BEHIND.test(frame.slice(end)) ? frame.slice(FIRST.length, end) : undefined
}

const HEAD = new RegExp(`^\\{"jsonrpc":"2\\.0","id":(${ID}),"result":(?=\\{)`)
const TAIL = new RegExp(`,"jsonrpc":"2\\.0","id":(${ID})\\}$`)
/** Longest tail there is. */
const TAIL_LENGTH = 240

/**
 * Whose answer a frame may be, and what then is its result: to be compared with one that was read before, and with
 * nothing else, for nothing is checked here.
 */
export function answerIn(frame: string): { readonly id: RequestId; readonly json: string } | undefined {
  const head = HEAD.exec(frame)
  if (head !== null) return { id: idFrom(head[1] as string), json: frame.slice(head[0].length, -1) }
  const tail = frame.startsWith(FIRST) ? TAIL.exec(frame.slice(-TAIL_LENGTH)) : null
  return tail === null ? undefined : { id: idFrom(tail[1] as string), json: frame.slice(FIRST.length, -tail[0].length) }
}

function idFrom(written: string): RequestId {
  return written.startsWith('"') ? written.slice(1, -1) : Number(written)
}

/** Behind the brace that closes the one at `start`. */
export function endOfObject(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at === -1) return -1
    } else if (code === OPENING) depth++
    else if (code === CLOSING && --depth === 0) return at + 1
  }
  return -1
}

/** The quote that closes the one at `start`. */
export function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
  return slashes % 2 === 1
}
