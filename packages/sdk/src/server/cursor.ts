/**
 * Positions in lists as opaque text. A position is "after this item", so that it stays right when items before it come
 * and go.
 */
import { ParleyError } from '../errors/index.ts'
import { decodeOpaque, encodeOpaque } from './content/base64.ts'

export interface CursorPosition {
  /** The last item of the page before. */
  readonly after: string
  /** Where the next page began then: used when that item is gone. */
  readonly index: number
}

export function writeCursor(list: string, position: CursorPosition): string {
  return encodeOpaque(`${list} ${position.index} ${position.after}`)
}

/** Throws when the cursor is not one of this list's. */
export function readCursor(list: string, cursor: unknown): CursorPosition {
  const plain = typeof cursor === 'string' ? decodeOpaque(cursor) : undefined
  const match = plain === undefined ? null : /^(\S+) (\d{1,9}) (.*)$/s.exec(plain)
  if (match === null || match[1] !== list)
    throw new ParleyError('invalid_cursor', {
      message: `Invalid cursor: use the nextCursor of an earlier ${list} result`,
    })
  return { index: Number(match[2]), after: match[3] as string }
}
