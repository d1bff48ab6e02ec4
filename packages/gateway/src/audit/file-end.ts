/** The end of an audit file: the last receipt that holds, and what is behind it. */
import { MAX_LINE_BYTES, type Receipt, readReceipt } from './receipt.ts'

/** What a file ends with. */
export interface Tail {
  readonly bytes: Uint8Array
  /** Whether there is nothing before it. */
  readonly whole: boolean
}

export interface FileEnd {
  /** Absent when there is none, in all that was looked at. */
  readonly last: Receipt | undefined
  /** Behind it, without the line break that ends it. Empty when the file ends as it should. */
  readonly debris: Uint8Array
  readonly debrisKind: 'torn' | 'changed'
  /** Whether the next line can begin right there. */
  readonly endsLine: boolean
}

/** Enough for many of the longest lines. */
export const TAIL_BYTES = 8 * MAX_LINE_BYTES
const LINE_BREAK = 10

export function fileEnd({ bytes, whole }: Tail): FileEnd {
  const endsLine = bytes.length === 0 || bytes.at(-1) === LINE_BREAK
  const end = endsLine ? Math.max(0, bytes.length - 1) : bytes.length
  for (let lineEnd = end; lineEnd > 0; ) {
    const before = bytes.lastIndexOf(LINE_BREAK, lineEnd - 1)
    const isWholeLine = before !== -1 || whole
    const last = isWholeLine ? readReceipt(bytes.subarray(before + 1, lineEnd)) : undefined
    if (last !== undefined) {
      const debris = bytes.subarray(Math.min(lineEnd + 1, end), end)
      return { last, debris, debrisKind: kindOf(debris, endsLine), endsLine }
    }
    lineEnd = before
  }
  const debris = bytes.subarray(0, end)
  return { last: undefined, debris, debrisKind: kindOf(debris, endsLine), endsLine }
}

/**
 * A line that was ended was written whole: somebody has changed it since. Pieces without an end are what crashes leave.
 */
function kindOf(debris: Uint8Array, endsLine: boolean): 'torn' | 'changed' {
  const lines = Buffer.from(debris).toString().split('\n')
  return endsLine || lines.some(isJson) ? 'changed' : 'torn'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
