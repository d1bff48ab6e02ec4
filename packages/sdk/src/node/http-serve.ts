/** Carries one request of a Node server to the site and its answer back. */
import type { ErrorKind } from '../errors/index.ts'
import { type HttpSite, refuse, type Station } from '../serve/index.ts'
import type { Exchange } from '../transport/index.ts'
import { type BodyFault, BodyReader } from './http-body.ts'
import { NodeExchange, type NodeRequest, type NodeResponse } from './http-exchange.ts'
import { hasTwoHosts, TWO_HOSTS } from './request-target.ts'

const faults: Readonly<Record<Exclude<BodyFault, 'broken-off'>, readonly [status: number, kind: ErrorKind, message: string]>> = {
  'too-long': [413, 'message_too_large', 'The message is longer than this server reads'],
  'too-slow': [408, 'request_timeout', 'The request did not arrive in time'],
  'not-text': [400, 'parse_error', 'The body is not UTF-8'],
}

export function serveExchange(site: HttpSite, request: NodeRequest, response: NodeResponse): void {
  const exchange = new NodeExchange(request, response, site)
  if (hasTwoHosts(request)) return refuse(exchange, ...TWO_HOSTS)
  const station = admit(site, exchange)
  if (station === undefined) return
  if (request.method !== 'POST') return handle(site, station, exchange)
  const reader = new BodyReader(request, station.maxBytes, (text, fault) => {
    if (fault === 'broken-off') return
    if (fault !== undefined) return refuse(exchange, ...faults[fault])
    exchange.body = text
    exchange.unread = false
    handle(site, station, exchange)
  })
  if (request.httpVersionMajor > 1) reader.within(site.settings.requestTimeout, site.settings.clock)
}

/** The same for an exchange whose body is there; `isText` is false when it is not UTF-8. */
export function serveWhole(site: HttpSite, exchange: Exchange, isText: boolean): void {
  const station = admit(site, exchange)
  if (station === undefined) return
  if (isText) handle(site, station, exchange)
  else refuse(exchange, ...faults['not-text'])
}

function admit(site: HttpSite, exchange: Exchange): Station | undefined {
  try {
    return site.admit(exchange)
  } catch (error) {
    site.failed(exchange, error)
    return undefined
  }
}

function handle(site: HttpSite, { mount }: Station, exchange: Exchange): void {
  try {
    mount.handle(exchange)
  } catch (error) {
    site.failed(exchange, error)
  }
}
