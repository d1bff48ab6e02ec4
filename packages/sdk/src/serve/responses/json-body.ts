/** Checks that a request body is JSON without a content encoding. */
import { type Exchange, isJsonType } from '../../transport/index.ts'
import { refuse } from './refusal.ts'

/** Returns false, and refuses the exchange, if the headers name another type or encoding. */
export function admitsBody(exchange: Exchange): boolean {
  const type = exchange.header('content-type')
  if (type === undefined || !isJsonType(type)) {
    refuse(exchange, 415, 'invalid_request', 'Content-Type must be application/json')
    return false
  }
  const coding = exchange.header('content-encoding')
  if (coding === undefined || coding.toLowerCase() === 'identity') return true
  refuse(
    exchange,
    415,
    'invalid_request',
    `Content-Encoding ${JSON.stringify(coding.slice(0, 100))} is not read here; send the body as it is`,
    {
      'accept-encoding': 'identity',
    },
  )
  return false
}
