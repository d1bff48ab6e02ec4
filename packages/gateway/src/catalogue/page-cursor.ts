/** Positions in a merged list as opaque text; they stay right when servers come and go. */
import { ParleyError } from 'parley-mcp'

export interface MergedPosition {
  /** Servers whose part has been given whole. */
  readonly done: readonly string[]
  /** Absent: the next server that is not done begins. */
  readonly server?: string | undefined
  /** Where that server goes on. */
  readonly cursor?: string | undefined
  /** Whose list it goes on in, where not everybody is shown the same. */
  readonly clientList?: string | undefined
  /** How many pages of it were read before. */
  readonly pages: number
}

/** Far more than any list needs; what is longer was not made here. */
const MAX_LENGTH = 256 * 1024

export function writeCursor({ done, server, cursor, clientList, pages }: MergedPosition): string {
  return Buffer.from(JSON.stringify({ d: done, s: server, c: cursor, o: clientList, n: pages })).toString('base64url')
}

/** Throws when the cursor is none of a merged list. */
export function readCursor(cursor: unknown): MergedPosition {
  const position =
    typeof cursor === 'string' && cursor.length <= MAX_LENGTH && /^[\w-]+$/.test(cursor) ? parse(cursor) : undefined
  if (position === undefined)
    throw new ParleyError('invalid_cursor', {
      message: 'Invalid cursor: use the nextCursor of an earlier result of the same list',
    })
  return position
}

function parse(cursor: string): MergedPosition | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const {
    d: done,
    s: server,
    c: at,
    o: clientList,
    n: pages,
  } = value as { d?: unknown; s?: unknown; c?: unknown; o?: unknown; n?: unknown }
  if (
    !Array.isArray(done) ||
    !done.every((name) => typeof name === 'string') ||
    !isOptionalText(server) ||
    !isOptionalText(at) ||
    !isOptionalText(clientList)
  )
    return undefined
  if (!Number.isSafeInteger(pages) || (pages as number) < 0) return undefined
  return { done, server, cursor: at, clientList, pages: pages as number }
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}
