/** What a browser is told that asks whether a page may call. */
import type { ResponseHeaders } from '../../transport/index.ts'

const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
]

/** D-60: which parameters of tools are headers as well only the page knows, and browsers take no pattern. */
const OF_TOOLS = /^mcp-[\w!#$%&'*+.^`|~-]+$/

export function preflight(asked: string | undefined): ResponseHeaders {
  const more = asked?.split(',').flatMap((part) => {
    const name = part.trim().toLowerCase()
    return OF_TOOLS.test(name) && !ALLOWED_HEADERS.includes(name) ? [name] : []
  })
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': [...ALLOWED_HEADERS, ...(more ?? [])].join(', '),
    'access-control-max-age': '600',
  }
}
