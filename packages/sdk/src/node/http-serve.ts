/** Carries one request of a Node server to the site and its answer back. */

import { type ErrorKind, ParleyError } from '../errors/index.ts'
import { errorText } from '../jsonrpc/index.ts'
import type { HttpSite } from '../serve/index.ts'
import { type BodyFault, BodyReader } from './http-body.ts'
import { NodeExchange, type NodeRequest, type NodeResponse } from './http-exchange.ts'

const faults: Readonly<Record<Exclude<BodyFault, 'broken-off'>, readonly [status: number, kind: ErrorKind, message: string]>> = {
  'too-long': [413, 'message_too_large', 'The message is longer than this server reads'],
  'too-slow': [408, 'request_timeout', 'The request did not arrive in time'],
  'not-text': [400, 'parse_error', 'The body is not UTF-8'],
}

export function serveExchange(site: HttpSite, request: NodeRequest, response: NodeResponse): void {
  const exchange = new NodeExchange(request, response, site)
  try {
    if (!site.admit(exchange)) return
    if (request.method !== 'POST') return site.handle(exchange)
  } catch {
    return fail(exchange, 500, 'internal_error', 'Internal error')
  }
  const { limits, clock, requestTimeout } = site.settings
  const reader = new BodyReader(request, limits.maxBytes, (text, fault) => {
    if (fault === 'broken-off') return
    if (fault !== undefined) return fail(exchange, ...faults[fault])
    exchange.body = text
    exchange.unread = false
    try {
      site.handle(exchange)
    } catch {
      fail(exchange, 500, 'internal_error', 'Internal error')
    }
  })
  if (request.httpVersionMajor > 1) reader.within(requestTimeout, clock)
}

function fail(exchange: NodeExchange, status: number, kind: ErrorKind, message: string): void {
  exchange.respond(status, { 'content-type': 'application/json' }, errorText(undefined, new ParleyError(kind, { message }).toWire()))
}
