/** The host and path of a request, in all forms of a request target (RFC 9112, 3.2). */
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Guard } from '../../transport/index.ts'

export interface RequestTarget {
  /** The host of a target in absolute form, as sent to proxies. */
  readonly authority: string | undefined
  /** Without the query. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
}

type Named = Pick<IncomingMessage | Http2ServerRequest, 'headers' | 'rawHeaders' | 'url'>

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i

export function targetOf(url = '/'): RequestTarget {
  const absolute = url.startsWith('/') ? null : ABSOLUTE.exec(url)
  const local = absolute === null ? url : url.slice(absolute[0].length)
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  return { authority: absolute?.[1], path: path === '' ? '/' : path, query: mark === -1 ? '' : local.slice(mark + 1) }
}

/** The host of the request. The target has priority, but the `Host` header must be allowed too, or it is returned. */
export function hostOf({ headers, url }: Named, guard: Guard): string | undefined {
  const authority = headers[':authority']?.toString() ?? targetOf(url).authority
  const { host } = headers
  if (authority === undefined) return host
  return host === undefined || guard.objection(host, undefined) === undefined ? authority : host
}

/** `headers` has only the first of several Host headers, and a proxy may have used another one. */
export function hasTwoHosts({ rawHeaders }: Named): boolean {
  let count = 0
  for (let n = 0; n < rawHeaders.length; n += 2) if (rawHeaders[n]?.toLowerCase() === 'host') count++
  return count > 1
}

export const TWO_HOSTS = [400, 'invalid_request', 'A request has one Host header'] as const
