/** Carries one request of a Node server to the site and its answer back. */
import type { ErrorKind } from '../errors/index.ts'
import { type HttpSite, refuse, type Station } from '../serve/index.ts'
import { type BodyFault, BodyReader } from './http-body.ts'
import { NodeExchange, type NodeRequest, type NodeResponse } from './http-exchange.ts'

const faults: Readonly<Record<Exclude<BodyFault, 'broken-off'>, readonly [status: number, kind: ErrorKind, message: string]>> = {
  'too-long': [413, 'message_too_large', 'The message is longer than this server reads'],
  'too-slow': [408, 'request_timeout', 'The request did not arrive in time'],
  'not-text': [400, 'parse_error', 'The body is not UTF-8'],
}

export function serveExchange(site: HttpSite, request: NodeRequest, response: NodeResponse): void {
  const exchange = new NodeExchange(request, response, site)
  let station: Station | undefined
  try {
    station = site.admit(exchange)
    if (station === undefined) return
    if (request.method !== 'POST') return station.mount.handle(exchange)
  } catch (error) {
    return site.failed(exchange, error)
  }
  const { mount, maxBytes } = station
  const reader = new BodyReader(request, maxBytes, (text, fault) => {
    if (fault === 'broken-off') return
    if (fault !== undefined) return refuse(exchange, ...faults[fault])
    exchange.body = text
    exchange.unread = false
    try {
      mount.handle(exchange)
    } catch (error) {
      site.failed(exchange, error)
    }
  })
  if (request.httpVersionMajor > 1) reader.within(site.settings.requestTimeout, site.settings.clock)
}
