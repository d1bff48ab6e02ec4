/**
 * Reads the requests that nearly all traffic consists of: a whole `POST` over HTTP/1.1 with nothing special about it. Whatever else comes is not
 * judged here but left to `node:http`, so this reader may be strict and short, and what it takes means the same to both.
 */

export interface PlainHead {
  /** Without the query. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Of the body, in bytes. */
  readonly length: number
}

const VERB = 'POST '
const VERSION = ' HTTP/1.1'
const MAX_HEADERS = 50
export const MAX_HEAD_BYTES = 8 * 1024

const TARGET = /^\/[\x21-\x7e]*$/
/** Of a header. */
export const NAME: RegExp = /^[\w!#$%&'*+.^`|~-]+$/
/** What is not in a plain header; bytes beyond ASCII are, as in `node:http`. Tabs are blank in some headers only: not beside a length. */
const OUTSIDE_VALUE = /[^\x20-\x7e\x80-\xff]/
const LENGTH = /^\d{1,9}$/

/** With one of these a request is about its connection, comes in parts, or wants to be asked first. */
const SPECIAL: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'upgrade', 'te', 'trailer', 'keep-alive', 'proxy-connection', 'http2-settings'])

/** The head of a plain request, without the empty line after it; `undefined` for any other. */
export function readPlainHead(text: string): PlainHead | undefined {
  const lines = text.split('\r\n')
  const [opening = ''] = lines
  if (!opening.startsWith(VERB) || !opening.endsWith(VERSION) || lines.length > MAX_HEADERS) return undefined
  const target = opening.slice(VERB.length, -VERSION.length)
  if (!TARGET.test(target)) return undefined
  const headers = readHeaders(lines)
  const length = headers?.get('content-length')
  if (headers === undefined || length === undefined || !LENGTH.test(length) || !headers.has('host')) return undefined
  const mark = target.indexOf('?')
  return { path: mark === -1 ? target : target.slice(0, mark), query: mark === -1 ? '' : target.slice(mark + 1), headers, length: Number(length) }
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>()
  for (let n = 1; n < lines.length; n++) {
    const line = lines[n] as string
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    const value = withoutBlanks(line.slice(colon + 1))
    if (!NAME.test(name) || OUTSIDE_VALUE.test(value) || SPECIAL.has(name) || headers.has(name)) return undefined
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined
    headers.set(name, value)
  }
  return headers
}

/** `trim` would take more than HTTP calls blank. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}
