/** The answer to preflight requests of browsers. */
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

/** D-60: headers of tool parameters. Only the page knows their names, and browsers accept no pattern. */
const PARAMETER_HEADER = /^mcp-[\w!#$%&'*+.^`|~-]+$/

export function preflight(asked: string | undefined): ResponseHeaders {
  const more = asked?.split(',').flatMap((part) => {
    const name = part.trim().toLowerCase()
    return PARAMETER_HEADER.test(name) && !ALLOWED_HEADERS.includes(name) ? [name] : []
  })
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': [...ALLOWED_HEADERS, ...(more ?? [])].join(', '),
    'access-control-max-age': '600',
  }
}
