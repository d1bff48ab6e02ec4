/** Requests that offer to speak another protocol from now on, and how they are answered when nobody wants to. */
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

/** Why the request may not even ask. */
export function upgradeObjection(request: IncomingMessage, guard: Guard): Objection | undefined {
  if (hasTwoHosts(request)) return TWO_HOSTS
  const objection = guard.objection(hostOf(request, guard), request.headers.origin)
  return objection === undefined ? undefined : [403, 'refusal_permission_denied', objection]
}

/** The handshake is still plain HTTP, and so is its refusal. */
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

/** They belong to the offer. */
const OFFER: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * The request as it would have come without the offer, which a server is free to ignore (RFC 9110, 7.8): to be read
 * again, followed by what had come after it. It is the last one of its connection, so that no connection is read again
 * without end.
 */
export function withoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let n = 0; n + 1 < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] as string
    if (!OFFER.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[n + 1]}`)
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1'), head])
}
