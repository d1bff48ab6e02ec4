/** The plain paths of the gateway: for people, probes and monitors. */
import { isIP } from 'node:net'
import type { Mount } from 'parley-mcp/server'
import { endpointsOf } from './endpoints.ts'
import { LANDING_HEADERS } from './landing-page.ts'
import { ownUrl } from './own-url.ts'
import type { Readiness } from './readiness.ts'

type Exchange = Parameters<Mount['handle']>[0]

export interface PageSources {
  readonly readiness: () => Readiness
  readonly metricsText: () => string
  /** Host names of monitors that the guard does not allow. */
  readonly metricsHosts: readonly string[] | 'any'
  /** `url`: the address without a path, as the browser knows it. */
  readonly landing: (url: string) => string
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const METRICS_HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }
const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8', allow: 'GET, HEAD' }

/** By path. */
export function pageMounts({ readiness, metricsText, landing, metricsHosts }: PageSources): Record<string, Mount> {
  return {
    '/': forPeople(page((exchange) => exchange.respond(200, LANDING_HEADERS, landing(ownUrl(exchange))))),
    '/metrics': forMonitors(
      page((exchange) => exchange.respond(200, METRICS_HEADERS, metricsText())),
      metricsHosts,
    ),
    '/healthz': openPage((exchange) => json(exchange, 200, { status: 'ok' })),
    // Probes use an address, not a name. A request that the guard refuses gets the status, but no details.
    '/readyz': openPage(
      (exchange) => {
        const { ready, servers } = readiness()
        json(exchange, ready ? 200 : 503, {
          status: statusWord(ready),
          servers: Object.fromEntries(servers.map(({ name, ...state }) => [name, state])),
        })
      },
      (exchange) => {
        const { ready } = readiness()
        json(exchange, ready ? 200 : 503, { status: statusWord(ready) })
      },
    ),
  }
}

function statusWord(ready: boolean): string {
  return ready ? 'ready' : 'not ready'
}

function json(exchange: Exchange, status: number, value: unknown): void {
  exchange.respond(status, JSON_HEADERS, JSON.stringify(value))
}

function page(show: (exchange: Exchange) => void): Mount {
  return {
    admit: (exchange) => {
      if (isRead(exchange)) return true
      exchange.respond(405, TEXT_HEADERS, 'This path takes GET only\n')
      return false
    },
    handle: show,
  }
}

/** MCP clients request this page if their address has no path. */
function forPeople(shown: Mount): Mount {
  const { path, sse, webSocket } = endpointsOf()
  const words = `This page is for people; MCP clients connect to ${path}, those of HTTP+SSE to ${sse.path}, those of WebSocket to ${webSocket}\n`
  return {
    ...shown,
    admit: (exchange) => {
      if (isRead(exchange) && !wantsEvents(exchange)) return true
      exchange.respond(isRead(exchange) ? 406 : 405, TEXT_HEADERS, words)
      return false
    },
  }
}

/** Whether the client wants an event stream, and could not use a page. */
function wantsEvents(exchange: Exchange): boolean {
  const accept = exchange.header('accept') ?? ''
  return accept.includes('text/event-stream') && !accept.includes('text/html')
}

/**
 * Monitors use an IP address, which the guard refuses if names are listed. No web page can take an IP address as its
 * name, so addresses are allowed. Other names are allowed if the settings list them. Requests of web pages stay
 * refused.
 */
function forMonitors(shown: Mount, names: readonly string[] | 'any'): Mount {
  return {
    ...shown,
    strangers: (exchange) => {
      const isLetIn = isRead(exchange) && exchange.header('origin') === undefined && isHostOf(exchange, names)
      if (isLetIn) shown.handle(exchange)
      return isLetIn
    },
  }
}

function isHostOf(exchange: Exchange, names: readonly string[] | 'any'): boolean {
  const host = (exchange.header('host') ?? '').toLowerCase()
  const name = host.replace(/:\d{1,5}$/, '')
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true
  return names === 'any' || names.some((each) => [host, name].includes(each.toLowerCase()))
}

function openPage(show: (exchange: Exchange) => void, refusedByGuard = show): Mount {
  return {
    ...page(show),
    strangers: (exchange) => {
      if (isRead(exchange)) refusedByGuard(exchange)
      return isRead(exchange)
    },
  }
}

function isRead({ method }: Exchange): boolean {
  return method === 'GET' || method === 'HEAD'
}
