/** A path that tells load balancers whether the site accepts requests. */
import { type Exchange, JSON_TYPE } from '../../transport/index.ts'
import { refuse } from '../responses/refusal.ts'
import type { Mount } from './site.ts'

interface Health {
  readonly closing: boolean
  readonly sessions: number
}

export function healthMount(health: () => Health): Mount {
  const show = (exchange: Exchange, details: object): void => {
    const { closing } = health()
    exchange.respond(
      closing ? 503 : 200,
      { 'content-type': JSON_TYPE },
      JSON.stringify({ status: closing ? 'closing' : 'ok', ...details }),
    )
  }
  return {
    admit: (exchange) => {
      if (!isRead(exchange)) refuse(exchange, 405, 'invalid_request', 'Only GET', { allow: 'GET, HEAD' })
      return isRead(exchange)
    },
    handle: (exchange) => show(exchange, { sessions: health().sessions }),
    // Probes use an address instead of an allowed host name. They get the status only.
    strangers: (exchange) => {
      if (isRead(exchange)) show(exchange, {})
      return isRead(exchange)
    },
  }
}

function isRead({ method }: Exchange): boolean {
  return method === 'GET' || method === 'HEAD'
}
