/** Refusals of HTTP requests: a status and a JSON-RPC error, usually without a request id. */
import { type ErrorKind, ParleyError, type WireError } from '../../errors/index.ts'
import { errorText, type RequestId } from '../../jsonrpc/index.ts'
import { type Exchange, JSON_TYPE, type ResponseHeaders } from '../../transport/index.ts'

export function refuse(
  exchange: Exchange,
  status: number,
  kind: ErrorKind,
  message: string,
  headers?: ResponseHeaders,
): void {
  refuseWith(exchange, status, new ParleyError(kind, { message }).toWire(), headers)
}

/** `id`: the request that the error answers, if there is one. */
export function refuseWith(
  exchange: Exchange,
  status: number,
  error: WireError,
  headers?: ResponseHeaders,
  id?: RequestId,
): void {
  exchange.respond(status, { 'content-type': JSON_TYPE, ...headers }, errorText(id, error))
}
