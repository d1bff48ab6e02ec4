/**
 * Reads the head of the ordinary request: a `POST` over HTTP/1.1 with a length and no special headers. Nearly all
 * requests are ordinary. All others are left to `node:http`, so this reader can be strict and short. It reads nothing
 * in another way than `node:http` does.
 */

export interface RequestHead {
  /** Without the query. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** The keys are in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** The length of the body, in bytes. */
  readonly length: number
}

const VERB = 'POST '
const VERSION = ' HTTP/1.1'
const MAX_HEADERS = 50
export const MAX_HEAD_BYTES = 8 * 1024

const TARGET = /^\/[\x21-\x7e]*$/
export const HEADER_NAME: RegExp = /^[\w!#$%&'*+.^`|~-]+$/
/**
 * Characters that an ordinary header does not have. Bytes beyond ASCII are allowed, as in `node:http`. Tabs are not:
 * they count as blanks in some headers only, and not beside a length.
 */
const OUTSIDE_VALUE = /[^\x20-\x7e\x80-\xff]/
const LENGTH = /^\d{1,9}$/

/** Headers about the connection, about a body in parts, or that expect an interim response. */
const SPECIAL: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'proxy-connection',
  'http2-settings',
])

/** `text` is the head without its empty line. Returns `undefined` for a request that is not ordinary. */
export function readRequestHead(text: string): RequestHead | undefined {
  const lines = text.split('\r\n')
  const [opening = ''] = lines
  if (!opening.startsWith(VERB) || !opening.endsWith(VERSION) || lines.length > MAX_HEADERS) return undefined
  const target = opening.slice(VERB.length, -VERSION.length)
  if (!TARGET.test(target)) return undefined
  const headers = readHeaders(lines)
  const length = headers?.get('content-length')
  if (headers === undefined || length === undefined || !LENGTH.test(length) || !headers.has('host')) return undefined
  const mark = target.indexOf('?')
  return {
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers,
    length: Number(length),
  }
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>()
  for (let n = 1; n < lines.length; n++) {
    const line = lines[n] as string
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    const value = withoutBlanks(line.slice(colon + 1))
    if (!HEADER_NAME.test(name) || OUTSIDE_VALUE.test(value) || SPECIAL.has(name) || headers.has(name)) return undefined
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined
    headers.set(name, value)
  }
  return headers
}

/** `trim` would also remove characters that are not blanks in HTTP. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}
