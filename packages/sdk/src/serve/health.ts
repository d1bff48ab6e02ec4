/** A path that says whether a site takes requests, for whatever balances load. */
import { type Exchange, JSON_TYPE } from '../transport/index.ts'
import { refuse } from './refusal.ts'
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
      if (!asks(exchange)) refuse(exchange, 405, 'invalid_request', 'Only GET', { allow: 'GET, HEAD' })
      return asks(exchange)
    },
    handle: (exchange) => show(exchange, { sessions: health().sessions }),
    // Probes come by address, not by name; those that the guard would not let in learn no more than that.
    strangers: (exchange) => {
      if (asks(exchange)) show(exchange, {})
      return asks(exchange)
    },
  }
}

function asks({ method }: Exchange): boolean {
  return method === 'GET' || method === 'HEAD'
}
