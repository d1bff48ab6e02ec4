/** Which host and path a request names, in whichever form its target has (RFC 9112, 3.2). */
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Guard } from '../../transport/index.ts'

export interface Target {
  /** Of a target in absolute form, as proxies get it. */
  readonly authority: string | undefined
  /** Without the query. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
}

type Named = Pick<IncomingMessage | Http2ServerRequest, 'headers' | 'rawHeaders' | 'url'>

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i

export function targetOf(url = '/'): Target {
  const absolute = url.startsWith('/') ? null : ABSOLUTE.exec(url)
  const local = absolute === null ? url : url.slice(absolute[0].length)
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  return { authority: absolute?.[1], path: path === '' ? '/' : path, query: mark === -1 ? '' : local.slice(mark + 1) }
}

/**
 * The host a request is for. The target has the last word, but both names must be let in: where the header's is not,
 * that is the answer.
 */
export function hostOf({ headers, url }: Named, guard: Guard): string | undefined {
  const authority = headers[':authority']?.toString() ?? targetOf(url).authority
  const { host } = headers
  if (authority === undefined) return host
  return host === undefined || guard.objection(host, undefined) === undefined ? authority : host
}

/** `headers` has but the first of several, and a proxy in between may have gone by another. */
export function hasTwoHosts({ rawHeaders }: Named): boolean {
  let count = 0
  for (let n = 0; n < rawHeaders.length; n += 2) if (rawHeaders[n]?.toLowerCase() === 'host') count++
  return count > 1
}

export const TWO_HOSTS = [400, 'invalid_request', 'A request has one Host header'] as const
