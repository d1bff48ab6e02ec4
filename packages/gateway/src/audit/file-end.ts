/** The end of an audit file: the last valid receipt, and the bytes after it. */
import { MAX_LINE_BYTES, type Receipt, readReceipt } from './receipt.ts'

/** The last bytes of a file. */
export interface Tail {
  readonly bytes: Uint8Array
  /** Whether these are all bytes of the file. */
  readonly whole: boolean
}

export interface FileEnd {
  /** Absent when the bytes hold none. */
  readonly last: Receipt | undefined
  /** The bytes after it, without the last line break. Empty in a complete file. */
  readonly debris: Uint8Array
  readonly debrisKind: 'torn' | 'changed'
  /** Whether the file ends with a line break. */
  readonly endsLine: boolean
}

/** Room for several of the longest lines. */
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
 * A line with a line break was written whole, so it was changed later. A crash leaves a line without a line break.
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
