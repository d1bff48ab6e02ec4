/**
 * Lists by `cursor` and `limit`. The specification leaves the length of a page to the server, so a longer one is handed
 * out in parts (D).
 */
import type { Body } from '../../jsonrpc/index.ts'
import type { EditContext } from '../operation.ts'
import { without } from '../steps/without.ts'

/** Method → where its items are. */
const items: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'tasks/list': 'tasks',
}

export const listMethods: readonly string[] = Object.keys(items)

/** Where in the pages of the server a reader is: so many items of the page at `cursor` have been read. */
interface Position {
  readonly cursor: string | undefined
  readonly read: number
}

const MARK = 'parley:'

export function askPage(params: Body, context: EditContext): Body {
  const { limit, cursor, ...rest } = params
  if (limit !== undefined && !isLimit(limit))
    context.lose('the limit is not a whole number above zero, so pages have the length the server gives them', {
      path: 'limit',
    })
  const position = positionOf(cursor)
  if (limit === undefined && position.cursor === cursor) return params
  return position.cursor === undefined ? rest : { ...rest, cursor: position.cursor }
}

/** The page, or as much of it as was asked for. */
export function writePage(result: Body, { method, request }: EditContext): Body {
  const { nextCursor, ...rest } = result
  const key = items[method] as string
  const page: unknown = result[key]
  const limit = request?.['limit']
  const position = positionOf(request?.['cursor'])
  if (!Array.isArray(page) || (!isLimit(limit) && position.read === 0)) return next(result, nextCursor)
  const end = isLimit(limit) ? position.read + limit : page.length
  const part = { ...rest, [key]: page.slice(position.read, end) }
  return end < page.length
    ? { ...part, cursor: written({ cursor: position.cursor, read: end }) }
    : next({ ...part, nextCursor }, nextCursor)
}

export function readPage(result: Body): Body {
  const { cursor } = result
  if (cursor === undefined || result['nextCursor'] !== undefined) return result
  const rest = without(result, 'cursor')
  return cursor === null ? rest : { ...rest, nextCursor: cursor }
}

function next(result: Body, nextCursor: unknown): Body {
  const rest = without(result, 'nextCursor')
  if (typeof nextCursor !== 'string') return rest
  // A cursor of the server's that looks like one from here would be misread when it comes back.
  return { ...rest, cursor: nextCursor.startsWith(MARK) ? written({ cursor: nextCursor, read: 0 }) : nextCursor }
}

function written({ cursor, read }: Position): string {
  return cursor === undefined ? `${MARK}${read}` : `${MARK}${read}:${cursor}`
}

function positionOf(cursor: unknown): Position {
  if (typeof cursor !== 'string') return { cursor: undefined, read: 0 }
  const found = /^parley:(\d{1,9})(?::(.*))?$/s.exec(cursor)
  return found === null ? { cursor, read: 0 } : { cursor: found[2], read: Number(found[1]) }
}

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
