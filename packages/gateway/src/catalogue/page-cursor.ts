/** Positions in a merged list as opaque text; they stay right when servers come and go. */
import { ParleyError } from 'parley-mcp'

export interface MergedPosition {
  /** Servers whose lists were read to the end. */
  readonly done: readonly string[]
  /** Absent if the next server begins. */
  readonly server?: string | undefined
  /** The next cursor of that server. */
  readonly cursor?: string | undefined
  /** The id of the conversation, if the client has its own list there. */
  readonly clientList?: string | undefined
  /** The number of its pages read before. */
  readonly pages: number
}

/** Longer than any cursor of the gateway. */
const MAX_LENGTH = 256 * 1024

export function writeCursor({ done, server, cursor, clientList, pages }: MergedPosition): string {
  return Buffer.from(JSON.stringify({ d: done, s: server, c: cursor, o: clientList, n: pages })).toString('base64url')
}

/** Throws for a cursor that is not from a merged list. */
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
