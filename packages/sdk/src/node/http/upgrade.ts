/** Requests to upgrade a connection to another protocol, and their refusals. */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorKind, ParleyError } from '../../errors/index.ts'
import { errorText } from '../../jsonrpc/index.ts'
import { type Guard, JSON_TYPE } from '../../transport/index.ts'
import { hasTwoHosts, hostOf, TWO_HOSTS, targetOf } from './request-target.ts'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Without the query. */
export function pathOf({ url }: IncomingMessage): string {
  return targetOf(url).path
}

export type Objection = readonly [status: number, kind: ErrorKind, message: string]

/** Why the request is refused because of its host or origin. */
export function upgradeObjection(request: IncomingMessage, guard: Guard): Objection | undefined {
  if (hasTwoHosts(request)) return TWO_HOSTS
  const objection = guard.objection(hostOf(request, guard), request.headers.origin)
  return objection === undefined ? undefined : [403, 'refusal_permission_denied', objection]
}

/** Refuses by plain HTTP, because the upgrade has not happened. */
export function refuseUpgrade(socket: Duplex, [status, kind, message]: Objection): void {
  const body = errorText(undefined, new ParleyError(kind, { message }).toWire())
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The headers of an offer to upgrade. */
const OFFER: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * The request without the offer, which a server may ignore (RFC 9110, 7.8), followed by the bytes after it. The
 * connection closes after the answer, so that it is not read again without end.
 */
export function withoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let n = 0; n + 1 < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] as string
    if (!OFFER.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[n + 1]}`)
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1'), head])
}
